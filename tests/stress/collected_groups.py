# SPDX-License-Identifier: BSD-3-Clause
"""Which groups of operations are collected: with `auto` those of more than 20, behind the first
ones, with `on` small ones, too."""

import json
import os

from frame.script import check, finish, oshcc, run

HERE = os.path.dirname(os.path.abspath(__file__))
GROUP = 20


def collected(aggregate, groups, operations, *nbytes):
    """How many operations of the PE that issues them travelled in bundles."""
    env = dict(os.environ, CAUSEWAY_AGGREGATE=aggregate, CAUSEWAY_ENDPOINT="msg",
               CAUSEWAY_STATS="json:stats.json")
    run("oshrun", "-n", "2", "--emulate-nodes", "2", "./collected_groups", str(groups),
        str(operations), *nbytes, env=env)
    with open("stats.json", encoding="ascii") as file:
        return json.load(file)["pes"][-1]["bundles"]["operations"]


def main():
    oshcc("collected_groups", os.path.join(HERE, "collected_groups.c"))
    for operations in (1, 3, GROUP):
        n = collected("auto", 100, operations)
        check(n == 0, f"{n} operations of groups of {operations} were collected")
    n = collected("auto", 20, 1000)
    check(n > 10000, f"{n} of 40,000 operations of floods were collected")
    # seven such puts fill a bundle: they pay, and gets behind them are collected, too
    n = collected("auto", 40, 256, "2048")
    check(n > 15000, f"{n} of 20,480 operations of floods of long and short ones were collected")
    n = collected("on", 100, 5)
    check(n > 0, "with on, no operation of groups of 5 was collected")
    n = collected("off", 20, 1000)
    check(n == 0, f"with off, {n} operations were collected")
    finish()


if __name__ == "__main__":
    main()
