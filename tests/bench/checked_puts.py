# SPDX-License-Identifier: BSD-3-Clause
"""Instructions that checking mode adds to a put of 1 KiB within the node, between buffers that the
thread has used before: none may be more than its limit here. Copying takes the same in both."""

from counted import build, counts
from frame.script import check, finish

MOST = {"shmem": 140, "armci": 175, "gasnet": 235, "gex": 440, "dart": 840}


def main():
    build("./checked_puts", "checked_puts.c", "-DGASNET_SEQ", "-larmci", "-ldart-causeway")
    for interface, most in MOST.items():
        plain, checked = (counts(("./checked_puts", interface), CAUSEWAY_CHECK=on)
                          for on in ("0", "1"))
        for what in ("same", "turns"):
            op = f"{interface}.{what}.total"
            more = checked[op]["min"] - plain[op]["min"]
            check(0 < more <= most, f"{op}: {more:.0f} instructions more; at most {most}")
            print(f"{op:20} {more:4.0f} of {most}")
    finish()


if __name__ == "__main__":
    main()
