"""Reliability/run versions [--protocol N ...] [--changes N] [--vectors]

Programs of every protocol version that has landed, beside those of this one. For each of them:

- A device of that version makes 5,000 changes offline, while the service and everybody else are upgraded and use what is newer, and
  the journals are compressed with all their trail, as after months. It syncs, is upgraded, syncs, goes back to its old program, and up
  again.
- A device of this version uses a service of that one, which is upgraded then.
- The database and the devices' files that the old programs wrote are read by the new ones in both.

Then every vector (Tests/Vectors) that was ever committed is folded by this version.

Builds each earlier version once, below .build-tools/versions: ten minutes for each program. It uses the last build of trolleyd,
trolley and the tests, or the programs that TROLLEYD and TROLLEY name.

--protocol   only these earlier versions
--changes    how many changes are made offline (default: 5,000)
--vectors    only the vectors
"""

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Reliability"), str(ROOT / "Reliability/judge")]
from earlier import built, git
from system.processes import adopt_orphans, end, end_descendants

# The last commit of each earlier protocol version (docs/protocol.md, 'Versions').
PROTOCOLS = {
    1: "34df2691c9f3b57a748e8df1b8b750a5612a5309",
    2: "831c0034",
}


class Broken(Exception):
    """A promise that wasn't kept."""


def check(holds: bool, promise: str) -> None:
    if not holds:
        raise Broken(promise)


class Service:
    """One database; the program that serves it is replaced."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process: subprocess.Popen[str] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, program: Path) -> None:
        with open(self.directory.parent / "trolleyd.log", "a") as log:
            self.process = subprocess.Popen(
                [program, "serve", "--port", str(self.port), "--json", "--data-directory", self.directory, "--log-level", "error"],
                stdout=subprocess.PIPE, stderr=log, text=True)
        said = self.process.stdout.readline()
        check('"address"' in said, f"{program} serves the database ({self.directory.parent}/trolleyd.log)")

    def stop(self) -> None:
        if self.process:
            end(self.process, 60)
            self.process = None

    def compress(self, program: Path) -> int:
        ran = subprocess.run(
            [program, "compress", "--older-than", "1s", "--trail", "1s", "--data-directory", self.directory, "--json"],
            check=True, capture_output=True, text=True)
        return json.loads(ran.stdout)["discarded"]


class Device:
    """A device's files; the program that uses them is replaced."""

    def __init__(self, home: Path, program: Path) -> None:
        self.home, self.program = home, program

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "TROLLEY_HOME": str(self.home), "TROLLEY_PASSWORD": "correct horse battery", "LC_ALL": "C"}
        return subprocess.run([self.program, *words], env=environment, capture_output=True, text=True, timeout=600)

    def do(self, *words: str) -> dict:
        """A command that must succeed, and its answer."""
        ran = self.run(*words, "--json")
        check(ran.returncode == 0, f"{self.program} {' '.join(words)[:80]} succeeds, but: {ran.stderr.strip()}{ran.stdout[-400:]}")
        return json.loads(ran.stdout) if ran.stdout.strip() else {}

    def shown(self, name: str) -> list[tuple[str, str, bool]]:
        """What a list shows, in order: id, text and whether it is marked off."""
        items = self.do("show", "--list", name)["items"]
        return [(item["id"], item["text"], item["markedOff"]) for item in items]

    def is_settled(self) -> bool:
        queue = self.do("queue")
        return queue["waiting"] == 0 and not queue["rejected"]


def drawer(old: dict[str, Path], new: dict[str, Path], scratch: Path, changes: int) -> str:
    """A device of an earlier version, offline for as long as its journal is kept."""
    service = Service(scratch / "data")
    anna, ben = Device(scratch / "anna", old["trolley"]), Device(scratch / "ben", old["trolley"])
    try:
        service.start(old["trolleyd"])
        shared = [f"shared {number}" for number in range(500)]
        (scratch / "shared").write_text("\n".join(shared))
        anna.do("sign-up", service.address, "--email", "anna@example.com", "--name", "Anna")
        anna.do("new", "Weekly shop")
        anna.do("add", "--file", str(scratch / "shared"))
        link = anna.do("invite", "ben@example.com")["link"]
        ben.do("sign-up", service.address, "--email", "ben@example.com", "--name", "Ben")
        ben.do("join", link)
        check(len(ben.shown("Weekly shop")) == 500, "two devices of the earlier version are in step")
        service.stop()

        # Months without a connection.
        adds, each = changes // 2, changes // 20
        own = [f"own {number}" for number in range(adds)]
        for part in range(5):
            (scratch / "own").write_text("\n".join(own[part * adds // 5:(part + 1) * adds // 5]))
            anna.do("add", "--file", str(scratch / "own"))
        deleted, off = own[:each * 5], own[each * 5:each * 9]
        for part in range(0, len(deleted), 100):
            anna.do("delete", *deleted[part:part + 100])
        for part in range(0, len(off), 100):
            anna.do("off", *off[part:part + 100])
        anna.do("off", *shared[:each])
        waiting = anna.do("queue")["waiting"]

        # Everybody else goes on with this version.
        service.start(new["trolleyd"])
        ben.program = new["trolley"]
        check(len(ben.shown("Weekly shop")) == 500, "this version reads the device's file of the earlier one")
        ben.do("add", "champagne", "2 l milk")
        ben.do("say", "I bring the cake")
        ben.do("react", "I bring the cake", "👍")
        ben.do("delete", *shared[400:450])
        ben.do("off", *shared[450:500])
        ben.do("shops", "--add", "Corner shop")
        discarded = service.compress(new["trolleyd"])
        check(discarded > 0, "journals were compressed meanwhile")

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
        said = [message["text"] for message in anna.do("messages")["messages"]]
        check("I bring the cake" in said, "messages, which the earlier version didn't know, are there after the update")

        # Down, and up again.
        anna.program = old["trolley"]
        down = anna.run("show")
        check(down.returncode == 0 or bool(down.stderr.strip()), "a program that can't read a newer file says so")
        anna.program = new["trolley"]
        check(anna.shown("Weekly shop") == here and anna.is_settled(), "going back to the earlier program and up again changes nothing")
        fresh = Device(scratch / "fresh", new["trolley"])
        fresh.do("sign-in", service.address, "--email", "anna@example.com")
        fresh.do("sync")
        check(fresh.shown("Weekly shop") == here, "a new device shows the same")
        first = "synced" if met.returncode == 0 else "was told to update"
        back = "was read by it" if down.returncode == 0 else f"was refused by it ({down.stderr.strip().splitlines()[0]})"
        return f"{waiting:,} entries waited, {discarded:,} were compressed meanwhile; the old program {first}; the newer file {back}"
    finally:
        service.stop()


def service_behind(old: dict[str, Path], new: dict[str, Path], scratch: Path) -> str:
    """A device of this version, and a service that is upgraded only later."""
    service = Service(scratch / "data")
    anna = Device(scratch / "anna", new["trolley"])
    try:
        service.start(old["trolleyd"])
        signed_up = anna.run("sign-up", service.address, "--email", "anna@example.com", "--name", "Anna")
        check(signed_up.returncode == 0 or bool(signed_up.stderr.strip()), "signing up at an earlier service works, or says why not")
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
        fresh = Device(scratch / "fresh", new["trolley"])
        fresh.do("sign-in", service.address, "--email", "anna@example.com")
        fresh.do("sync")
        check(fresh.shown("Camping") == here, "a new device shows the same")
        kept = [entry for entry in queue["rejected"] if "Who has the tent?" in json.dumps(entry)]
        said = [message["text"] for message in fresh.do("messages", "--list", "Camping")["messages"]]
        check("Who has the tent?" in said or bool(kept) or spoken.returncode != 0, "a message arrived, or is kept with the reason")
        message = "arrived" if "Who has the tent?" in said else "was refused and kept" if kept else "was refused at once"
        return f"{'; '.join(refused) or 'it synced'}; its message {message}"
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
            (Path(directory) / name).write_text(git("cat-file", "blob", blob))
        environment = {**os.environ, "TROLLEY_VECTORS": directory, "TROLLEY_TEST_BUILD": "1", "TROLLEY_TEST_WEAK_PASSWORDS": "true"}
        ran = subprocess.run(
            ["swift", "test", "--skip-build", "--traits", "SeededFaults", "--filter", "VectorTests.VectorTests"],
            cwd=ROOT, env=environment, capture_output=True, text=True)
        failed = [line for line in ran.stdout.splitlines() if line.startswith("✘")]
        check(ran.returncode == 0 and not failed and f"vectors: {len(blobs)}" in ran.stdout,
              "vectors of every version fold alike:\n" + "\n".join(failed[-20:] or [ran.stderr[-2000:]]))
        return f"{len(blobs)} vectors of {git('rev-list', '--count', 'HEAD', '--', 'Tests/Vectors')} commits fold as they say"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="Reliability/run versions", description=__doc__.split("\n\n", 1)[1], formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--protocol", type=int, action="append", choices=sorted(PROTOCOLS))
    parser.add_argument("--changes", type=int, default=5000)
    parser.add_argument("--vectors", action="store_true")
    options = parser.parse_args()
    if options.changes < 40:
        parser.error("--changes is at least 40")
    binaries = ROOT / ".build/debug"
    new = {name: Path(os.environ.get(name.upper(), binaries / name)) for name in ("trolleyd", "trolley")}
    if not options.vectors:
        for program in new.values():
            if not program.exists():
                print(f"Reliability/run versions: {program} is not there: swift build", file=sys.stderr)
                return 64
    broken = 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    adopt_orphans()

    def attempt(what: str, scenario, *arguments) -> None:
        nonlocal broken
        scratch = Path(tempfile.mkdtemp(prefix="trolley-versions-"))
        # As root, PostgreSQL runs as another user, which needs access to its data.
        scratch.chmod(0o711)
        begin = time.monotonic()
        try:
            print(f"{what}: {scenario(*(scratch if each is Path else each for each in arguments))}"
                  f" ({time.monotonic() - begin:.0f} s)", flush=True)
            shutil.rmtree(scratch, ignore_errors=True)
        except (Broken, subprocess.TimeoutExpired) as promise:
            broken += 1
            print(f"{what}: BROKEN: {promise}\n    files: {scratch}", flush=True)
        finally:
            end_descendants()

    for protocol in [] if options.vectors else options.protocol or sorted(PROTOCOLS, reverse=True):
        commit = git("rev-parse", "--verify", PROTOCOLS[protocol] + "^{commit}")
        old = {name: built(commit, name) for name in ("trolleyd", "trolley")}
        attempt(f"protocol {protocol}, months offline", drawer, old, new, Path, options.changes)
        attempt(f"protocol {protocol}, a service behind its devices", service_behind, old, new, Path)
    attempt("vectors", vectors)
    return 1 if broken else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as failure:
        print(f"Reliability/run versions: {' '.join(map(str, failure.cmd))} failed\n{failure.stderr or ''}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
