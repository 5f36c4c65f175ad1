#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What changes with the number of cores, measured on another machine, where nothing can be
installed: packs the bench with the libraries of Debian that it needs, and runs it, here too.

    ./dev cores                          # packs, and measures on this machine
    ./dev cores --pack                   # only packs: build/cores has what is taken there
    ./measure pack.tar.xz FOLDER         # there, as root: results.json and log in FOLDER
    ./dev bench --from-json FOLDER/results.json --report docs/bench/cores.md --plots docs/bench
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
sys.path[:0] = [str(BENCH), str(ROOT / "maint")]
sys.dont_write_bytecode = True
import debian_root  # noqa: E402
from driver import peers  # noqa: E402

PACKAGES = ["python3", "libfabric1", "dash", "bash", "coreutils", "grep", "sed", "mount",
            "util-linux", "procps", "hostname", "libgfortran5"]
OF_PEERS = ["openmpi-bin", "mpich"]
# Of what packages depend on, large and called by nothing here: Perl's scripts, ssh, and the parser
# of a plugin of hwloc.
NEEDLESS = ("usr/bin/perl*", "usr/bin/ssh*", "usr/lib/openssh", "usr/lib/*/libperl*",
            "usr/lib/*/libicu*", "usr/lib/*/libxml2*", "usr/share/X11")
LEFT_OUT = ("*.o", "*.a", "man", "doc", "*.mod", "*.trace", "plots", "lock", "ablate")
ALLOWED = 60 << 20  # bytes of what is taken along


def say(text):
    print(f"cores: {text}", flush=True)


def arguments():
    p = argparse.ArgumentParser(prog="./dev cores", description=__doc__.split("\n\n", 1)[0])
    p.add_argument("--stage", type=Path, required=True, help=argparse.SUPPRESS)
    p.add_argument("--pack", action="store_true", help="measure nothing")
    p.add_argument("--alone", action="store_true", help="without other libraries")
    p.add_argument("--minutes", type=float, default=6, help="for all measurements; default 6")
    p.add_argument("--out", type=Path, default=ROOT / "build" / "cores",
                   help="default build/cores")
    return p.parse_args()


def copy_tree(root, stage, wrappers):
    """The bench, the library and the built programs, at the same path as here; what a peer is named
    by."""
    here = root / ROOT.relative_to("/")
    ignore = shutil.ignore_patterns(*LEFT_OUT)
    for folder in (BENCH, stage, ROOT / "build" / "bench"):
        shutil.copytree(folder, here / folder.relative_to(ROOT), symlinks=True, ignore=ignore)
    for wrapper in wrappers:
        to = root / "usr/bin" / Path(wrapper).name
        if not to.exists() and not to.is_symlink():
            to.write_text("#!/bin/sh\necho 'no compiler here' >&2\nexit 1\n")
            to.chmod(0o755)


def links_of_alternatives(root):
    """The names under which the packages' scripts would make the launchers known."""
    for name in ("mpiexec.openmpi", "orterun", "oshrun", "mpiexec.mpich", "mpiexec.hydra"):
        here = shutil.which(name)
        to = root / "usr/bin" / name
        if here and not to.exists() and not to.is_symlink():
            to.symlink_to(os.path.realpath(here))


def pack(args):
    """build/cores: the archive, and the script that runs it."""
    wrappers = [] if args.alone else peers.all_found()
    against = [word for wrapper in wrappers for word in ("--against", wrapper)]
    subprocess.run([sys.executable, BENCH / "run.py", "--stage", args.stage, "--build-only",
                    *against], check=True)
    args.out.mkdir(parents=True, exist_ok=True)
    archive = args.out / "pack.tar.xz"
    with tempfile.TemporaryDirectory(dir=args.out) as folder:
        work = Path(folder)
        say("downloading packages")
        archives = debian_root.download(PACKAGES + ([] if args.alone else OF_PEERS),
                                        work / "archives")
        say(f"unpacking {len(archives)} packages")
        root = work / "root"
        debian_root.unpack(archives, root)
        for path in (path for pattern in NEEDLESS for path in list(root.glob(pattern))):
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        copy_tree(root, args.stage, [shutil.which(w) for w in wrappers])
        links_of_alternatives(root)
        (root / "etc/hosts").write_text("127.0.0.1 localhost\n")
        (root / "etc/causeway-bench").write_text(json.dumps(
            [str(BENCH / "run.py"), "--stage", str(args.stage), "--built", *against]))
        debian_root.run(shutil.which("ldconfig") or "/usr/sbin/ldconfig", "-r", root)
        say("compressing")
        with tarfile.open(archive, "w:xz", preset=6) as tar:
            tar.add(root, ".", filter=owned_by_root)
    shutil.copy(BENCH / "cores_measure.py", args.out / "measure")
    size = archive.stat().st_size
    say(f"{archive} has {size >> 20} MiB"
        + ("" if size <= ALLOWED else f", more than the {ALLOWED >> 20} that it may have"))
    return archive


def owned_by_root(member):
    member.uid = member.gid = 0
    member.uname = member.gname = "root"
    return member


def main():
    args = arguments()
    args.stage, args.out = args.stage.resolve(), args.out.resolve()
    try:
        archive = pack(args)
    except debian_root.Missing as reason:
        sys.exit(f"cores: {reason}")
    if args.pack:
        return 0
    return subprocess.run([args.out / "measure", archive, args.out / "measured",
                           str(args.minutes)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
