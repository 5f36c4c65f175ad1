#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A browser draws the page of a job: of one that has ended well, of one that was killed, and the
page that causeway-plot makes of a file."""
import re
import subprocess

from common import check, compile_program, finish, run


def look(page, *texts):
    """Loads the page without a network; its script has to come to its end."""
    done = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu",
                           "--user-data-dir=profile", "--host-resolver-rules=MAP * ~NOTFOUND",
                           "--virtual-time-budget=10000", "--dump-dom", page],
                          capture_output=True, text=True, check=False, timeout=100)
    drawn = re.sub(r"<script.*?</script>", "", done.stdout, flags=re.S)
    check('data-drawn="all"' in drawn, f"{page} is not drawn: {done.stdout[:500]} {done.stderr}")
    for text in texts:
        check(text in drawn, f"{page} lacks '{text}'")


def main():
    compile_program("traffic")
    compile_program("early")
    run("traffic", pes=4, layout="2nodes-msg", CAUSEWAY_STATS="html:page.html")
    look("page.html", "<h1 id=\"title\">traffic</h1>", "4 PEs on 2 nodes",
         "<td>shmem_barrier_all</td><td>12</td>", "<td>put_signal</td><td>4</td><td>400 B</td>")
    run("traffic", pes=1, CAUSEWAY_STATS="json:one.json.gz")
    subprocess.run(["causeway-plot", "one.json.gz", "-o", "one.html"], check=True)
    look("one.html", "1 PE on 1 node", "<td>put_signal</td><td>1</td>")
    run("early", "kill", pes=3, expect=None, CAUSEWAY_STATS="html:early.html")
    look("early.html", "the job ended early")
    finish("pages in a browser")


if __name__ == "__main__":
    main()
