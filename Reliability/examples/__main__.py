"""The samples in Examples/ as a package of their own, with the device in Python. Needs the last build of trolleyd.

    Reliability/run examples
"""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

if {"-h", "--help"} & set(sys.argv):
    print(__doc__.strip())
    sys.exit()
sys.exit(subprocess.run(["script/examples", *sys.argv[1:]], cwd=ROOT, check=False).returncode)
