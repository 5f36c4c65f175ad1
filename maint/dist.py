#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes build/causeway-VERSION.tar.gz of what is committed, with the manual pages as pandoc makes
them, so that a build from it needs no pandoc. The same commit and pandoc give the same bytes.
Beside it lie the recipes of Spack and EasyBuild with the checksum of these bytes, which a recipe
inside of the tarball cannot have.

usage: dist.py [--output DIR] [--check]
       --check   also makes it a second time and compares, then unpacks it, builds it there and runs
                 a few tests
"""

import argparse
import concurrent.futures
import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MADE = "docs/man/made"
TESTS = ("tools/man", "tools/wrapper", "lint/words", "conformance/rma/node",
         "conformance/rma/2nodes-msg", "gasnet/every_seq/node")


def git(*arguments):
    return subprocess.run(("git", "-C", str(ROOT), *arguments), check=True,
                          stdout=subprocess.PIPE).stdout


def add(tar, name, data, mode, mtime):
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode, entry.mtime = len(data), mode, mtime
    tar.addfile(entry, io.BytesIO(data))


def committed():
    """Name -> (mode, bytes) of the files of HEAD. Links and submodules: there are none."""
    files = {}
    with tarfile.open(fileobj=io.BytesIO(git("archive", "HEAD"))) as tar:
        for entry in tar:
            if entry.isfile():
                files[entry.name] = (0o755 if entry.mode & 0o100 else 0o644,
                                     tar.extractfile(entry).read())
            elif not entry.isdir():
                sys.exit(f"dist: {entry.name} is neither file nor directory")
    return files


def formatted(source):
    return subprocess.run(("pandoc", "--standalone", "--from=markdown", "--to=man"), input=source,
                          check=True, stdout=subprocess.PIPE).stdout


def make(folder):
    files = committed()
    version = re.search(r"^  version: '([\d.]+)'", files["meson.build"][1].decode(), re.M)[1]
    mtime = int(git("log", "-1", "--format=%ct"))
    pages = [name for name in files if re.fullmatch(r"docs/man/[^/]+\.[1-9]\.md", name)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, text in zip(pages, pool.map(formatted, [files[page][1] for page in pages])):
            files[f"{MADE}/{Path(name).stem}"] = (0o644, text)
    files["COMMIT"] = (0o644, git("rev-parse", "HEAD"))  # for maint/commit.sh
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name in sorted(files):
            mode, data = files[name]
            add(tar, f"causeway-{version}/{name}", data, mode, mtime)
    path = folder / f"causeway-{version}.tar.gz"
    path.write_bytes(gzip.compress(raw.getvalue(), mtime=0))
    return path


RECIPES = {  # path -> the place of the checksum, and what takes it
    "packaging/spack/package.py": (r'^    version\("{version}"\)$',
                                   '    version("{version}", sha256="{digest}")'),
    "packaging/easybuild/Causeway-{version}-GCC-13.3.0.eb": (
        r"^(sources = .*)$", r"\1\nchecksums = ['{digest}']"),
}


def write_recipes(folder, version, digest):
    """Returns their paths."""
    paths = []
    for name, (place, filled) in RECIPES.items():
        name = name.format(version=version)
        text = git("show", f"HEAD:{name}").decode()
        text, n = re.subn(place.format(version=re.escape(version)),
                          filled.format(version=version, digest=digest), text, flags=re.M)
        if n != 1:
            sys.exit(f"dist: {name} has {n} places for the checksum")
        paths.append(folder / Path(name).name)
        paths[-1].write_text(text, encoding="utf-8")
    return paths


def check(path):
    first = path.read_bytes()
    with tempfile.TemporaryDirectory(prefix="causeway-dist-") as folder:
        if make(Path(folder)).read_bytes() != first:
            sys.exit("dist: the second tarball differs from the first")
        print("dist: the second tarball is the same", flush=True)
        with tarfile.open(path) as tar:
            tar.extractall(folder)
        source = Path(folder) / path.name.removesuffix(".tar.gz")
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("CAUSEWAY_", "SHMEM_"))}
        status = subprocess.run(("./dev", "test", *TESTS), cwd=source, env=environment,
                                stdin=subprocess.DEVNULL, check=False).returncode
        if status:
            sys.exit("dist: tests of the unpacked tarball failed")
        page = source / "build/stage/share/man/man3/shmem_put.3"
        if page.read_bytes() != (source / MADE / "shmem_put.3").read_bytes():
            sys.exit("dist: the staged pages are not those of the tarball")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ", 1)[1])
    parser.add_argument("--output", type=Path, default=ROOT / "build")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not (ROOT / ".git").exists():
        sys.exit("dist: this tree is not a clone")
    if not shutil.which("pandoc"):
        sys.exit("dist: pandoc is missing (Debian: pandoc)")
    if git("status", "--porcelain", "--untracked-files=no"):
        print("dist: what is not committed is left out")
    options.output.mkdir(exist_ok=True)
    path = make(options.output)
    if options.check:
        check(path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    for recipe in write_recipes(options.output, re.search(r"-([\d.]+)\.tar", path.name)[1], digest):
        print(f"dist: with the checksum: {recipe}")
    print(f"{digest}  {path}")


if __name__ == "__main__":
    main()
