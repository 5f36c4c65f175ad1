# SPDX-License-Identifier: BSD-3-Clause
"""Instructions of OpenSHMEM's calls, from a program's entry to the return (one node) or to the
network library (two nodes), without threads and with SHMEM_THREAD_MULTIPLE: none may take more than
its limit here."""

from counted import build, counts, hold
from frame.script import finish

LOCAL = {"int_p": 10, "int_g": 7, "putmem": 17, "fetch_add": 12, "quiet": 10, "fence": 9,
         "ctx_int_p": 14, "ctx_int_g": 12}
# of Open MPI 4.1.4: int_g 81, putmem 85, fetch_add 99, add 92
NET = {
    "0": {"int_p": 16, "int_g": 72, "putmem": 62, "fetch_add": 85, "add": 60, "ctx_int_p": 22,
          "ctx_int_g": 83},
    "1": {"int_p": 16, "int_g": 80, "putmem": 70, "fetch_add": 98, "add": 75, "ctx_int_p": 22,
          "ctx_int_g": 83},
}
IDLE = {"quiet": 10, "fence": 9}
COLLECTED = {"0": {"int_p": 180, "putmem": 165, "add": 175},
             "1": {"int_p": 245, "putmem": 228, "add": 238}}


def main():
    build("./insn", "insn.c")
    for mode in ("0", "1"):
        command = ("./insn", "--mode", mode)
        found = counts(command)
        for op, most in LOCAL.items():
            hold(f"threads {mode} local", found, f"{op}.total.next", most)
        for endpoint in ("msg", "rdm"):
            where = f"threads {mode} {endpoint}"
            found = counts(command, "--emulate-nodes", "2", CAUSEWAY_ENDPOINT=endpoint)
            for op, most in NET[mode].items():
                for which in ("first", "next"):
                    hold(where, found, f"{op}.to_provider.{which}", most)
            for op, most in IDLE.items():
                hold(where, found, f"{op}.total.next", most)
            for op, most in COLLECTED[mode].items():
                hold(where, found, f"{op}.total.collected", most)
    finish()


if __name__ == "__main__":
    main()
