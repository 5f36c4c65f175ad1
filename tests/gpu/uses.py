# SPDX-License-Identifier: BSD-3-Clause
"""What the scripts of wrong use and of failing calls share: runs a program of this room on two PEs,
and judges its end and the lines of the library."""
import ctypes
import re
import tempfile

from frame.script import check
from over_fake import run

ERROR = re.compile(r"^causeway: error: .*$", re.M)


def one(program, arguments, variables, says, goes_on, options=()):
    """says: what each line says, None: there is none; goes_on: the program comes to its end."""
    done = run(program, 2, [*options], variables, *arguments)
    what = f"{' '.join(arguments)} {variables} {' '.join(options)}:\n{done.stdout[:3000]}"
    lines = ERROR.findall(done.stdout)
    check((done.returncode == 0) == goes_on and ("goes on" in done.stdout) == goes_on
          and "FAIL" not in done.stdout and "killed" not in done.stdout,
          f"the end (status {done.returncode}) of {what}")
    check(bool(lines) == bool(says) and all(re.search(says, line) for line in lines),
          f"the line of {what}")


def without_library(program, arguments, says):
    """Where there is a driver this says nothing."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        with tempfile.TemporaryDirectory() as empty:
            one(program, arguments, {"LD_LIBRARY_PATH": empty}, says, True)
