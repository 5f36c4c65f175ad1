#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Numbers in files, messages and settings have a decimal point where the program's locale has a
comma. The locale is made here: of de_DE only the numbers matter."""
import json
import os
import re
import subprocess
from pathlib import Path
from shutil import which

from common import HERE, check, finish, oshcc, run
from frame.script import skip

GERMAN = 'comment_char %\nescape_char /\nLC_NUMERIC\ndecimal_point ","\nthousands_sep "."\n' \
         "grouping 3;3\nEND LC_NUMERIC\n"
COMMA = re.compile(r"\d,\d")


def make_locale():
    if not which("localedef"):
        skip("there is no localedef (Debian: libc-bin)")
    Path("german").write_text(GERMAN)
    # status 1: of the other categories there is nothing, as intended
    subprocess.run(["localedef", "-c", "-i", "german", f"{Path.cwd()}/de_DE"], capture_output=True)
    if not Path("de_DE/LC_NUMERIC").exists():
        skip("localedef makes no locale of numbers alone")
    os.environ |= {"LOCPATH": str(Path.cwd()), "LC_ALL": "de_DE"}


def job(layout, **settings):
    return run("decimal", layout=layout, SHMEM_SYMMETRIC_SIZE="1.5m", TEST_REAL="2.5",
               TEST_FRACTION="7.5/1.5", TEST_SIZE="1.5K", GASNET_VERBOSEENV=1, **settings)


def main():
    make_locale()
    oshcc("decimal", HERE / "decimal.c", "-lgasnet_tools-par")
    for layout in ("node", "2nodes-msg"):
        delay = {"CAUSEWAY_DELAY": "1:100"} if layout != "node" else {}  # which prints figures, too
        output = job(layout, CAUSEWAY_STATS="json:stats.json", CAUSEWAY_TRACE="trace.json", **delay)
        check("ENV parameter: TEST_REAL = 2.5" in output, f"{layout}: GASNet's display", output)
        check(not COMMA.search(output), f"{layout}: no comma", output)
        stats, _ = json.loads(Path("stats.json").read_text()), json.loads(
            Path("trace.json").read_text())
        check(isinstance(stats["pes"][0]["elapsed_us"], float), f"{layout}: a fraction in JSON")
    for form in ("1", "pes"):
        output = job("node", CAUSEWAY_STATS=form)
        check(re.search(r"\d\.\d+ [mu]?s|\d\.\d us", output) and not COMMA.search(output),
              f"statistics {form}: points", output)
    output = run("decimal", expect=1, SHMEM_SYMMETRIC_SIZE="1T")
    check("1024.00 GiB" in output, "a message has points", output)
    finish("decimal")


if __name__ == "__main__":
    main()
