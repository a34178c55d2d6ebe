"""A bare Debian 12 that boots its own systemd, in a container of systemd-nspawn, on this machine's network."""
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

BASE = pathlib.Path(".build-tools/debian-12.tar")
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}


class Failure(Exception):
    """A command that failed, with what it said."""


def make_base():
    """The smallest Debian with systemd, as a file for later runs."""
    if BASE.exists():
        return
    BASE.parent.mkdir(exist_ok=True)
    subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", "--include=systemd-sysv,dbus", "bookworm", f"{BASE}.new.tar"], check=True)
    os.rename(f"{BASE}.new.tar", BASE)


class Machine:
    def __init__(self, packages):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="trolley-debian-"))
        subprocess.run(["tar", "--extract", "--numeric-owner", "--file", BASE, "--directory", self.root], check=True)
        self.root.chmod(0o755)
        (self.root / "packages").mkdir()
        for package in packages:
            shutil.copy(package, self.root / "packages")
        self.log = open(self.root.with_suffix(".log"), "w")
        # In a namespace of processes, so that none of them outlives this program.
        self.process = subprocess.Popen(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "systemd-nspawn", "--register=no", "--keep-unit",
             "--quiet", "--boot", "--machine=trolley-debian", "--resolv-conf=replace-host", f"--directory={self.root}"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        self.leader = self.wait(self._leader, 60)
        self.wait(lambda: self.run("systemctl is-system-running || true").strip() in ("running", "degraded"), 120)

    def wait(self, condition, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                found = condition()
                if found:
                    return found
            except (Failure, OSError):
                pass
            if self.process.poll() is not None:
                break
            time.sleep(0.3)
        raise Failure(f"not within {seconds} s; the machine's log is {self.log.name}")

    def _leader(self):
        """The process that is the machine's first: a descendant of ours that is number 1 in a namespace below ours."""
        parents = {}
        for status in pathlib.Path("/proc").glob("[0-9]*/status"):
            try:
                fields = dict(line.split(":\t", 1) for line in status.read_text().splitlines() if ":\t" in line)
            except OSError:
                continue
            parents[int(fields["Pid"])] = (int(fields["PPid"]), fields["Name"], fields["NSpid"].split())
        for process, (parent, name, numbers) in parents.items():
            if name == "systemd" and numbers[-1] == "1":
                while parent in parents:
                    if parent == self.process.pid:
                        return process
                    parent = parents[parent][0]
        return None

    def run(self, command, user=None, check=True, environment=None):
        """Runs a command of the shell in the machine. Answers what it prints; with `check=False` also its exit code."""
        words = ["runuser", "--user", user, "--", "sh", "-c", command] if user else ["sh", "-c", command]
        given = {**ENVIRONMENT, **({"HOME": f"/home/{user}"} if user else {}), **(environment or {})}
        result = subprocess.run(
            ["nsenter", f"--target={self.leader}", "--mount", "--uts", "--ipc", "--pid", "--", *words],
            env=given, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd="/")
        if not check:
            return result.returncode, result.stdout
        if result.returncode != 0:
            raise Failure(f"{command}\nexit {result.returncode}: {result.stdout[-3000:]}")
        return result.stdout

    def start(self, command, user):
        """Starts a command in the background, which ends with the machine or by `kill`."""
        return subprocess.Popen(
            ["nsenter", f"--target={self.leader}", "--mount", "--uts", "--ipc", "--pid", "--", "runuser", "--user", user, "--", "sh", "-c",
             f"exec {command}"], env={**ENVIRONMENT, "HOME": f"/home/{user}"}, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()
        shutil.rmtree(self.root, ignore_errors=True)
