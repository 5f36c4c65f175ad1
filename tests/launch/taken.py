# SPDX-License-Identifier: BSD-3-Clause
"""Takes the name at which the PEs of a node meet under PMIx, as a process of another user can that
knows the launcher's, and becomes the program: taken.py PROGRAM ARG..."""

import os
import socket
import sys

OTHER_USER = 65534
LONGEST = 46  # the end of a longer identity

job = "pmix-" + os.environ["PMIX_NAMESPACE"][:60].replace("/", "_").replace(" ", "_")
name = f"\0causeway.{os.getuid()}.{job[-LONGEST:]}.0.1"
ready, lives = os.pipe(), os.pipe()
if os.fork() == 0:
    os.setuid(OTHER_USER)
    os.close(lives[1])
    taken = socket.socket(socket.AF_UNIX)
    try:
        taken.bind(name)
        taken.listen(0)
    except OSError:
        pass  # another PE's helper has it
    for fd in (0, 1, 2):
        os.close(fd)
    os.write(ready[1], b"+")
    os.close(ready[1])
    os.read(lives[0], 1)  # until the program ends
    os._exit(0)
os.read(ready[0], 1)
os.set_inheritable(lives[1], True)
os.execv(sys.argv[1], sys.argv[1:])
