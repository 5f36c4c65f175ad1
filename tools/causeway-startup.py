#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""causeway-startup FILE.json

Shows where a job's start-up time went, from the file that CAUSEWAY_STATS=json:FILE.json left: for
each phase the fastest PE, the median and the slowest, in milliseconds. `causeway-info --startup`
runs this."""

import argparse
import collections
import gzip
import json
import statistics
import sys
import zlib
from pathlib import Path

PHASES = ("launch", "bootstrap", "node_object", "node_wait", "fabric_load", "endpoint",
          "exchange_post", "exchange_wait",
          "first_connection", "static_connect", "init")
FIGURES = (("connections", 1, ""), ("peers_touched", 1, ""), ("endpoints", 1, ""),
           ("rss_bytes", 1 << 20, " MiB"))


class Unusable(Exception):
    pass


def load(path):
    try:
        text = Path(path).read_bytes()
        data = json.loads(gzip.decompress(text) if text[:2] == b"\x1f\x8b" else text)
    except (EOFError, zlib.error) as error:
        raise Unusable(f"{path} is not whole ({error})") from error
    except OSError as error:
        raise Unusable(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise Unusable(
            f"{path} is not JSON ({error}); did the job end before shmem_finalize?") from error
    if (not isinstance(data, dict) or data.get("format") != "causeway-stats"
        or data.get("version") != 2):
        raise Unusable(
            f"{path} is not a statistics file of this version: make it with "
            f"CAUSEWAY_STATS=json:{path}")
    return data


def row(name, values, digits):
    """Prints one line; values has one entry per PE, in the order of PEs."""
    slowest = max(range(len(values)), key=values.__getitem__)
    numbers = (min(values), statistics.median(values), values[slowest])
    print(f"{name:<22}" + "".join(f"{n:>12.{digits}f}" for n in numbers)
          + (f"  PE {slowest}" if any(values) else ""))


def tally(values):
    return ", ".join(f"{name} {n}" for name, n in sorted(collections.Counter(values).items()))


def show(data):
    pes = sorted(data["pes"], key=lambda record: record["pe"])
    starts = [record["startup"] for record in pes]
    job = data["job"]
    print(f"{job['program']}: {job['npes']} PEs on {job['nnodes']} nodes, joined by "
          f"{tally(s['launcher'] for s in starts)}\n")
    print(f"{'ms':<22}{'least':>12}{'median':>12}{'most':>12}  at")
    for phase in PHASES:
        row(phase.replace("_", " "), [s[f"{phase}_us"] / 1000 for s in starts], 3)
    print()
    for name, unit, suffix in FIGURES:
        row(name.replace("_", " ") + suffix, [record[name] / unit for record in pes],
            0 if unit == 1 else 1)
    print(f"\nexchange, when needed: {tally(s['exchange'] for s in starts)}")
    print(f"libfabric loaded by:   {tally(s['fabric'] for s in starts)}")


def main():
    parser = argparse.ArgumentParser(prog="causeway-startup", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    file = parser.parse_args().file
    try:
        show(load(file))
    except Unusable as error:
        print(f"causeway-startup: {error}", file=sys.stderr)
        return 1
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        print(f"causeway-startup: {file} lacks what such a file has, or has something else there "
              f"({type(error).__name__}: {error})", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
