"""Writes a history: one JSON document a line, in the order of time, as the checker reads it."""

import json
import threading
import time
from pathlib import Path
from typing import Any


class Recorder:
    """Lines have `t`, seconds on the machine's monotonic clock, which all processes share. An operation has two lines of one
    `op`: `invoke`, and later `ok`, `refused` or `unknown`. Every line is in the file when the call returns."""

    def __init__(self, path: Path) -> None:
        self._file = open(path, "a", encoding="utf-8")
        self._guard, self._ops = threading.Lock(), 0

    def invoke(self, kind: str, **what: Any) -> int:
        with self._guard:
            self._ops += 1
            op = self._ops
        self._write({"op": op, "kind": kind, "phase": "invoke", **what})
        return op

    def end(self, op: int, phase: str, **what: Any) -> None:
        self._write({"op": op, "phase": phase, **what})

    def note(self, kind: str, **what: Any) -> None:
        self._write({"kind": kind, "phase": "note", **what})

    def _write(self, line: dict[str, Any]) -> None:
        with self._guard:
            self._file.write(json.dumps({"t": round(time.monotonic(), 6), **line}, ensure_ascii=False) + "\n")
            self._file.flush()

    def close(self) -> None:
        self._file.close()
