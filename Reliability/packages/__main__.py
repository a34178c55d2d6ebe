"""Reliability/run packages [--packages DIRECTORY] [--previous FILE]

Tries what script/package has made as people use it, in a bare Debian 12 (no Swift, no compiler) with its own systemd: install, the
service with the web app, a list between two devices, backup, upgrade, refused downgrade, remove, purge; and the tarball as a user
without root; and an image from the package. Prints a line a step, and exits with 1 when one failed.

--packages   where the packages are (default: .build/packages)
--previous   the package to upgrade from (default: the same program as version 0.0.1)

Needs root, systemd-nspawn, mmdebstrap, lintian, buildah, a network for Debian's packages, and the free ports 8080 and 8090. The first time it makes
the Debian, which takes a minute.
"""
import argparse
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import machine
from machine import Failure, Machine

ROOT = pathlib.Path(__file__).resolve().parents[2]


def check(condition, message):
    if not condition:
        raise Failure(message)


def get(path, port=8080, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def answers(port=8080):
    return get("/healthz", port)[0].status == 200


def repacked(package, version, directory):
    """The same package with another version."""
    root = pathlib.Path(directory, "previous")
    subprocess.run(["dpkg-deb", "--raw-extract", package, root], check=True)
    own = re.search(r"^Version: (.*)$", (root / "DEBIAN/control").read_text(), re.MULTILINE)[1]
    for name in ("control", "preinst"):
        file = root / "DEBIAN" / name
        file.write_text(file.read_text().replace(own, version))
    result = pathlib.Path(directory, f"trolley_{version}_previous.deb")
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zgzip", "--build", root, result], check=True, stdout=subprocess.DEVNULL)
    return result


class Walk:
    def __init__(self, host, deb, previous, tarball):
        self.host, self.deb, self.previous, self.tarball = host, f"/packages/{deb.name}", f"/packages/{previous.name}", tarball

    def install(self, package, *options):
        return self.host.run(f"apt-get install --yes {' '.join(options)} {package}")

    def version(self):
        return self.host.run("dpkg-query --show --showformat='${Version}' trolley")

    def page(self, port=8080):
        answer, body = get("/", port)
        check(answer.status == 200 and b"<title>" in body, f"the page answers {answer.status}")
        check("script-src 'self'" in answer.headers["content-security-policy"], "the page has no policy")
        path = re.search(rb"/?(app/[0-9a-f]{16})/main.js", body)[1].decode()
        answer, body = get(f"/{path}/trolley.wasm", port, Accept_Encoding="br")
        check(answer.status == 200 and answer.headers["content-encoding"] == "br", "the module has no compressed form")
        check("immutable" in answer.headers["cache-control"], "the module isn't cached")
        return len(body)

    def devices(self, port, user, trolley="trolley"):
        """A list between two devices of two people, and what both show."""
        first, second = [{"TROLLEY_HOME": f"/home/{user}/{name}", "TROLLEY_PASSWORD": "correct horse"} for name in ("one", "two")]

        def run(environment, words):
            return self.host.run(f"{trolley} {words}", user=user, environment=environment)

        for environment, name in ((first, "alice"), (second, "bob")):
            run(environment, f"sign-up http://127.0.0.1:{port} --email {name}@example.com --name {name.title()}")
        run(first, "new 'Weekly shop'")
        run(first, "add milk bread eggs")
        link = re.search(r"http://\S+?/join#[A-Za-z0-9_-]+", run(first, "invite bob@example.com"))[0]
        run(second, f"join '{link}'")
        run(second, "off milk")
        return self.shown(user, trolley)

    def shown(self, user, trolley="trolley"):
        shown = []
        for name in ("one", "two"):
            environment = {"TROLLEY_HOME": f"/home/{user}/{name}"}
            self.host.run(f"{trolley} sync", user=user, environment=environment)
            document = json.loads(self.host.run(f"{trolley} show --json", user=user, environment=environment))
            shown.append(sorted((item["text"], bool(item.get("markedOff"))) for item in document["items"]))
        check(shown[0] == shown[1] and len(shown[0]) >= 2, f"the devices show different lists: {shown}")
        return shown[0]

    # The steps, in order.

    def step_bare(self):
        "the Debian has no Swift, no compiler, no PostgreSQL and no Trolley"
        code, found = self.host.run("command -v swift gcc cc clang psql trolleyd", check=False)
        check(not found, f"it has {found}")
        self.host.run("useradd --create-home anna && useradd --create-home carol")
        self.host.run("apt-get update")

    def step_install(self):
        "apt install, to the page with the web app"
        began = time.monotonic()
        self.install(self.previous)
        installed = time.monotonic() - began
        self.host.wait(answers, 90)
        size = self.page()
        return f"apt {installed:.0f} s, the page after {time.monotonic() - began:.0f} s; the module has {size:,} bytes"

    def step_units(self):
        "the units run, enabled, and are hardened"
        for unit in ("trolleyd.service", "trolley-backup.timer"):
            check(self.host.run(f"systemctl is-enabled {unit}; systemctl is-active {unit}").split() == ["enabled", "active"], f"{unit} isn't")
        levels = []
        for unit in ("trolleyd", "trolley-backup", "trolley-compress"):
            output = self.host.run(f"systemd-analyze security --no-pager {unit}.service")
            levels.append(float(re.search(r"exposure level for .*: ([0-9.]+)", output)[1]))
        check(max(levels) <= 2.0, f"systemd-analyze security: {levels}")
        user = self.host.run("ps -o user= -C trolleyd 2>/dev/null || stat -c %U /proc/$(systemctl show -P MainPID trolleyd)").split()[0]
        check(user == "trolley", f"trolleyd runs as {user}")
        check(self.host.run("stat -c '%U %a' /var/lib/trolley /var/backups/trolley").split() == ["trolley", "700"] * 2, "modes")
        return f"systemd-analyze security: {levels}"

    def step_doctor(self):
        "doctor finds nothing wrong"
        output = self.host.run("trolleyd doctor --data-directory /var/lib/trolley", user="trolley")
        check("failed" not in output and "served at /, from the program" in output, output)

    def step_devices(self):
        "a list between two devices"
        return f"{self.devices(8080, 'anna')}"

    def step_manuals(self):
        "manual pages and completions are there"
        for file in ("man8/trolleyd.8.gz", "man8/trolleyd-serve.8.gz", "man1/trolley.1.gz", "man1/trolley-add.1.gz"):
            check(".Dt" in self.host.run(f"zcat /usr/share/man/{file}"), file)
        self.host.run("bash -n /usr/share/bash-completion/completions/trolley && test -s /usr/share/zsh/vendor-completions/_trolley")

    def step_backup(self):
        "the backup's unit writes a backup"
        self.host.run("systemctl start trolley-backup.service")
        return self.host.run("cd /var/backups/trolley && ls -s --block-size=1").strip().splitlines()[-1]

    def step_upgrade(self):
        "apt upgrades, keeps the settings and the lists, and restarts the service"
        self.host.run("echo TROLLEY_REGISTRATION=closed >>/etc/trolley/trolleyd.env")
        before = (self.version(), self.host.run("systemctl show -P MainPID trolleyd").strip())
        began = time.monotonic()
        self.install(self.deb)
        self.host.wait(answers, 60)
        seconds = time.monotonic() - began
        check(self.host.run("systemctl show -P MainPID trolleyd").strip() != before[1], "the service was not restarted")
        check("TROLLEY_REGISTRATION=closed" in self.host.run("cat /etc/trolley/trolleyd.env"), "the settings are lost")
        self.shown("anna")
        self.page()
        return f"{before[0]} to {self.version()} in {seconds:.0f} s"

    def step_downgrade(self):
        "a downgrade is refused with a sentence, and the service runs on"
        before = (self.version(), self.host.run("systemctl show -P MainPID trolleyd").strip())
        code, output = self.host.run(f"apt-get install --yes --allow-downgrades {self.previous}", check=False)
        check(code != 0 and "migrations" in output and "TROLLEY_DOWNGRADE" in output, output[-1500:])
        check((self.version(), self.host.run("systemctl show -P MainPID trolleyd").strip()) == before, "something changed")
        check(self.host.run("dpkg --audit").strip() == "", "dpkg is left unfinished")
        check(answers(), "the service doesn't answer")
        return next(line for line in output.splitlines() if "replace the newer" in line).strip()

    def step_remove(self):
        "remove stops the service and keeps the lists; another install goes on with them"
        output = self.host.run("apt-get remove --yes trolley")
        check("The lists stay in /var/lib/trolley" in output, output[-800:])
        check(self.host.run("systemctl is-active trolleyd || true").strip() != "active", "the service still runs")
        check(self.host.run("ls /var/lib/trolley").strip() != "", "the lists are gone")
        self.install(self.deb)
        self.host.wait(answers, 60)
        self.shown("anna")

    def step_purge(self):
        "purge keeps the lists and says where they are, unless the question is answered with yes"
        output = self.host.run("apt-get purge --yes trolley")
        check("delete them yourself" in output, output[-800:])
        check(self.host.run("ls -A /var/lib/trolley").strip() != "" and not self.host.run("ls /etc | grep trolley || true"), "purge")
        self.install(self.deb)
        self.host.wait(answers, 60)
        self.shown("anna")
        self.host.run("echo 'trolley trolley/purge-data boolean true' | debconf-set-selections")
        output = self.host.run("apt-get purge --yes trolley")
        check("The lists and their backups are deleted" in output, output[-800:])
        left = self.host.run("ls -d /var/lib/trolley /var/backups/trolley /etc/trolley 2>/dev/null; getent passwd trolley || true")
        check(not left.strip(), f"left behind: {left}")
        changed = self.host.run("find / -xdev -name '*trolley*' -not -path '/packages*' -not -path '/home/*' -not -path '/tmp/*' "
                                "-not -path '/var/log/*' -not -path '/proc/*' -not -path '/sys/*' | head")
        check(not changed.strip(), f"left behind: {changed}")

    def step_tarball(self):
        "the tarball, as a user without root"
        name = self.tarball.name.removesuffix(".tar.gz")
        self.host.run(f"cd && tar -xzf /packages/{self.tarball.name} && cd {name} && ./install.sh", user="carol")
        server = self.host.start("/home/carol/.local/bin/trolleyd serve --port 8090", "carol")
        try:
            self.host.wait(lambda: answers(8090), 60)
            self.page(8090)
            shown = self.devices(8090, "carol", "/home/carol/.local/bin/trolley")
        finally:
            # The Debian has no pkill.
            self.host.run("for process in /proc/[0-9]*; do if [ \"$(readlink $process/exe)\" = /home/carol/.local/bin/trolleyd ]; "
                          "then kill ${process#/proc/}; fi; done")
            server.wait(60)
        # Over a running version, and away again.
        self.host.run(f"cd && cd {name} && ./install.sh && ./install.sh --uninstall", user="carol")
        left = self.host.run("find /home/carol/.local /home/carol/.config -type f -not -path '*/share/trolley/*'", user="carol")
        check(not left.strip(), f"left behind: {left}")
        check("postgres" in self.host.run("ls /home/carol/.local/share/trolley"), "the lists are gone")
        return f"{shown}"

    def step_image(self):
        "an image from the package by buildah, on a PostgreSQL that runs elsewhere"
        self.host.run("""runuser --user postgres -- psql --quiet --command "CREATE ROLE trolley LOGIN PASSWORD 'trolley'" """
                      """--command 'CREATE DATABASE trolley OWNER trolley'""")
        port = self.host.run("runuser --user postgres -- psql --quiet --tuples-only --no-align --command 'SHOW port'").strip()
        with tempfile.TemporaryDirectory(prefix="trolley-image-") as work:
            store = ["buildah", f"--root={work}/store", f"--runroot={work}/run", "--storage-driver=vfs"]

            def buildah(*words):
                result = subprocess.run([*store, *words], capture_output=True, text=True)
                check(result.returncode == 0, f"buildah {words[0]}: {result.stdout[-1500:]}{result.stderr[-1500:]}")
                return result.stdout.strip()

            # No registry is needed: the base is the Debian of this run.
            (pathlib.Path(work) / "base").mkdir()
            shutil.copy(machine.BASE, f"{work}/base/debian.tar")
            (pathlib.Path(work) / "base/Dockerfile").write_text("FROM scratch\nADD debian.tar /\n")
            buildah("bud", "--isolation=chroot", "--tag=debian", f"{work}/base")
            (pathlib.Path(work) / "context").mkdir()
            shutil.copy(self.host.root / self.deb[1:], f"{work}/context")
            buildah("bud", "--isolation=chroot", "--build-arg=DEBIAN_IMAGE=localhost/debian", "--pull-never", "--tag=trolley",
                    f"--file={ROOT}/deploy/package/Dockerfile", f"{work}/context")
            container = buildah("from", "--pull-never", "localhost/trolley")
            log = open(f"{work}/log", "w+")
            server = subprocess.Popen(
                [*store, "run", "--isolation=chroot", f"--env=TROLLEY_DATABASE_URL=postgresql://trolley:trolley@127.0.0.1:{port}/trolley",
                 "--env=TROLLEY_PORT=8090", container, "--", "trolleyd", "serve"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
            try:
                try:
                    self.host.wait(lambda: answers(8090), 60)
                except Failure as failure:
                    log.seek(0)
                    raise Failure(f"{failure}; the container said: {log.read()[-2000:]}") from None
                self.page(8090)
                self.host.run("apt-get install --yes " + self.deb)
                self.host.run("useradd --create-home dora")
                return f"{self.devices(8090, 'dora')}"
            finally:
                os.killpg(server.pid, signal.SIGTERM)
                server.wait(60)
                log.close()


def main():
    parser = argparse.ArgumentParser(prog="Reliability/run packages", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--packages", type=pathlib.Path, default=ROOT / ".build/packages")
    parser.add_argument("--previous", type=pathlib.Path)
    given = parser.parse_args()
    os.chdir(ROOT)
    if os.geteuid() != 0:
        raise SystemExit("Reliability/run packages: needs root, for systemd-nspawn")
    debs, tarballs = sorted(given.packages.glob("*.deb")), sorted(given.packages.glob("*.tar.gz"))
    if len(debs) != 1 or len(tarballs) != 1:
        raise SystemExit(f"Reliability/run packages: {given.packages} has {len(debs)} packages and {len(tarballs)} tarballs, not one; run script/package")
    for port in (8080, 8090):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                raise SystemExit(f"Reliability/run packages: port {port} is in use here") from None
    subprocess.run([ROOT / "Reliability/install", "systemd-nspawn=systemd-container", "mmdebstrap=mmdebstrap", "lintian=lintian", "buildah=buildah"], check=True)
    machine.make_base()

    lint = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", debs[0]], capture_output=True, text=True)
    print(f"{'ok' if lint.returncode == 0 else 'FAILED':8}lintian finds nothing unexplained\n{lint.stdout}", end="", flush=True)
    failed = lint.returncode != 0
    with tempfile.TemporaryDirectory() as work:
        previous = given.previous or repacked(debs[0], "0.0.1", work)
        host = Machine([debs[0], previous, tarballs[0]])
        try:
            walk = Walk(host, debs[0], previous, tarballs[0])
            for name in [name for name in vars(Walk) if name.startswith("step_")]:
                step = getattr(walk, name)
                began = time.monotonic()
                try:
                    note = step()
                except Exception as error:
                    print(f"FAILED  {step.__doc__}: {error}", flush=True)
                    print(host.run("journalctl --no-pager --lines=30 --unit=trolleyd 2>&1 || true"))
                    failed = True
                    break
                print(f"{'ok':8}{step.__doc__} ({time.monotonic() - began:.0f} s){f': {note}' if note else ''}", flush=True)
        finally:
            host.stop()
    sys.exit(1 if failed else 0)


main()
