# SPDX-License-Identifier: BSD-3-Clause
"""Peers that Debian's stable release does not have: libcaf_shmem of GCC 16, and Caffeine, which is
PRIF over GASNet-EX. They are built and run in the chroot of ./dev coarrays, as root, on one
machine."""

import os
import shutil

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SID = os.path.join(ROOT, "build", "coarrays", "sid")
# The tree is there under the same name.
ENTER = """
mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && mkdir -p "$0$1" &&
mount --bind "$1" "$0$1" && sid=$0 && shift && exec chroot "$sid" env LC_ALL=C.UTF-8 "$@"
"""
INSIDE = ["unshare", "--mount", "--propagation", "private", "sh", "-c", ENTER, SID, ROOT]
LIBRARIES = "/usr/lib/x86_64-linux-gnu"
CAFFEINE = ["-lcaffeine-smp", f"{LIBRARIES}/fortran/flang/libassert.a", "-lgasnet-smp-seq", "-lmpi",
            "-lopen_mpi", "-lrt", "-lpthread", "-lm"]
# --against: name and tag of the peer, the program, its compiler, the libraries, the variable of the
# number of images, a file that is there if it is installed
PEERS = {
    "caf.shmem": ("libcaf_shmem, GCC 16", "caf-shmem", "caf",
                  ["gfortran-16", "-fcoarray=lib", "-w"], ["-lcaf_shmem"], "GFORTRAN_NUM_IMAGES",
                  "/usr/bin/gfortran-16"),
    "prif.caffeine": ("Caffeine 0.8", "caffeine", "prif",
                      ["flang-22", "-w", f"-I{LIBRARIES}/fortran/flang-mod-22"], CAFFEINE,
                      "GASNET_PSHM_NODES", f"{LIBRARIES}/libcaffeine-smp.a"),
}


def lacks(name):
    """Why there is no such peer here, or None."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return "needs root"
    if not os.path.exists(SID + PEERS[name][-1]):
        return "./dev coarrays --peers makes the chroot in which it is installed"
    return None


def peer(make, name):
    """make: the class."""
    reason = lacks(name)
    if reason:
        raise SystemExit(f"bench: --against {name}: {reason}")
    title, tag, program, compiler, libs, variable, _ = PEERS[name]
    new = make(title, tag, compiler[0], "")
    new.fortran = {program: ([*INSIDE, *compiler], libs)}
    new.programs = (program,)
    new.start = (*INSIDE, "env", f"{variable}=%N")
    new.reasons["tcp"] = "one machine only"
    return new
