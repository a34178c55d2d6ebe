"""The Python device against a running service, beside the command line and another Python device.

    test_device.py        uses .build/debug/trolleyd and trolley
"""

import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import tempfile
import unittest

from device import Device, Offline

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(os.environ.get("TROLLEY_TEST_PROGRAMS", ROOT / ".build/debug"))


def free_port():
    """For a service that starts again at its port: the system gives none of these to other sockets meanwhile."""
    while True:
        port = random.randrange(10_000, 30_000)
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass


class DeviceTests(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="trolley-python-")
        # As root, PostgreSQL runs as another user, which needs access to its data.
        os.chmod(self.directory, 0o711)
        self.addCleanup(shutil.rmtree, self.directory, True)
        self.port = free_port()
        self.start()
        self.addCleanup(self.stop)
        self.trolley("sign-up", self.address, "--email", "ann@example.com", "--name", "Ann")
        self.list = self.trolley("new", "Weekly shop")["id"]
        self.trolley("sync")

    def start(self):
        self.service = subprocess.Popen(
            [PROGRAMS / "trolleyd", "serve", "--json", "--port", str(self.port), "--log-level", "error", "--no-web",
             "--data-directory", self.directory + "/data"],
            stdout=subprocess.PIPE, env={**os.environ, "TROLLEY_TEST_WEAK_PASSWORDS": "true"})
        self.address = json.loads(self.service.stdout.readline())["address"]

    def stop(self):
        self.service.terminate()
        self.service.wait(60)
        self.service.stdout.close()

    def trolley(self, *arguments):
        done = subprocess.run([PROGRAMS / "trolley", *arguments, "--json"], capture_output=True, text=True, timeout=60, env={
            **os.environ, "TROLLEY_HOME": self.directory + "/cli", "TROLLEY_PASSWORD": "correct horse", "TROLLEY_LANGUAGE": "none"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def device(self, name):
        device = Device(f"{self.directory}/{name}")
        if not device.session:
            device.sign_in(self.address, "ann@example.com", "correct horse")
            device.sync()
        self.addCleanup(device.db.close)
        return device

    def texts(self, device):
        return [each["text"] for each in device.state(self.list)["items"] if not each["markedOff"]]

    def assert_equal_everywhere(self, *devices):
        # Twice: the first to sync has not got what the last one sends.
        for _ in range(2):
            for device in devices:
                device.sync()
            self.trolley("sync")
        service = devices[0].call("GET", f"/v1/lists/{self.list}/state")
        for device in devices:
            state = device.state(self.list)
            self.assertEqual((state["digest"]["shown"], state["digest"]["confirmed"]), (service["digest"], service["digest"]))
            self.assertEqual(state["items"], service["items"])
        digests = {each["id"]: each["digest"] for each in self.trolley("diagnostics")["lists"]}
        self.assertEqual(digests[self.list], service["digest"])

    def test_it_works_offline_and_ends_byte_equal(self):
        """For a change that is lost, doubled, or folded otherwise than everywhere."""
        kitchen, phone = self.device("kitchen"), self.device("phone")
        kitchen.add(self.list, "2 l milk\nbread\nEier, 6")
        self.assert_equal_everywhere(kitchen, phone)
        self.assertEqual(self.texts(phone), ["milk", "bread", "Eier"])
        self.assertEqual(phone.state(self.list)["items"][0]["fields"]["quantity"], "2 l")

        self.stop()
        kitchen.add(self.list, "Milk\nsalt")
        kitchen.mark_off(self.list, "bread")
        phone.mark_off(self.list, "milk")
        phone.add(self.list, "salt")
        phone.undo(self.list)
        self.trolley("add", "butter")
        with self.assertRaises(Offline):
            kitchen.sync()
        # Another run of the program: all of that is on the disk.
        kitchen.db.close()
        kitchen = self.device("kitchen")
        self.assertEqual(self.texts(kitchen), ["milk", "Eier", "salt"])
        self.assertEqual(kitchen.waiting(), 2)
        self.start()
        self.assert_equal_everywhere(kitchen, phone)
        self.assertEqual(sorted(self.texts(kitchen)), ["Eier", "butter", "salt"])
        self.assertEqual((kitchen.waiting(), phone.waiting()), (0, 0))

    def test_a_lost_answer_doubles_nothing(self):
        kitchen = self.device("kitchen")
        kitchen.add(self.list, "milk\nbread")
        call = kitchen.call

        def lose(method, path, body=None):
            answer = call(method, path, body)
            if path.endswith("/entries"):
                raise Offline("the answer is lost")
            return answer

        kitchen.call = lose
        with self.assertRaises(Offline):
            kitchen.sync()
        self.assertEqual(kitchen.waiting(), 2)
        kitchen.call = call
        self.assert_equal_everywhere(kitchen)
        self.assertEqual(self.texts(kitchen), ["milk", "bread"])

    def test_a_refused_entry_is_kept_in_sight_and_the_queue_goes_on(self):
        kitchen = self.device("kitchen")
        kitchen.add(self.list, "x" * 4090)
        kitchen.add(self.list, "bread")
        self.assert_equal_everywhere(kitchen)
        self.assertEqual(self.texts(kitchen), ["bread"])
        self.assertEqual([each["code"] for each in kitchen.stored()["lists"][self.list]["refused"]], ["limitExceeded"])

    def test_it_begins_afresh_when_the_service_honours_no_earlier_token(self):
        kitchen = self.device("kitchen")
        kitchen.add(self.list, "milk")
        self.assert_equal_everywhere(kitchen)
        before = kitchen.stored()["lists"][self.list]["token"]
        kitchen.add(self.list, "bread")
        subprocess.run([PROGRAMS / "trolleyd", "epoch", "--new", "--data-directory", self.directory + "/data"],
                       check=True, capture_output=True, timeout=60)
        asked, call = [], kitchen.call

        def note(method, path, body=None):
            asked.append(body["tokens"] if path == "/v1/changes" else path)
            return call(method, path, body)

        kitchen.call = note
        kitchen.sync()
        self.assertEqual(asked[:2], [{self.list: before}, {}])
        kitchen.call = call
        self.assert_equal_everywhere(kitchen)
        self.assertEqual(self.texts(kitchen), ["milk", "bread"])
        self.assertEqual(kitchen.waiting(), 0)

    def test_a_list_that_is_gone_keeps_no_other_from_syncing(self):
        party = self.trolley("new", "Party")["id"]
        self.trolley("sync")
        kitchen = self.device("kitchen")
        kitchen.add(party, "cake")
        kitchen.add(self.list, "milk")
        self.trolley("leave", "--delete", "--list", "Party")
        self.trolley("sync")
        self.assert_equal_everywhere(kitchen)
        self.assertEqual(self.texts(kitchen), ["milk"])
        self.assertEqual([each["entry"]["fields"]["text"] for each in kitchen.stored()["lists"][party]["refused"]], ["cake"])
        self.assertEqual(kitchen.waiting(), 0)


if __name__ == "__main__":
    unittest.main()
