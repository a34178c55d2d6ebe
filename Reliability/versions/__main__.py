"""Reliability/run versions [--protocol N ...] [--changes N] [--days N] [--vectors] [--write]

Programs of every protocol version that has landed, beside those of this one. For each of them:

- A device of that version makes 5,000 changes offline. 60 days later by everybody's clock the service and the others have been upgraded
  and use what is newer, and the journals are compressed with all their trail. The device syncs, is upgraded, syncs, goes back to its old
  program, and up again.
- A device of this version uses a service of that one, which is upgraded then.
- The database and the devices' files that the old programs wrote are read by the new ones in both.

Then every vector (Tests/Vectors) that was ever committed is folded by this version.

Builds each earlier version once, below .build-tools/versions: ten minutes for each program. It uses the last build of trolleyd,
trolley and the tests, or the programs that TROLLEYD and TROLLEY name.

--protocol   only these earlier versions
--changes    how many changes are made offline (default: 5,000)
--days       for how long (default: 60)
--vectors    only the vectors
--write      writes the figures into docs/reliability.md, if all of it was run and nothing was broken
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Reliability"), str(ROOT / "Reliability/judge")]
from earlier import built, git
from machines import Broken, Clock, Device, Service, check
from page import write
from system.processes import adopt_orphans, end_descendants

# The last commit of each earlier protocol version (docs/protocol.md, 'Versions').
PROTOCOLS = {
    1: "34df2691c9f3b57a748e8df1b8b750a5612a5309",
    2: "831c0034",
}

# Since 5237e254 a compression also discards an entry that puts an item behind itself: of this vector it discards what its next version
# says. The list, its digest and everything else must come out as it says itself.
DISCARDS_AS = {"4b36bba117d861d9c1d6ebaa711e7a5a47b750f2": "cd94f10bbc39501f7e82b5aa02ad35b24ba557a3"}


def drawer(old: dict[str, Path], new: dict[str, Path], scratch: Path, changes: int, days: int) -> str:
    """A device of an earlier version, offline for longer than its journal is kept."""
    clock = Clock(scratch)
    service = Service(scratch / "data", clock)
    anna, ben = Device(scratch / "anna", old["trolley"], clock), Device(scratch / "ben", old["trolley"], clock)
    try:
        service.start(old["trolleyd"])
        shared = [f"shared {number}" for number in range(500)]
        anna.do("sign-up", service.address, "--email", "anna@example.com", "--name", "Anna")
        anna.do("new", "Weekly shop")
        anna.do_for_each("add", shared)
        link = anna.do("invite", "ben@example.com")["link"]
        ben.do("sign-up", service.address, "--email", "ben@example.com", "--name", "Ben")
        ben.do("join", link)
        check(len(ben.shown("Weekly shop")) == 500, "two devices of the earlier version are in step")
        service.stop()

        # Without a connection.
        adds, each = changes // 2, changes // 20
        own = [f"own {number}" for number in range(adds)]
        anna.do_for_each("add", own)
        deleted, off = own[:each * 5], own[each * 5:each * 9]
        anna.do_for_each("delete", deleted)
        anna.do_for_each("off", off + shared[:each])
        waiting = anna.do("queue")["waiting"]

        # Everybody else goes on with this version.
        clock.pass_days(days)
        service.start(new["trolleyd"])
        ben.program = new["trolley"]
        check(len(ben.shown("Weekly shop")) == 500, "this version reads the device's file of the earlier one")
        ben.do("add", "champagne", "2 l milk")
        # Every operation since version 2.
        ben.do("say", "I bring the cake")
        ben.do("say", "I bring the pie")
        for reaction in ("👍", "🎂"):
            ben.do("react", "I bring the cake", reaction)
        ben.do("react", "I bring the cake", "🎂", "--remove")
        for message in ("I bring the pie", "I bring the cake"):
            ben.do("pin", message)
        ben.do("pin", "I bring the pie", "--remove")
        ben.do("unsay", "I bring the pie")
        ben.do("delete", *shared[400:450])
        ben.do("off", *shared[450:500])
        ben.do("shops", "--add", "Corner shop")
        discarded = service.compress(new["trolleyd"])

        met = anna.run("sync", "--json")
        check(met.returncode == 0 or "update" in (met.stdout + met.stderr).lower(),
              f"a device that can't go on says that it must be updated, not: {met.stderr.strip()}{met.stdout[-300:]}")
        mine = {text for _, text, _ in anna.shown("Weekly shop")}
        check(set(own) - set(deleted) <= mine, "a device that must be updated shows what it has")

        anna.program = new["trolley"]
        anna.do("sync")
        check(anna.is_settled(), "nothing waits and nothing was refused after the update")
        ben.do("sync")
        here, there = anna.shown("Weekly shop"), ben.shown("Weekly shop")
        check(here == there, "both show the same")
        texts = Counter(text for _, text, _ in here)
        check(not [text for text, count in texts.items() if count > 1], "nothing is doubled")
        state = {text: marked for _, text, marked in here}
        kept = set(own) - set(deleted)
        check(kept <= state.keys(), f"no wanted item is lost, but {sorted(kept - state.keys())[:5]}")
        check(not set(deleted) & state.keys(), "what was deleted offline is gone")
        check(all(state[text] for text in off), "what was marked off offline is marked off")
        check({"champagne", "milk"} <= state.keys(), "what others added meanwhile is there")
        check(not set(shared[400:450]) & state.keys(), "what others deleted meanwhile is gone")
        said = anna.do("messages")["messages"]
        check(said == ben.do("messages")["messages"], "both show the same messages")
        check([(each["text"], [reaction["text"] for reaction in each["reactions"]], each["pinned"]) for each in said]
              == [("I bring the cake", ["👍"], True)], f"messages, which the earlier version didn't know, are there after the update: {said}")

        # Down, and up again.
        anna.program = old["trolley"]
        down = anna.run("show")
        check(down.returncode == 0 or bool(down.stderr.strip()), "a program that can't read a newer file says so")
        anna.program = new["trolley"]
        check(anna.shown("Weekly shop") == here and anna.is_settled(), "going back to the earlier program and up again changes nothing")
        fresh = Device(scratch / "fresh", new["trolley"], clock)
        fresh.do("sign-in", service.address, "--email", "anna@example.com")
        fresh.do("sync")
        check(fresh.shown("Weekly shop") == here, "a new device shows the same")
        first = "synced" if met.returncode == 0 else "was told to update"
        back = "was read by it" if down.returncode == 0 else f"was refused by it ({down.stderr.strip().splitlines()[0]})"
        return (f"{waiting:,} entries waited {days} days, {discarded:,} were compressed meanwhile: 0 lost, 0 doubled; the old program "
                f"{first}; the newer file {back}")
    finally:
        service.stop()


def service_behind(old: dict[str, Path], new: dict[str, Path], scratch: Path) -> str:
    """A device of this version, and a service that is upgraded only later."""
    clock = Clock(scratch)
    service = Service(scratch / "data", clock)
    anna = Device(scratch / "anna", new["trolley"], clock)
    try:
        service.start(old["trolleyd"])
        signed_up = anna.run("sign-up", service.address, "--email", "anna@example.com", "--name", "Anna")
        check(signed_up.returncode == 0 or bool(signed_up.stderr.strip()), "signing up at an earlier service works, or says why not")
        # A slow machine, not another version.
        check("can't be reached" not in signed_up.stderr, f"the earlier service answers in time, but: {signed_up.stderr.strip()}")
        if signed_up.returncode:
            return f"signing up was refused: {signed_up.stderr.strip().splitlines()[0]}"
        things = [f"thing {number}" for number in range(50)]
        anna.do("new", "Camping")
        anna.do("add", *things)
        anna.do("off", *things[:10])
        anna.do("delete", *things[10:20])
        spoken = anna.run("say", "Who has the tent?")
        synced = anna.run("sync")
        refused = synced.stderr.strip().splitlines()[:1]
        service.stop()

        service.start(new["trolleyd"])
        anna.do("sync")
        queue = anna.do("queue")
        check(queue["waiting"] == 0, "nothing waits after the service's upgrade")
        here = anna.shown("Camping")
        check([text for _, text, _ in here] == things[:10] + things[20:], "no item is lost, and none is doubled")
        fresh = Device(scratch / "fresh", new["trolley"], clock)
        fresh.do("sign-in", service.address, "--email", "anna@example.com")
        fresh.do("sync")
        check(fresh.shown("Camping") == here, "a new device shows the same")
        kept = [entry for entry in queue["rejected"] if "Who has the tent?" in json.dumps(entry)]
        said = [message["text"] for message in fresh.do("messages", "--list", "Camping")["messages"]]
        check("Who has the tent?" in said or bool(kept) or spoken.returncode != 0, "a message arrived, or is kept with the reason")
        message = "arrived" if "Who has the tent?" in said else "was refused and kept" if kept else "was refused at once"
        return f"{len(things)} items, 0 lost, 0 doubled; {'; '.join(refused) or 'it synced'}; its message {message}"
    finally:
        service.stop()


def vectors() -> str:
    """Every vector that was ever committed is folded as it says."""
    with tempfile.TemporaryDirectory() as directory:
        blobs: dict[str, str] = {}
        for commit in git("log", "--format=%H", "--", "Tests/Vectors").split():
            for line in git("ls-tree", "-r", commit, "Tests/Vectors").splitlines():
                blob, path = line.split()[2], line.split("\t")[1]
                # Those of lines and ingredients, in folders of their own, are no journals.
                if path.endswith(".json") and path.count("/") == 2:
                    blobs[blob] = f"{Path(path).stem}-{blob[:8]}.json"
        for blob, name in blobs.items():
            text = git("cat-file", "blob", blob)
            if newer := DISCARDS_AS.get(blob):
                text = json.dumps({**json.loads(text), "discarded": json.loads(git("cat-file", "blob", newer))["discarded"]})
            (Path(directory) / name).write_text(text)
        environment = {**os.environ, "TROLLEY_VECTORS": directory, "TROLLEY_TEST_BUILD": "1", "TROLLEY_TEST_WEAK_PASSWORDS": "true"}
        ran = subprocess.run(
            ["swift", "test", "--skip-build", "--traits", "SeededFaults", "--filter", "VectorTests.VectorTests"],
            cwd=ROOT, env=environment, capture_output=True, text=True)
        failed = [line for line in ran.stdout.splitlines() if "✘" in line]
        check(ran.returncode == 0 and not failed and f"vectors: {len(blobs)}" in ran.stdout,
              "vectors of every version fold alike:\n" + "\n".join(failed[-20:] or [ran.stderr[-2000:]]))
        return f"{len(blobs)} vectors of {git('rev-list', '--count', 'HEAD', '--', 'Tests/Vectors')} commits fold as they say"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="Reliability/run versions", description=__doc__.split("\n\n", 1)[1], formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--protocol", type=int, action="append", choices=sorted(PROTOCOLS))
    parser.add_argument("--changes", type=int, default=5000)
    parser.add_argument("--days", type=int, default=60)
    parser.add_argument("--vectors", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if options.write and (options.vectors or options.protocol):
        parser.error("--write writes the figures of all versions: leave --protocol and --vectors out")
    if options.changes < 40:
        parser.error("--changes is at least 40")
    binaries = ROOT / ".build/debug"
    new = {name: Path(os.environ.get(name.upper(), binaries / name)) for name in ("trolleyd", "trolley")}
    if not options.vectors:
        for program in new.values():
            if not program.exists():
                print(f"Reliability/run versions: {program} is not there: swift build", file=sys.stderr)
                return 64
    broken, rows = 0, []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    adopt_orphans()

    def attempt(what: str, scenario, *arguments) -> None:
        nonlocal broken
        scratch = Path(tempfile.mkdtemp(prefix="trolley-versions-"))
        # As root, PostgreSQL runs as another user, which needs access to its data.
        scratch.chmod(0o711)
        begin = time.monotonic()
        try:
            figures = scenario(*(scratch if each is Path else each for each in arguments))
            print(f"{what}: {figures} ({time.monotonic() - begin:.0f} s)", flush=True)
            rows.append(f"| {what} | {figures} |")
            shutil.rmtree(scratch, ignore_errors=True)
        except (Broken, subprocess.TimeoutExpired) as promise:
            broken += 1
            print(f"{what}: BROKEN: {promise}\n    files: {scratch}", flush=True)
        finally:
            end_descendants()

    for protocol in [] if options.vectors else options.protocol or sorted(PROTOCOLS, reverse=True):
        commit = git("rev-parse", "--verify", PROTOCOLS[protocol] + "^{commit}")
        old = {name: built(commit, name) for name in ("trolleyd", "trolley")}
        attempt(f"protocol {protocol}, months offline", drawer, old, new, Path, options.changes, options.days)
        attempt(f"protocol {protocol}, a service behind its devices", service_behind, old, new, Path)
    attempt("vectors", vectors)
    if options.write and not broken:
        write("versions", new["trolleyd"], "\n".join(["| | figures |", "|---|---|", *rows]))
    return 1 if broken else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as failure:
        print(f"Reliability/run versions: {' '.join(map(str, failure.cmd))} failed\n{failure.stderr or ''}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
