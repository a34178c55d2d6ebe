"""The figures of the last run in docs/reliability.md, each between two marks that name its run. The text around them is people's."""

import datetime
import os
import subprocess
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_PAGE = _ROOT / "docs/reliability.md"


def write(run: str, program: Path | None, figures: str, what: str = "") -> None:
    """Replaces the run's figures.
    - program: of Trolley, if the run used one that says its version.
    - what: more about the circumstances, such as the run's options."""
    begin, end = f"<!-- Reliability/run {run} --write -->", f"<!-- end of {run} -->"
    before, begin_found, rest = _PAGE.read_text().partition(begin)
    _, end_found, after = rest.partition(end)
    if not begin_found or not end_found:
        raise SystemExit(f"{_PAGE} has no place for '{run}': {begin} … {end}")
    _PAGE.write_text(f"{before}{begin}\n{_circumstances(program, what)}\n\n{figures.strip()}\n{end}{after}")


def _circumstances(program: Path | None, what: str) -> str:
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=_ROOT, capture_output=True, text=True).stdout.strip()
    of = ""
    if program:
        version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout.strip()
        of = f"{'a release build' if 'release' in str(program) else 'a debug build'} of {version}, "
    return (f"On {datetime.date.today()}, {of}the tree at {commit}, {os.cpu_count()} processors, load "
            f"{os.getloadavg()[2]:.0f}{f', {what}' if what else ''}:")
