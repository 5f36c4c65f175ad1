#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs what ./dev cores has packed, in a chroot, as root: measure PACK FOLDER [MINUTES]. Leaves
results.json and log in FOLDER, and nothing else."""
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ONLY = ["many", "coll", "threads", "pingpong", "atomics", "floods", "latency", "rate"]
ENTER = """\
mount --make-rprivate /
mount -t proc proc "$1/proc"
mount --rbind /sys "$1/sys"
mount --rbind /dev "$1/dev"
mount -t tmpfs -o mode=1777 shm "$1/dev/shm"
chmod 1777 "$1/tmp"
mkdir "$1/out" && mount --bind "$2" "$1/out"
root=$1; shift 2
exec chroot "$root" "$@"
"""
# Open MPI wants a remote shell even where it starts nothing elsewhere.
ENV = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp", "LC_ALL": "C.UTF-8",
       "OMPI_MCA_plm_rsh_agent": "true"}


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if os.getuid() != 0:
        sys.exit("measure: only root may chroot and mount")
    pack, out = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    minutes = sys.argv[3] if len(sys.argv) > 3 else "6"
    out.mkdir(parents=True, exist_ok=True)
    root = Path(tempfile.mkdtemp(prefix="causeway-cores-"))
    try:
        with tarfile.open(pack) as tar:
            tar.extractall(root)
        words = json.loads((root / "etc/causeway-bench").read_text())
        words += ["--rounds", "2", "--minutes", minutes, "--json", "/out/results.json",
                  "--plots", "/tmp/plots"]
        words += [word for name in ONLY for word in ("--only", name)]
        command = ["unshare", "--mount", "--pid", "--fork", "sh", "-ec", ENTER, "sh", root, out,
                   "python3", *words]
        with open(out / "log", "w", encoding="utf-8") as log:
            child = subprocess.Popen(command, env=ENV, text=True, errors="replace",
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            for line in child.stdout:
                print(line, end="", flush=True)
                log.write(line)
            return child.wait()
    finally:
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
