"""The process of one plain device. The judge pauses and resumes it like any other program.

It reads commands from standard input, one JSON document a line: `{"do": "heal", "number"}` (make no more changes, and fetch
everything), `{"do": "join", "list", "secret"}`, `{"do": "finish"}`. It says on standard output, several times a second, how many
entries wait, and the number of the last `heal` since which it has fetched everything."""

import json
import queue
import random
import sys
import threading
import time
from pathlib import Path

from clients.plain import PlainDevice
from clients.recorder import Recorder

_QUEUE = 400


class Worker:
    def __init__(self, options: dict) -> None:
        self.random = random.Random(options["seed"])
        self.recorder = Recorder(Path(options["history"]))
        self.device = PlainDevice(options["name"], options["address"], options["token"], options["lists"],
                                  self.recorder, self.random, options["timeout"])
        self.gestures_per_second, self.reads_states = options["rate"], options["states"]
        self.commands: queue.Queue[dict] = queue.Queue()
        self.joins: list[dict] = []
        self.is_finished = False
        self.healing = self.healed = 0

    def run(self) -> None:
        threading.Thread(target=self._read_commands, daemon=True).start()
        gesture = fetch = upload = state = time.monotonic()
        said = 0.0
        while not self.is_finished:
            self._obey()
            now = time.monotonic()
            while now >= gesture and not self.healing:
                gesture += self.random.expovariate(self.gestures_per_second)
                if self.device.waiting < _QUEUE:
                    self.device.make()
            if now >= upload:
                self.device.upload()
                upload = time.monotonic() + (0 if self.healing else self.random.uniform(0.02, 0.5))
            if now >= fetch:
                was_empty = self.device.waiting == 0 and not self.joins
                if self.device.fetch(all_lists=self.healing > 0) and was_empty:
                    self.healed = self.healing
                fetch = time.monotonic() + self.random.uniform(0.1, 0.8)
            if now >= state and self.reads_states:
                self.device.read_state()
                state = time.monotonic() + self.random.uniform(1, 4)
            self._join()
            if now >= said:
                self._say()
                said = now + 0.3
            time.sleep(0.01)
        self._say()

    def _obey(self) -> None:
        while not self.commands.empty():
            command = self.commands.get()
            if command["do"] == "join":
                # An earlier invitation to this list that wasn't accepted yet is not needed any more.
                self.joins = [each for each in self.joins if each["list"] != command["list"]] + [command]
            elif command["do"] == "heal":
                self.healing = command["number"]
            else:
                self.is_finished = True

    def _join(self) -> None:
        """A device that joins a list again must have noticed first that it was gone."""
        for command in list(self.joins):
            if not self.device.lists[command["list"]].is_member and self.device.join(command["list"], command["secret"]):
                self.joins.remove(command)

    def _say(self) -> None:
        print(json.dumps({"waiting": self.device.waiting + len(self.joins), "healed": self.healed}), flush=True)

    def _read_commands(self) -> None:
        for line in sys.stdin:
            self.commands.put(json.loads(line))
        self.commands.put({"do": "finish"})  # The judge has gone.


def main() -> None:
    Worker(json.loads(sys.argv[1])).run()
