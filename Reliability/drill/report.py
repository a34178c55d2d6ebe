"""The table."""

import os

_COLUMNS = [
    ("replication", "mode"), ("kill", "number"), ("the standbys", "standbys"), ("confirmed before", "confirmed"),
    ("lost by the promotion", "lost"), ("lost after devices offered again", "lost_at_last"), ("doubled", "doubled"),
    ("reads away while the standbys were behind", "held_reads"), ("writes away", "writes"), ("reads away", "reads"), ("epochs begun", "epochs"), ("epoch after promotion", "epoch_delay"),
    ("old tokens refused", "refused")]


def print_report(modes, options, seconds):
    rows = [[title for title, _ in _COLUMNS]]
    rows += [[str(kill.get(key, "")) for _, key in _COLUMNS] for mode in modes for kill in mode.kills]
    print("| " + " | ".join(rows[0]) + " |")
    print("|" + "|".join(["---"] * len(rows[0])) + "|")
    for row in rows[1:]:
        print("| " + " | ".join(row) + " |")
    print()
    for mode in modes:
        print(f"{mode.name}: {mode.summary}")
        for error in mode.errors[:20]:
            print(f"  FAILED {error}")
    print(f"{options.nodes} PostgreSQL servers, {options.writers} writers, {os.cpu_count()} processors, {seconds:.0f} s")
