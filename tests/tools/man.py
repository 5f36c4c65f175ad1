#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every exported function has a manual page in the install tree, reachable by its name, all pages
are there and render without a warning, and links among installed documents lead somewhere. Skipped
if pandoc was missing when the tree was built, or if man is missing."""
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from frame.script import ROOT, STAGE, fail, finish, skip

MAN = STAGE / "share/man"
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "ARGUMENTS", "RETURN VALUE", "ERRORS", "THREADS",
            "NOTES", "EXAMPLE", "SEE ALSO",
            "SOURCE"]
sys.path.insert(0, str(ROOT / "maint"))
import gen_shmem  # noqa: E402


def functions():
    """Exported names without their profiling names, which shmem_pcontrol(3) is about."""
    golden = set((ROOT / "tests/api/golden_exports.txt").read_text(encoding="utf-8").split())
    return sorted(n for n in golden if n.startswith("_") or "p" + n in golden)


def gasnet_functions():
    """Exported names of GASNet that are no helpers of its headers."""
    names = []
    for room in ("gasnet", "gasnet_job", "gex"):
        exports = (ROOT / f"src/{room}/exports.txt").read_text(encoding="utf-8")
        names += re.findall(r"^(?:gasnet_(?!(?:coll_)?causeway)|gex_[A-Z])\w+$", exports, re.M)
    return sorted(names)


def man(*arguments):
    env = dict(os.environ, MANPATH=str(MAN), MANWIDTH="100", LC_ALL="C.UTF-8", MANPAGER="cat")
    return subprocess.run(["man", *arguments], env=env, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=60)


def leads_to(name):
    """The file with the text behind a name of section 3, or None."""
    path = MAN / "man3" / f"{name}.3"
    for _ in range(3):
        if not path.is_file():
            return None
        text = path.read_text(encoding="utf-8")
        link = re.match(r"\.so (\S+)\n$", text)
        if not link:
            return path
        path = MAN / link[1]
    return None


def check_pages(pages):
    with ThreadPoolExecutor(4) as pool:
        rendered = pool.map(lambda page: man("--warnings=w", "-l", str(page)), pages)
    for page, done in zip(pages, rendered):
        if done.returncode or done.stderr.strip():
            yield f"{page.name} does not render cleanly: {done.stderr.strip()[:500]}"
        headings = [line for line in done.stdout.splitlines() if line and line == line.upper()
                    and line[0].isalpha()]
        if page.suffix == ".3":
            missing = [s for s in SECTIONS if not any(h.replace("‐", "-") == s for h in headings)]
            if missing:
                yield f"{page.name} has no section {', '.join(missing)}"


def check_installed():
    for source in sorted((ROOT / "docs/man").glob("*.[1-9].md")):
        page = MAN / f"man{source.stem[-1]}" / source.stem
        if not page.is_file():
            yield f"{source.name} is not installed: docs/meson.build does not name it"
    for link in sorted((MAN / "man3").iterdir()):
        if not leads_to(link.stem):
            yield f"man 3 {link.stem} leads nowhere: {link.read_text(encoding='utf-8').strip()}"


def check_documents():
    """Links among the pages that are installed; those of developers are not."""
    docs = STAGE / "share/doc/causeway"
    for page in (docs / "README.md", *sorted((docs / "docs").rglob("*.md"))):
        for link in re.findall(r"\]\(([^)#:]+)[)#]", page.read_text(encoding="utf-8")):
            place = (page.parent / link).resolve()
            if re.search(r"/docs/(guide|man)/", str(place)) and not place.exists():
                yield f"{page.relative_to(docs)}: {link} leads nowhere"


def check_functions(names):
    patterns = {name: row["name"] for row, name, _ in gen_shmem.functions()}
    for name in names:
        page = leads_to(name)
        if not page:
            yield f"{name} has no page"
            continue
        # The synopsis names the function, or the pattern it is made from.
        text = page.read_text(encoding="utf-8").replace("\\f[B]", "").replace("\\f[R]", "").replace(
            "\\", "")
        if name not in text and patterns.get(name, name) not in text:
            yield f"{name} leads to {page.name}, which does not mention it"


def main():
    if not shutil.which("man"):
        skip("man is not installed")
    pages = sorted(p for folder in MAN.glob("man[1-9]") for p in folder.iterdir()
                   if not p.is_symlink() and not p.read_bytes().startswith(b".so "))
    if not pages:
        skip("the install tree has no manual pages (pandoc was missing when it was made)")
    names = functions() + gasnet_functions()
    for text in [*check_pages(pages), *check_installed(), *check_documents(),
                 *check_functions(names)]:
        fail(text)
    for name in ("shmem_int_put", "shmem_ctx_uint64_atomic_fetch_xor_nbi", "shmem_put", "_my_pe",
                 "start_pes", "shmem_init"):
        done = man("-w", "3", name)
        if done.returncode:
            fail(f"man 3 {name}: {done.stderr.strip()}")
    finish(f"{len(pages)} pages, {len(names)} functions")


if __name__ == "__main__":
    main()
