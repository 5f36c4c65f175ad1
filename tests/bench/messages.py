# SPDX-License-Identifier: BSD-3-Clause
"""The section on messages: program and baselines build, run on one node and on two, and print what
the table needs."""

import tempfile

from frame.script import check, finish
from measured import measure

BOTH = (("short_round_trip", 0), ("short_flood", 0), ("medium_flood", 512), ("medium_flood", 3968),
        ("get", 8), ("put_nbi_bw", 1048576),
        ("get_nbi_bw", 1048576), ("init", 0), ("ready", 0))  # fmt: skip
OURS = (("medium_round_trip", 8), ("medium_flood", 8), ("long_round_trip", 512), ("long_flood", 8),
        ("long_flood", 4096), ("put", 8))


def main():
    with tempfile.TemporaryDirectory() as folder:
        document = measure(folder, "am")
    found = {(row["peer"], row["layout"], row["op"], row["bytes"]) for row in document["results"]
             if row["bench"] == "am" and row["median"] > 0}
    wanted = [(peer, layout, *what) for peer in ("causeway", "baseline")
              for layout in ("local", "rdm", "msg") for what in BOTH]
    wanted += [("causeway", layout, *what) for layout in ("local", "rdm", "msg") for what in OURS]
    wanted += ([("baseline", layout, "short_round_trip_two", 0) for layout in ("rdm", "msg")]
               + [("baseline", "local", "two_flags", nbytes) for nbytes in (0, 8, 512, 3968)])
    for key in wanted:
        check(key in found, f"no result for {' '.join(map(str, key))}")
    finish()


if __name__ == "__main__":
    main()
