"""``python -m pocketgraph``: the program."""

import subprocess
import sys

from . import program

sys.exit(subprocess.run([program(), *sys.argv[1:]], check=False).returncode)
