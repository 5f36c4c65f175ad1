# SPDX-License-Identifier: BSD-3-Clause
"""Instructions that checking mode adds to a put of 1 KiB between buffers that the thread has used
before: within the node, where the copy takes some 75, and to another node as far as the network
library; and to puts that do not wait, eight with their quiet, from each kind of memory: from one
buffer, from three, and each from another of sixteen. None may be more than its limit here."""

from counted import build, counts
from frame.script import check, finish

# Within the node a pair of buffers is found by comparisons (core/observe/seen.h). To another node a
# put waits for the network a thousand times as long as the checks take.
MOST = {"shmem": (100, 440), "armci": (95, 900), "gasnet": (100, 600), "gex": (120, 850),
        "dart": (110, 520)}
# Each source is looked at twice, at its put and at the quiet; the system is asked for none.
NBI = {"shmem_nbi": [], "shmem_nbi_static": ["-DSTATIC"], "shmem_nbi_symmetric": ["-DSYMMETRIC"],
       "shmem_nbi_mapped": ["-DMAPPED"]}
NBI_MOST = {"same": (1700, 420), "turns": (1900, 420), "many": (2700, 1550)}
LIBRARIES = {"armci": ["-larmci"], "dart": ["-ldart-causeway"]}


def hold(interface, op, limits, *oshrun):
    """The least count of each mode; compares what checking adds."""
    plain, checked = (counts((f"./puts_{interface}", "--mode", "1"), *oshrun, CAUSEWAY_CHECK=on)
                      for on in ("0", "1"))
    for what, most in limits.items():
        name = f"{interface}.{what}.{op}"
        if not check(name in plain and name in checked, f"{name}: too many to be counted"):
            continue
        more = checked[name]["min"] - plain[name]["min"]
        check(0 < more <= most, f"{name}: {more:.0f} instructions more; at most {most}")
        print(f"{name:24} {more:4.0f} of {most}, {checked[name]['min'] / plain[name]['min']:.1f} x")


def main():
    for interface, (near, far) in MOST.items():
        build(f"./puts_{interface}", "checked_puts.c", "-DGASNET_SEQ",
              *LIBRARIES.get(interface, ()), more=[f"puts_{interface}.c"])
        hold(interface, "total", dict.fromkeys(("same", "turns"), near))
        hold(interface, "to_provider", dict.fromkeys(("same", "turns"), far), "--emulate-nodes",
             "2")
    for name, flags in NBI.items():
        build(f"./puts_{name}", "checked_puts.c", *flags, more=["puts_shmem_nbi.c"])
        hold(name, "total", {what: near for what, (near, _) in NBI_MOST.items()})
        hold(name, "to_provider", {what: far for what, (_, far) in NBI_MOST.items()},
             "--emulate-nodes", "2")
    finish()


if __name__ == "__main__":
    main()
