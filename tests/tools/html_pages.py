#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""./dev html, for the guide and the pages of commands: what is linked is there, functions and
words are found by the search (where there is Node.js to run it), and no other folder is erased."""
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from frame.script import ROOT, check, fail, finish

PAGES = ["README.md", *(p.relative_to(ROOT).as_posix() for pattern in (
    "docs/guide/*.md", "docs/man/*.1.md", "docs/man/causeway-env.7.md",
    "docs/man/shmem_[pgi]*.3.md") for p in sorted(ROOT.glob(pattern)))]
QUERIES = {
    "shmem_int_put": ("docs/man/shmem_put.3.html", "shmem_int_put(3)"),
    "kill-on-bad-exit Slurm": ("docs/guide/running.html", ""),
    "--emulate-nodes": ("docs/man/oshrun.1.html#term-emulate-nodes", "oshrun(1)"),
    "aggregate": ("docs/man/causeway-env.7.html#term-CAUSEWAY_AGGREGATE", "causeway-env(7)"),
    "Coming from MPI": ("docs/guide/migrating.html", ""),
}


def make(output, *pages):
    return subprocess.run([sys.executable, ROOT / "maint/gen_html.py", "--output", output, *pages],
                          capture_output=True, text=True, check=False)


def linked():
    """Each link between the pages leads to a file, and to a heading in it."""
    number = 0
    for path in Path("site").rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        for link in re.findall(r'(?:href|src)="([^"]+)"', text):
            file, _, anchor = link.partition("#")
            target = path.parent / file if file else path
            source = (target.resolve().relative_to(Path("site").resolve()).with_suffix(".md")
                      if not re.match("[a-z]+:", link) else None)
            if source is None or not target.exists() and source.as_posix() not in PAGES:
                continue  # elsewhere, or a page that was not asked for
            number += 1
            check(target.exists(), f"{path}: {link} leads nowhere")
            check(not anchor or f'id="{anchor}"' in target.read_text(encoding="utf-8"),
                  f"{path}: no such heading: {link}")
    check(number > 1000, f"only {number} links")


def searched():
    node = shutil.which("node")
    if not node:
        print("the search is not run: no node")
        return
    script = ("const s = require('./site/search.js');"
              "const i = new Function(require('fs').readFileSync('site/index.js', 'utf8')"
              " + '; return [PAGES, FUNCTIONS];')();"
              "console.log(JSON.stringify(JSON.parse(process.argv[1])"
              ".map((q) => s.search(q, ...i))));")
    done = subprocess.run([node, "-e", script, json.dumps([*QUERIES, "no_such_word_here", "   "])],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        fail(done.stderr)
        return
    *answers, unknown, empty = json.loads(done.stdout)
    for (query, (link, title)), found in zip(QUERIES.items(), answers):
        check(bool(found) and found[0]["link"].startswith(link) and title in found[0]["title"],
              f"{query} finds {found[:2]}")
    check(not unknown and not empty, "something is found for nothing")


done = make("site", *PAGES)
check(done.returncode == 0 and f"{len(PAGES)} pages" in done.stdout, done.stdout + done.stderr)
linked()
searched()
again = make("site", "README.md")
check(again.returncode == 0 and not Path("site/docs/guide/running.html").exists(), "old pages stay")
Path("mine").mkdir()
Path("mine/file").touch()
foreign = make("mine", "README.md")
check(foreign.returncode != 0 and "left as it is" in foreign.stderr and Path("mine/file").exists(),
      "a folder of others is erased")
check("no such page" in make("other", "docs/nowhere.md").stderr, "an unknown page")
finish()
