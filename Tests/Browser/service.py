"""A trolleyd with its own PostgreSQL and the web app, a cable to it that can be cut, and a `trolley` device."""

import http.client
import json
import os
import pathlib
import random
import select
import shutil
import socket
import subprocess
import tempfile
import threading
import time

from cache import Answer, Request

ROOT = pathlib.Path(__file__).resolve().parents[2]
TROLLEYD = os.environ.get("TROLLEY_TEST_TROLLEYD", str(ROOT / ".build/debug/trolleyd"))
TROLLEY = os.environ.get("TROLLEY_TEST_TROLLEY", str(ROOT / ".build/debug/trolley"))
SITE = ROOT / ".build/web"
# Whether all sizes, looks and languages are tried; otherwise some of each (Reliability/run screens).
ALL = os.environ.get("TROLLEY_ALL") == "1" or os.environ.get("TROLLEY_SCREENSHOTS") == "1"
# Of the page, English first.
LANGUAGES = ["en", *sorted(path.stem for path in (ROOT / "web/app/text").glob("??.js") if path.stem != "en")]
STREAMS = ("/v1/events", "/v1/socket")


def texts_in(language):
    """All of the page's texts in a language, as their files have them."""
    return "".join(path.read_text() for path in sorted((ROOT / "web/app/text").glob(f"*{language}.js")))


def is_readable(descriptor, seconds):
    """Waits for something to read. select(2) knows no descriptor above 1023, and a run of all tests has such."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def free_port():
    """A port for a service that is stopped and started again. Meanwhile, the system gives none of these to other sockets, as it
    does with a port that it has chosen itself."""
    while True:
        port = random.randrange(10_000, 30_000)
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass


def until(condition, what, seconds=60):
    """Waits for a condition, and answers its value. `what` is waited for: a text, or what makes it when the time is over. Only a
    fault reaches the limit, also on a busy machine."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"never within {seconds} s: {what() if callable(what) else what}")
        time.sleep(0.02)


class Service:
    def __init__(self, *arguments):
        self.arguments = arguments
        self.directory = tempfile.mkdtemp(prefix="trolley-browser-")
        # As root, PostgreSQL runs as another user, which needs access to its data.
        os.chmod(self.directory, 0o711)
        # A copy, so that a test can update it.
        self.site = pathlib.Path(self.directory) / "web"
        shutil.copytree(SITE, self.site)
        os.chmod(self.site, 0o755)
        self.port = free_port()
        self.process = None
        self.start()

    def start(self):
        log = open(os.path.join(self.directory, "log"), "ab")
        self.process = subprocess.Popen(
            [TROLLEYD, "serve", "--port", str(self.port), "--json", "--log-level", "error",
             "--data-directory", os.path.join(self.directory, "data"), "--web-directory", str(self.site),
             "--attempts-per-hour-by-address", "0", "--attempts-per-hour-by-email", "0",
             *self.arguments],
            stdout=subprocess.PIPE, stderr=log)
        line = self.process.stdout.readline()
        assert line, "trolleyd does not start:\n" + pathlib.Path(self.directory, "log").read_text()
        self.address = json.loads(line)["address"]

    def operate(self, *arguments):
        """A command of the operator. Answers what it prints."""
        result = subprocess.run([TROLLEYD, *arguments, "--json", "--data-directory", os.path.join(self.directory, "data")],
                                capture_output=True, text=True, timeout=60)
        assert result.returncode == 0, f"trolleyd {arguments}: {result.stdout}{result.stderr}"
        return json.loads(result.stdout)

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait(60)
            self.process = None

    def lose_everything(self):
        """Comes back with an empty database, at the same address."""
        self.stop()
        shutil.rmtree(os.path.join(self.directory, "data"))
        self.start()

    def back_up(self):
        """Copies the cluster's files."""
        self.stop()
        self._replace("backup", "data")
        self.start()

    def restore(self):
        """Comes back with the files of the backup, at the same address."""
        self.stop()
        self._replace("data", "backup")
        self.start()

    def _replace(self, name, other):
        new, old = os.path.join(self.directory, name), os.path.join(self.directory, other)
        shutil.rmtree(new, ignore_errors=True)
        subprocess.run(["cp", "-a", old, new], check=True)

    def end(self):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def write(self, file, text):
        """Writes a file of the web app, with the compressed forms that it has, as script/web makes them."""
        file.write_text(text)
        for form, command in ((".gz", ["gzip", "-9", "-n", "-k", "-f"]), (".br", ["brotli", "-q", "11", "-k", "-f"])):
            if pathlib.Path(str(file) + form).exists():
                subprocess.run([*command, file], check=True)

    def update(self):
        """Puts another version of the web app in place: the same with one more line."""
        old = next(path.name for path in (self.site / "app").iterdir())
        new = old[::-1]
        (self.site / "app" / old).rename(self.site / "app" / new)
        for file in [self.site / "files", self.site / "index.html", self.site / "sw.js", *self.site.glob("manifest*.webmanifest")]:
            self.write(file, file.read_text().replace(old, new))
        self.stop()
        self.start()
        return old, new


class Cable:
    """Carries one browser's connections to the service, until it is cut. A browser that is told to be offline would not
    tell its service workers. While it buffers, it holds back what comes on streams and sockets after their headers, as some
    proxies do. While it is silent, it takes connections and answers nothing. With a cache, it asks that first."""

    def __init__(self, service):
        self.service = service
        self.is_cut = self.is_buffering = self.is_silent = False
        self.held = 0
        self.cache = None
        self.unanswered = []
        self.pairs = set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://localhost:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self):
        self.is_cut = True
        for pair in list(self.pairs):
            self._end(pair)

    def silence(self):
        self.is_silent = True
        self.cut()
        self.is_cut = False

    def mend(self):
        """New connections work. Those that got no answer get none."""
        self.is_cut = self.is_silent = False

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.is_cut:
                client.close()
                continue
            if self.is_silent:
                self.unanswered.append(client)
                continue
            try:
                server = socket.create_connection(("127.0.0.1", self.service.port), 5)
                # That is for connecting. An answer may take longer where others build.
                server.settimeout(None)
            except OSError:
                client.close()
                continue
            pair = (client, server)
            self.pairs.add(pair)
            if self.cache:
                threading.Thread(target=self._ask_cache, args=pair, daemon=True).start()
            else:
                self._carry(pair, threading.Event())

    def _carry(self, pair, streams):
        for source, target in (pair, pair[::-1]):
            threading.Thread(target=self._pump, args=(source, target, pair, streams), daemon=True).start()

    def _ask_cache(self, client, server):
        """Takes one request after the other, until a stream or a socket is asked for."""
        def ask(request):
            server.sendall(bytes(request))
            response = http.client.HTTPResponse(server, method=request.method)
            response.begin()
            return Answer(response.status, response.headers, response.read())

        requests = client.makefile("rb")
        try:
            while line := requests.readline():
                method, address, _ = line.decode().split(" ")
                headers = http.client.parse_headers(requests)
                request = Request(method, address, headers, requests.read(int(headers["Content-Length"] or 0)))
                if address.startswith(STREAMS):
                    streams = threading.Event()
                    streams.set()
                    server.sendall(bytes(request))
                    return self._carry((client, server), streams)
                client.sendall(bytes(self.cache.answer(request, ask)))
        except (OSError, http.client.HTTPException):
            pass
        self._end((client, server))

    def _pump(self, source, target, pair, streams):
        """`streams`: a stream of hints or a socket was asked for on this connection."""
        is_answer, head = source is pair[1], b""
        try:
            while data := source.recv(65536):
                if not is_answer and data.startswith(tuple(f"GET {path}".encode() for path in STREAMS)):
                    streams.set()
                elif is_answer and streams.is_set() and self.is_buffering:
                    body = data if b"\r\n\r\n" in head else (head + data).partition(b"\r\n\r\n")[2]
                    head += data
                    self.held += len(body)
                    data = data[:len(data) - len(body)]
                target.sendall(data)
        except OSError:
            pass
        self._end(pair)

    def _end(self, pair):
        for end in pair:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.pairs.discard(pair)


class CommandLine:
    """A device of the command line, with its own home."""

    def __init__(self, service):
        self.service = service
        self.home = tempfile.mkdtemp(prefix="trolley-home-")

    def run(self, *arguments):
        result = subprocess.run(
            [TROLLEY, *arguments, "--json"], capture_output=True, text=True, timeout=120,
            env={**os.environ, "TROLLEY_HOME": self.home, "TROLLEY_LANGUAGE": "none", "TROLLEY_PASSWORD": "correct horse",
                 # A service that is busy needs longer than a person waits.
                 "TROLLEY_TEST_PATIENCE": "60"})
        assert result.returncode == 0, f"trolley {arguments}: {result.stdout}{result.stderr}"
        return json.loads(result.stdout)
