# SPDX-License-Identifier: BSD-3-Clause
"""Where the curves of bandwidth between nodes fall (docs/design/bundles.md): puts of up to 2 KiB
and gets of up to 256 bytes of a flood travel many in a message, one byte more each by itself;
without collection there is no such edge. Judged by what is counted."""

import json
import os

from frame.script import check, finish, oshcc, run

HERE = os.path.dirname(os.path.abspath(__file__))
GROUPS, OPERATIONS = 20, 256
# of an operation: the longest that is collected, and how many of them a message has at least
EDGES = {"put": (2048, 5), "get": (256, 10)}


def counted(what, nbytes, aggregate):
    """Of the PE that issues them: operations in bundles, their messages, operations alone."""
    env = dict(os.environ, CAUSEWAY_AGGREGATE=aggregate, CAUSEWAY_ENDPOINT="msg",
               CAUSEWAY_STATS="json:stats.json")
    run("oshrun", "-n", "2", "--emulate-nodes", "2", "./collected_edges", what, str(GROUPS),
        str(OPERATIONS), str(nbytes), env=env)
    with open("stats.json", encoding="ascii") as file:
        pe = json.load(file)["pes"][-1]
    bundles = pe["bundles"]
    messages = sum(n for why, n in bundles.items() if why not in ("operations", "bytes"))
    print(f"{what} of {nbytes}, {aggregate}: {bundles['operations']} in {messages} messages, "
          f"{pe['network'][what + 's']} alone")
    return bundles["operations"], messages, pe["network"][what + "s"]


def main():
    oshcc("collected_edges", os.path.join(HERE, "collected_edges.c"))
    total = GROUPS * OPERATIONS
    for what, (longest, least) in EDGES.items():
        together, messages, alone = counted(what, longest, "auto")
        check(together > total / 2 and together >= least * messages and alone < total / 2,
              f"{what} of {longest}: {together} of {total} in {messages} messages, {alone} alone")
        for nbytes, aggregate in ((longest + 1, "auto"), (longest, "off"), (longest + 1, "off")):
            together, _, alone = counted(what, nbytes, aggregate)
            check(together == 0 and alone >= total,
                  f"{what} of {nbytes}, {aggregate}: {together} together, {alone} alone")
    finish()


if __name__ == "__main__":
    main()
