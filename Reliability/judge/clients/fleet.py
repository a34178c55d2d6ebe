"""The clients of one round: plain devices in processes of their own, and real ones."""

import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from system.processes import Failed, end, send

_HERE = Path(__file__).resolve().parents[1]
# Shorter than most faults: a request that a cable holds arrives after its client has sent it again.
_TIMEOUT = 2.0


class PlainClient:
    """The judge's end of a worker."""

    def __init__(self, name: str, directory: Path, options: dict) -> None:
        self.name, self.log = name, directory / f"{name}.log"
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(_HERE)!r}); from clients.worker import main; main()",
                 json.dumps({"name": name, "history": str(directory / f"{name}.jsonl"), "timeout": _TIMEOUT, **options})],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True)
        self.waiting, self.healed, self.number = 0, 0, 0
        self.emptied: float | None = None
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in self.process.stdout:
            said = json.loads(line)
            self.waiting, self.healed = said["waiting"], said["healed"]
            if self.number and self.waiting == 0 and self.emptied is None:
                self.emptied = time.monotonic()

    @property
    def has_everything(self) -> bool:
        """Since the last `heal`."""
        return self.healed == self.number

    def _tell(self, **command: str | int) -> None:
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()

    def heal(self) -> None:
        """Makes no more changes; fetches everything that there is now."""
        self.number += 1
        self._tell(do="heal", number=self.number)

    def join(self, list_id: str, secret: str) -> None:
        self._tell(do="join", list=list_id, secret=secret)

    def signal(self, number: int) -> bool:
        return send(number, self.process.pid)

    def check(self) -> None:
        """Raises the error of a worker that has ended by itself."""
        if self.process.poll() is not None:
            raise Failed(f"{self.name} has ended ({self.process.returncode}): {self.log.read_text()[-3000:]}")

    def stop(self) -> None:
        send(signal.SIGCONT, self.process.pid)
        try:
            self._tell(do="finish")
            self.process.wait(_TIMEOUT * 10)
        except (OSError, subprocess.TimeoutExpired):
            pass
        end(self.process, seconds=5)
