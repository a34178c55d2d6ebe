"""The service under attack."""

import json
import os
import subprocess
import tempfile
import threading
import time

MIB = 1 << 20


class Service:
    """A trolleyd for the attacks, and its memory over time."""

    def __init__(self, program, quotas):
        self.directory = tempfile.TemporaryDirectory(prefix="trolley-exhaust-")
        os.chmod(self.directory.name, 0o755)
        environment = {**os.environ, "TROLLEY_LOG_LEVEL": "error"}
        if not quotas:
            environment |= {"TROLLEY_BYTES_PER_LIST": "0", "TROLLEY_BYTES_PER_ACCOUNT": "0"}
        self.log = open(os.path.join(self.directory.name, "log"), "wb")
        self.process = subprocess.Popen(
            [program, "serve", "--host", "127.0.0.1", "--port", "0", "--json",
             "--data-directory", os.path.join(self.directory.name, "data")],
            stdout=subprocess.PIPE, stderr=self.log, env=environment)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{program} did not start; its log is {self.log.name}")
        self.port = int(json.loads(line)["address"].rsplit(":", 1)[1].rstrip("/"))
        self.samples = []
        self.watching = True
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        while self.watching:
            self.samples.append((time.monotonic(), self.memory))
            time.sleep(0.05)

    @property
    def memory(self):
        """MiB of memory that the process has."""
        try:
            with open(f"/proc/{self.process.pid}/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / MIB
        except (OSError, ValueError, IndexError):
            return 0

    @property
    def processor(self):
        """Seconds of processor time that the process has taken, without its PostgreSQL."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak(self, since):
        return max((memory for at, memory in self.samples if at >= since), default=0)

    @property
    def errors(self):
        """Lines that the service has written: at its level, each says that something is wrong."""
        self.log.flush()
        with open(self.log.name, "rb") as file:
            return sum(1 for _ in file)

    def stop(self):
        self.watching = False
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.directory.cleanup()
