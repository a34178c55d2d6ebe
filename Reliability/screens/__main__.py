"""Every screen of the web app in all sizes, looks and languages. Arguments go to pytest.

    Reliability/run screens
    TROLLEY_SCREENSHOTS=1 Reliability/run screens    # also writes docs/screenshots
"""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

if {"-h", "--help"} & set(sys.argv):
    print(__doc__.strip())
    sys.exit()
chosen = ["-k", "every_screen"] if not sys.argv[1:] else sys.argv[1:]
sys.exit(subprocess.run(["script/browser-tests", *chosen], cwd=ROOT, env={**os.environ, "TROLLEY_ALL": "1"}, check=False).returncode)
