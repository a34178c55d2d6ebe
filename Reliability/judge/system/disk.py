"""A disk that goes wrong: it loses what was not flushed when the power fails; it is full, fails, or is slow.

`forgetful.c`, loaded into the programs that write to a directory, keeps what each write has replaced. A power cut puts that back for
some of the pages that no flush has covered: a disk may have written any of them by itself."""

import ctypes
import os
import random
import shutil
import struct
import subprocess
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from system.processes import Failed

_SOURCE = Path(__file__).with_name("forgetful.c")
_PAGE = 4096
_RECORD = struct.Struct("=IIQQQQQQ")
_WRITTEN, _FLUSHED = 1, 2
# How often an ordered disk knows the new length. It stores lengths within seconds, and contents within half a minute.
_KNOWN_LENGTH = 0.5
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass
class _Write:
    position: int
    offset: int
    length: int
    size: int
    old: bytes

    @property
    def end(self) -> int:
        return self.offset + self.length


def compiled(directory: Path) -> Path:
    """The library for LD_PRELOAD."""
    library = directory / "forgetful.so"
    if not library.exists():
        compiler = subprocess.run(
            [os.environ.get("CC") or shutil.which("cc") or "clang", "-shared", "-fPIC", "-O1", "-o", library, _SOURCE, "-ldl", "-lpthread"],
            capture_output=True, text=True)
        if compiler.returncode != 0:
            raise Failed(f"{_SOURCE.name} can't be compiled: {compiler.stderr}")
        library.chmod(0o755)
    return library


class Disk:
    """The files below a directory, while programs run in `environment`."""

    def __init__(self, root: Path, library: Path, log: Path) -> None:
        self.root, self._library, self._log = root, library, log
        log.touch()
        log.chmod(0o666)
        self._faults = log.with_name(f"{log.name}.faults")
        self._faults.write_bytes(bytes(16))
        self._faults.chmod(0o644)
        # What the last power cut took, a line for each file.
        self.forgotten: list[str] = []

    @property
    def environment(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(self._library), "FORGETFUL_ROOT": str(self.root), "FORGETFUL_LOG": str(self._log),
                "FORGETFUL_FAULTS": str(self._faults)}

    def set(self, write_error: int = 0, flush_error: int = 0, flush_milliseconds: int = 0) -> None:
        """What goes wrong from now on; without arguments, nothing. Errors are `errno`s."""
        self._set(0, struct.pack("=iii", write_error, flush_error, flush_milliseconds))

    def set_clock(self, seconds: int) -> None:
        """How far the wall clock of the disk's machine is ahead."""
        self._set(12, struct.pack("=i", seconds))

    def _set(self, place: int, fault: bytes) -> None:
        with open(self._faults, "r+b") as file:
            file.seek(place)
            file.write(fault)

    def flush_all(self) -> None:
        """Once no program runs there: everything is on the disk, as a system sees to within half a minute."""
        os.truncate(self._log, 0)

    def forget(self, source: random.Random, is_ordered: bool = False) -> int:
        """Once no program runs there any more. Returns the number of pages that were lost.
        - is_ordered: as ext4 keeps files by default. A file that grew keeps its new pages up to some point and loses the rest, and
          never ends in a new page without content. Only the page in which it ended before may have its new length without its content."""
        writes, flushed = self._read()
        paths = self._files() if writes else {}
        self.forgotten = []
        count = 0
        # Sometimes the disk has written nothing by itself, sometimes half of everything.
        kept = source.choice([0.0, 0.0, 0.5, 0.9])
        for file in sorted(writes):
            unflushed = [write for write in writes[file] if write.position >= flushed.get(file, 0)]
            if unflushed and file in paths:
                path = paths[file]
                length = path.stat().st_size
                lost = _undo(path, unflushed, kept, source, is_ordered)
                count += len(lost)
                self.forgotten.append(
                    f"{path.relative_to(self.root)}: {length} bytes, {unflushed[0].size} before what was not flushed, "
                    f"{path.stat().st_size} now; lost of {len(unflushed)} writes the pages {sorted(lost)}")
        os.truncate(self._log, 0)
        return count

    def _read(self) -> tuple[dict[tuple[int, ...], list[_Write]], dict[tuple[int, ...], int]]:
        writes: dict[tuple[int, ...], list[_Write]] = defaultdict(list)
        flushed: dict[tuple[int, ...], int] = {}
        data = self._log.read_bytes()
        position = 0
        while position + _RECORD.size <= len(data):
            kind, nanoseconds, seconds, inode, offset, length, size, kept = _RECORD.unpack_from(data, position)
            start = position + _RECORD.size
            if start + kept > len(data):
                break  # The program was killed before it wrote.
            file = (inode, seconds, nanoseconds)
            if kind == _WRITTEN:
                writes[file].append(_Write(position, offset, length, size, data[start:start + kept]))
            elif kind == _FLUSHED:
                flushed[file] = max(flushed.get(file, 0), offset)
            else:
                raise Failed(f"{self._log} is damaged at {position}")
            position = start + kept
        return writes, flushed

    def _files(self) -> dict[tuple[int, ...], Path]:
        found = {}
        for directory, _, names in os.walk(self.root):
            for name in names:
                path = Path(directory, name)
                if path.is_file() and not path.is_symlink():
                    found[_identity(path)] = path
        return found


def _identity(path: Path) -> tuple[int, int, int]:
    """Inode and birth, as forgetful.c has them: Python's stat doesn't give the birth."""
    buffer = ctypes.create_string_buffer(256)
    if _libc.statx(-100, os.fsencode(path), 0, 0x7FF | 0x800, buffer) != 0:
        raise Failed(f"{path}: {os.strerror(ctypes.get_errno())}")
    inode, = struct.unpack_from("=Q", buffer, 32)
    seconds, nanoseconds = struct.unpack_from("=qI", buffer, 80)
    return inode, seconds & 0xFFFF_FFFF_FFFF_FFFF, nanoseconds


def _undo(path: Path, writes: list[_Write], kept: float, source: random.Random, is_ordered: bool) -> set[int]:
    """Undoes writes, latest first, on all pages but those that the disk keeps. Returns the pages."""
    with open(path, "r+b") as file:
        now = os.fstat(file.fileno()).st_size
        before = writes[0].size
        pages = {page for write in writes for page in range(write.offset // _PAGE, -(-max(write.end, write.size) // _PAGE))}
        lost = {page for page in sorted(pages) if source.random() >= kept}
        longest = now
        if is_ordered and now > before:
            kept = _KNOWN_LENGTH
            first = min((page for page in lost if page >= before // _PAGE), default=None)
            if first is not None:
                lost |= {page for page in pages if page > first}
                longest = min(now, (first + 1) * _PAGE if first * _PAGE < before else first * _PAGE)
        # The length is lost, or kept with holes.
        size = before if source.random() >= kept else longest
        file.truncate(max(now, before))
        for write in reversed(writes):
            old = write.old.ljust(write.length, b"\0")
            for page in range(write.offset // _PAGE, -(-write.end // _PAGE)):
                if page in lost:
                    start, end = max(page * _PAGE, write.offset), min((page + 1) * _PAGE, write.end)
                    file.seek(start)
                    file.write(old[start - write.offset:end - write.offset])
        file.truncate(size)
        return lost
