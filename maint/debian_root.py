# SPDX-License-Identifier: BSD-3-Clause
"""A folder with Debian packages and all that they depend on, unpacked and never installed: what an
emulated machine, or another one by chroot, runs. No step needs root."""

import shutil
import subprocess

MERGED = ["bin", "sbin", "lib", "lib64"]  # links into /usr
UNUSED = ["usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/info", "usr/share/perl5",
          "usr/share/perl", "usr/lib/x86_64-linux-gnu/perl",
          "usr/lib/x86_64-linux-gnu/perl-base", "usr/lib/x86_64-linux-gnu/gconv", "var/lib"]
PSM = "/usr/lib/libpsm1\n"
COMMON = ["apt-get", "-qq", "-o", "Debug::NoLocking=1", "-o", "APT::Sandbox::User="]


class Missing(Exception):
    """It cannot be had here; the text is the reason."""


def run(*command, seconds=300, **more):
    try:
        done = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              errors="replace", timeout=seconds, check=False, **more)
    except subprocess.TimeoutExpired as late:
        raise Missing(f"{command[0]} did not end within {seconds} s") from late
    except OSError as e:
        raise Missing(f"cannot run {command[0]}: {e.strerror}") from e
    if done.returncode:
        words = (done.stderr or done.stdout).strip().splitlines() or ["no reason given"]
        raise Missing(f"{' '.join(map(str, command[:2]))} ...: {words[-1]}")
    return done.stdout


def download(packages, folder):
    """The archives of the packages and of all that they depend on, as for an empty system."""
    (folder / "partial").mkdir(parents=True)
    run(*COMMON, "-o", f"Dir::Cache::archives={folder}", "-o", "Dir::State::status=/dev/null",
        "-o", "APT::Install-Recommends=0", "--yes", "--download-only", "install", *packages,
        seconds=900)
    return sorted(folder.glob("*.deb"))


def unpack(archives, root):
    """Into a new folder root, without manual pages and the like."""
    root.mkdir()
    for name in MERGED:
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    for archive in archives:  # dpkg -x would replace the links by folders
        run("bash", "-o", "pipefail", "-c",
            'dpkg-deb --fsys-tarfile "$1" | tar -x --keep-directory-symlink -C "$2"', "bash",
            archive, root)
    for name in UNUSED:
        shutil.rmtree(root / name, ignore_errors=True)
    for name in ("proc", "sys", "dev", "tmp", "run", "etc"):
        (root / name).mkdir(exist_ok=True)
    (root / "etc/passwd").write_text("root:x:0:0::/:/bin/sh\nuser:x:1000:1000::/:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\nuser:x:1000:\n")
    (root / "etc/nsswitch.conf").write_text("passwd: files\ngroup: files\nhosts: files\n")
    # what the package's alternatives would do
    (root / "etc/ld.so.conf.d").mkdir(exist_ok=True)
    (root / "etc/ld.so.conf.d/psm.conf").write_text(PSM)
