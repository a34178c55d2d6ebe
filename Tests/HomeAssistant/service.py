"""A trolleyd with its own PostgreSQL, and people on it."""

import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = ROOT / ".build/web"
TROLLEYD = os.environ.get("TROLLEY_TEST_TROLLEYD", str(ROOT / ".build/debug/trolleyd"))
OUTSIDE = concurrent.futures.ThreadPoolExecutor(1)
# Its thread begins before the first test, since each test's end counts the threads that it left.
OUTSIDE.submit(int).result()


class RunningService:
    """A service for all tests. It keeps its port when it is stopped and started."""

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="trolley-homeassistant-")
        # As root, PostgreSQL runs as another user, which needs access to its data.
        os.chmod(self.directory, 0o711)
        # While the service is away, the system gives none of these ports to other sockets, as it does with a port that it has
        # chosen itself. Some may be in use.
        for self.port in random.sample(range(10_000, 30_000), 3):
            if self.start():
                break
        else:
            raise AssertionError("trolleyd does not start:\n" + pathlib.Path(self.directory, "log").read_text())

    def start(self):
        """Answers whether it runs."""
        log = open(os.path.join(self.directory, "log"), "ab")
        self.process = subprocess.Popen(
            [TROLLEYD, "serve", "--port", str(self.port), "--json", "--log-level", "error",
             *(["--web-directory", str(SITE)] if (SITE / "files").exists() else ["--no-web"]),
             "--data-directory", os.path.join(self.directory, "data"),
             "--attempts-per-hour-by-address", "0", "--attempts-per-hour-by-email", "0",
             "--requests-per-minute-by-device", "60000", "--requests-per-minute-by-account", "60000"],
            stdout=subprocess.PIPE, stderr=log, env={**os.environ, "TROLLEY_TEST_WEAK_PASSWORDS": "true"})
        line = self.process.stdout.readline()
        if not line:
            self.process.wait(60)
            return False
        self.address = json.loads(line)["address"]
        return True

    def stop(self):
        self.process.terminate()
        self.process.wait(60)

    def compress(self):
        """Removes what is finished or overwritten from the journals."""
        subprocess.run([TROLLEYD, "compress", "--older-than", "0s", "--json",
                        "--data-directory", os.path.join(self.directory, "data")], check=True, capture_output=True, timeout=120)

    def back_up(self):
        """Copies the cluster's files."""
        self.stop()
        self._replace("backup", "data")
        assert self.start()

    def restore(self):
        """Comes back with the files of the backup, at the same address."""
        self.stop()
        self._replace("data", "backup")
        assert self.start()

    def _replace(self, name, other):
        new, old = os.path.join(self.directory, name), os.path.join(self.directory, other)
        shutil.rmtree(new, ignore_errors=True)
        subprocess.run(["cp", "-a", old, new], check=True)

    def end(self):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)


class Person:
    """An account with one device, which uses the service by plain calls."""

    def __init__(self, service, name):
        self.service = service
        self.name = name
        self.email = f"{name.lower()}-{uuid.uuid4().hex[:8]}@example.com"
        self.number = 0
        self.token = None
        self.account = self.call("POST", "/v1/accounts", {
            "email": self.email, "name": name, "password": "correct horse"})["id"]
        self.token = self.call("POST", "/v1/sessions", {
            "email": self.email, "password": "correct horse", "deviceName": f"{name}'s phone"})["token"]

    def call(self, method, path, body=None):
        request = urllib.request.Request(
            self.service.address + path, method=method, data=json.dumps(body).encode() if body is not None else None,
            headers={"Content-Type": "application/json", **({"Authorization": f"Bearer {self.token}"} if self.token else {})})
        # Home Assistant forbids its own thread to wait for the network.
        return OUTSIDE.submit(self._answer, request).result()

    @staticmethod
    def _answer(request):
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.loads(answer.read() or b"{}")
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{request.method} {request.selector}: {error.code} {error.read().decode()}") from None

    def personal_token(self, name="Home Assistant", **scope):
        return self.call("POST", "/v1/tokens", {"name": name, **scope})

    def revoke(self, token):
        self.call("DELETE", f"/v1/tokens/{token['id']}")

    def new_list(self, name, *items):
        list_id = new_id()
        self.call("POST", "/v1/lists", {"id": list_id})
        self.upload(list_id, {"operation": "renameList", "fields": {"text": name}})
        for item in items:
            self.add(list_id, item)
        return list_id

    def upload(self, list_id, *changes):
        entries = []
        for change in changes:
            self.number += 1
            entries.append({"id": new_id(), "deviceSequence": self.number, "age": 0, **change})
        answer = self.call("POST", f"/v1/lists/{list_id}/entries", {"entries": entries})
        assert all(each["status"] == "applied" for each in answer["results"]), answer
        return entries

    def add(self, list_id, text, **fields):
        """Adds an item at the bottom, and answers its id."""
        items = self.state(list_id)["items"]
        item = new_id()
        self.upload(list_id, {"operation": "add", "item": item, "after": items[-1]["id"] if items else None,
                              "fields": {"text": text, **fields}})
        return item

    def mark_off(self, list_id, *items):
        self.upload(list_id, *({"operation": "markOff", "item": item} for item in items))

    def state(self, list_id):
        return self.call("GET", f"/v1/lists/{list_id}/state")

    def texts(self, list_id):
        return [item["text"] for item in self.state(list_id)["items"] if not item["markedOff"]]

    def item(self, list_id, text):
        return next(item for item in self.state(list_id)["items"] if item["text"] == text)

    def activity(self, list_id):
        return self.call("GET", f"/v1/lists/{list_id}/activity")["activity"]

    def share_with(self, list_id, other, permission="readWrite"):
        secret = self.call("POST", f"/v1/lists/{list_id}/invitations",
                           {"email": other.email, "permission": permission})["secret"]
        other.call("POST", "/v1/invitations/accept", {"secret": secret})


def new_id():
    """A UUIDv7."""
    random = uuid.uuid4().int & ((1 << 62) - 1)
    return str(uuid.UUID(int=int(time.time() * 1000) << 80 | 7 << 76 | (uuid.uuid4().int & 0xFFF) << 64 | 2 << 62 | random))
