"""``python -m ragtriage``: the program, with the same arguments."""

import subprocess
import sys

from . import _binary

sys.exit(subprocess.call([_binary.path(), *sys.argv[1:]]))
