"""Reliability/run upgrade [--from COMMIT] [--minutes N] [--seed N] [--rate N] [--write]

Upgrades a service while it runs, and takes the upgrade back: two processes of an earlier version serve one database, then one of
each, then two of this version, then the same backwards. Meanwhile the judge's clients work, its faults happen, and it judges
whether every promise was kept (docs/reliability.md).

--from   the earlier version (default: the last commit without this version's newest migration)
--write  writes the figures into docs/reliability.md, if no promise was broken

Builds the earlier version once, in .build-tools/versions, which takes about ten minutes. The rest of the options are the judge's.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Reliability"))
from earlier import built, git


def before_newest_migration() -> str:
    """The last commit on this branch that lacks the newest migration that has been committed."""
    newest = max(path for path in git("ls-files", "migrations").split() if re.search(r"/\d{4}-", path))
    added = git("log", "--diff-filter=A", "--format=%H", "-1", "--", newest)
    return git("rev-parse", f"{added}^")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="Reliability/run upgrade", description=__doc__.split("\n\n", 1)[1], formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="commit", help="the earlier version")
    parser.add_argument("--minutes", default="3")
    options, others = parser.parse_known_args()
    try:
        commit = git("rev-parse", "--verify", f"{options.commit}^{{commit}}") if options.commit else before_newest_migration()
    except subprocess.CalledProcessError:
        print(f"Reliability/run upgrade: git knows no commit {options.commit}", file=sys.stderr)
        return 64
    program = built(commit)
    print(f"From {git('log', '-1', '--format=%h %s', commit)}", flush=True)
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, str(ROOT / "Reliability/judge"), "--before", str(program), "--minutes", options.minutes, *others],
        env=environment).returncode


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as failure:
        print(f"Reliability/run upgrade: {' '.join(map(str, failure.cmd))} failed", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
