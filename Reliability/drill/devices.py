"""Real devices: the `trolley` command, each with a home of its own."""

import json
import threading

from processes import run


class Device:
    def __init__(self, program, home):
        self.program, self.home = program, home

    def __call__(self, *arguments, check=True):
        return run(
            self.program, *arguments, check=check, timeout=180,
            environment={"TROLLEY_HOME": str(self.home), "TROLLEY_PASSWORD": "correct horse battery"})

    def texts(self):
        return sorted(item["text"] for item in json.loads(self("show", "--json").stdout)["items"])


class Household:
    """Alice's phone and Bob's phone, on one list, to which both add something all the time."""

    def __init__(self, program, directory, address):
        self.program, self.directory, self.address = program, directory, address
        self.alice, self.bob = Device(program, directory / "alice"), Device(program, directory / "bob")
        self.added, self.errors = [], []
        self.stopped = threading.Event()
        self.threads = []

    def begin(self):
        for device, name in ((self.alice, "alice"), (self.bob, "bob")):
            device("sign-up", self.address, "--email", f"{name}@example.com", "--name", name.title())
        self.alice("new", "Weekly")
        self.alice("sync")
        link = json.loads(self.alice("invite", "bob@example.com", "--json").stdout)["link"]
        self.bob("join", link)
        self.bob("sync")
        self.bob("use", "Weekly")
        for device, name in ((self.alice, "a"), (self.bob, "b")):
            thread = threading.Thread(target=self._live, args=(device, name), daemon=True)
            thread.start()
            self.threads.append(thread)

    def _live(self, device, name):
        number = 0
        while not self.stopped.is_set():
            number += 1
            text = f"{name}{number}"
            # What was added is on the device, whether or not the service can be reached.
            done = device("add", text, check=False)
            if done.returncode != 0:
                self.errors.append(f"trolley add: {done.stdout}{done.stderr}")
                return
            self.added.append(text)
            device("sync", check=False)
            self.stopped.wait(0.5)

    def finish(self):
        """What the devices and a fresh one show, when all have synced."""
        self.stopped.set()
        for thread in self.threads:
            thread.join()
        for _ in range(3):
            self.alice("sync")
            self.bob("sync")
        fresh = Device(self.program, self.directory / "fresh")
        fresh("sign-in", self.address, "--email", "alice@example.com")
        fresh("sync")
        fresh("use", "Weekly")
        expected = sorted(self.added)
        for name, device in (("Alice's phone", self.alice), ("Bob's phone", self.bob), ("a fresh device", fresh)):
            shown = device.texts()
            if shown != expected:
                missing = sorted(set(expected) - set(shown))
                doubled = sorted({text for text in shown if shown.count(text) > 1})
                self.errors.append(f"{name} shows {len(shown)} of {len(expected)}: missing {missing}, doubled {doubled}")
        return len(expected)
