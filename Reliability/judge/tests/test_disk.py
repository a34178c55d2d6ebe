"""The disk that forgets: what was flushed stays, what was not is gone, whatever the program did with the file's name."""

import errno
import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from system.disk import Disk, compiled

_PROGRAM = """
import os, sys
root = sys.argv[1]
first = os.open(root + "/first", os.O_RDWR | os.O_CREAT)
os.write(first, b"x" * 5000)
os.fsync(first)
os.pwrite(first, b"y" * 100, 50)
os.pwrite(first, b"z" * 10000, 4000)
os.ftruncate(first, 3000)
second = os.open(root + "/second", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
os.write(second, b"hello")
os.fdatasync(second)
os.write(second, b" world")
os.rename(root + "/second", root + "/third")
"""


class Nothing(random.Random):
    """The disk writes nothing by itself."""

    def choice(self, seq):
        return 0.0


class Everything(random.Random):
    def choice(self, seq):
        return 1.0


class Given(random.Random):
    """The disk writes a share of the pages by itself: each whose number is below it, and the length last."""

    share: float
    numbers: list[float]

    def choice(self, seq):
        return self.share

    def random(self):
        return self.numbers.pop(0)


class DiskTests(unittest.TestCase):
    def setUp(self) -> None:
        self._directory = tempfile.TemporaryDirectory()
        place = Path(self._directory.name)
        self.root = place / "root"
        self.root.mkdir()
        self.disk = Disk(self.root, compiled(place), place / "writes")

    def tearDown(self) -> None:
        self._directory.cleanup()

    def run_program(self, program: str) -> None:
        subprocess.run([sys.executable, "-c", program, str(self.root)], env={**os.environ, **self.disk.environment}, check=True)

    def test_what_was_not_flushed_is_gone(self) -> None:
        self.run_program(_PROGRAM)
        self.assertGreater(self.disk.forget(Nothing()), 0)
        self.assertEqual((self.root / "first").read_bytes(), b"x" * 5000)
        self.assertEqual((self.root / "third").read_bytes(), b"hello")
        self.assertEqual(self.disk.forget(Nothing()), 0)

    def test_a_disk_may_have_written_everything(self) -> None:
        self.run_program(_PROGRAM)
        self.assertEqual(self.disk.forget(Everything()), 0)
        self.assertEqual((self.root / "first").read_bytes(), (b"x" * 50 + b"y" * 100 + b"x" * 2850))
        self.assertEqual((self.root / "third").read_bytes(), b"hello world")

    def test_an_ordered_disk_knows_a_length_without_content_in_the_last_page_alone(self) -> None:
        source = Given()
        for share, numbers, expected in [
            # The page where the file ended and two new ones: none is written, and the length is known, or isn't.
            (0.0, [0.1, 0.1, 0.1, 0.1], b"x" * 5000 + bytes(3192)), (0.0, [0.1, 0.1, 0.1, 0.9], b"x" * 5000),
            # The second one is lost, and with it the third.
            (0.5, [0.1, 0.9, 0.1, 0.1], b"x" * 5000 + b"y" * 3192), (0.5, [0.1, 0.1, 0.1, 0.1], b"x" * 5000 + b"y" * 9000),
        ]:
            self.run_program("""
import os, sys
file = os.open(sys.argv[1] + "/log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
os.write(file, b"x" * 5000)
os.fsync(file)
os.write(file, b"y" * 9000)
""")
            source.share, source.numbers = share, numbers
            self.disk.forget(source, is_ordered=True)
            self.assertEqual((self.root / "log").read_bytes(), expected)

    def test_another_file_with_the_same_inode_keeps_its_content(self) -> None:
        self.run_program("""
import os, sys
for number in range(50):
    path = f"{sys.argv[1]}/{number}"
    file = os.open(path, os.O_RDWR | os.O_CREAT)
    os.write(file, b"old" * 100)
    os.unlink(path)
    os.close(file)
    file = os.open(path, os.O_RDWR | os.O_CREAT)
    os.write(file, b"new")
    os.fsync(file)
    os.close(file)
""")
        self.disk.forget(Nothing())
        self.assertEqual({path.read_bytes() for path in self.root.iterdir()}, {b"new"})

    def test_a_full_disk_and_one_that_cannot_flush_say_so(self) -> None:
        program = """
import errno, os, sys
file = os.open(sys.argv[1] + "/file", os.O_RDWR | os.O_CREAT)
try:
    os.write(file, b"x")
    os.fsync(file)
    print("written")
except OSError as error:
    print(errno.errorcode[error.errno])
"""
        def said() -> str:
            environment = {**os.environ, **self.disk.environment}
            return subprocess.run([sys.executable, "-c", program, str(self.root)], env=environment, check=True,
                                  capture_output=True, text=True).stdout.strip()

        self.disk.set(write_error=errno.ENOSPC)
        self.assertEqual(said(), "ENOSPC")
        self.disk.set(flush_error=errno.EIO)
        self.assertEqual(said(), "EIO")
        self.disk.set()
        self.assertEqual(said(), "written")

    def test_files_elsewhere_are_left_alone(self) -> None:
        elsewhere = self.root.parent / "elsewhere"
        self.run_program(f"open({str(elsewhere)!r}, 'w').write('kept')")
        self.disk.forget(Nothing())
        self.assertEqual(elsewhere.read_text(), "kept")


if __name__ == "__main__":
    unittest.main()
