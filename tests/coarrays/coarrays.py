#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Coarrays by compilers that Debian's stable release does not have: makes a chroot of its unstable
one, builds and installs the library there from the last commit, compiles the programs of tests/caf,
tests/prif and examples/ with each compiler, and runs them on one node and on two emulated ones.
Writes docs/results/coarrays.md. ./dev coarrays calls it, as root, with the package debootstrap; the
last line is "N passed, N failed". What a compiler itself cannot compile is no failure here."""

import argparse
import datetime
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/results/coarrays.md"
MIRROR = "http://deb.debian.org/debian"
GFORTRAN = tuple(f"gfortran-{version}" for version in (12, 13, 14, 15, 16))
COMPILERS = (*GFORTRAN, "flang-22")
PACKAGES = (*COMPILERS, "gcc", "g++", "meson", "ninja-build", "pkgconf", "libfabric-dev", "python3")
# For ./dev bench --against prif.caffeine.
PEERS = ("libfortran-caffeine-dev", "libfortran-assert-dev", "libgasnet-dev", "libopenmpi-dev")
LAYOUTS = (("-n", "4"), ("-n", "3", "--emulate-nodes", "2"))
STAGE = "/causeway/stage"
# What a compiler says when it gives up by itself.
OWN_FAULT = re.compile(r"internal compiler error|not yet implemented|LLVM ERROR")


@dataclass(frozen=True)
class Program:
    """name: in the page; sources: of the repository; prif: by the module, or by what the compiler
    lowers itself (lowered), else by gfortran's own calls. says: what it prints if all is right.
    compilers: for which it is."""
    name: str
    sources: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    prif: bool = False
    lowered: bool = False
    layouts: tuple[tuple[str, ...], ...] = LAYOUTS
    says: str = r", 0 (checks )?failed|^RESULT "
    compilers: tuple[str, ...] = COMPILERS


def caf_test(name, *arguments, more=(), **rest):
    """Preprocessed: the name has its ending."""
    source = f"tests/caf/{name}" if "." in name else f"tests/caf/{name}.f90"
    return Program(source.partition(".")[0], ("tests/caf/checks.f90", *more, source), arguments,
                   **rest)


def prif_test(name, *arguments, layouts=LAYOUTS):
    return Program(f"tests/prif/{name}", ("tests/prif/checks.f90", f"tests/prif/{name}.f90"),
                   arguments, prif=True, layouts=layouts)


def examples():
    found = []
    for folder in sorted((ROOT / "examples").glob("*-caf-*")):
        sources = tuple(str(source.relative_to(ROOT)) for source in sorted(folder.glob("*.f90")))
        found.append(Program(f"examples/{folder.name}", sources))
    return found


PROGRAMS = (
    *map(caf_test, ("transfers", "sections", "empty", "subscripts", "components",
                    "words")),
    # what 15 and 16 compile follows pointers in the image that accesses
    caf_test("targets", compilers=GFORTRAN[:3]),
    caf_test("collectives"),
    caf_test("teams", more=("tests/caf/ancestors.F90",)),
    caf_test("gone", "fail"),
    # fourteen are killed, one behind the other; image 9 hosts the second node's server
    caf_test("killed.F90", "all", "9",
             layouts=(("-n", "15"), ("-n", "16", "--emulate-nodes", "2"))),
    caf_test("stopping", says="images stopped, and each list had those before it"),
    caf_test("stopped", says="^images stopped, and the others went on"),
    caf_test("stopped_team.F90", says="^images of teams stopped"),
    caf_test("stopped_first.F90", layouts=(("-n", "8"), ("-n", "8", "--emulate-nodes", "2")),
             says="^7 statements have learnt of an image that stopped"),
    *examples(),
    *map(prif_test, ("access", "words", "teams", "collectives")),
    prif_test("gone", "fail"),
    prif_test("stopped", layouts=(("-n", "9"), ("-n", "9", "--emulate-nodes", "2"))),
    prif_test("killed", "all", "10",
              layouts=(("-n", "16"), ("-n", "18", "--emulate-nodes", "2"))),
    Program("tests/prif/lowered", ("tests/prif/lowered.f90",), prif=True, lowered=True),
)


class Chroot:
    """A folder with Debian's unstable release, entered in a mount namespace of its own."""

    def __init__(self, folder: Path):
        self.folder = folder

    def run(self, script: str, *arguments: str, timeout: float = 3600):
        """A script of sh; returns status and output together. 124: it took too long."""
        outer = ('mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && '
                 'exec chroot "$0" sh -c "$@"')
        command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation",
                   "private", "sh", "-c", outer, str(self.folder), script, "sh", *arguments]
        env = {"PATH": f"{STAGE}/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8",
               "LD_LIBRARY_PATH": f"{STAGE}/lib",  # for the module's library (prif(7))
               "DEBIAN_FRONTEND": "noninteractive"}
        try:
            done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, text=True,
                                  errors="replace", stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=timeout, check=False)
        except subprocess.TimeoutExpired as error:
            return 124, (error.stdout or b"").decode(errors="replace")
        return done.returncode, done.stdout

    def must(self, what: str, script: str, *arguments: str):
        print(f"coarrays: {what}", flush=True)
        status, output = self.run(script, *arguments)
        if status != 0:
            sys.exit(f"{output[-4000:]}\ncoarrays: {what} failed with status {status}")
        return output

    def make(self, packages=PACKAGES):
        if not (self.folder / "etc/debian_version").exists():
            print(f"coarrays: making a chroot in {self.folder}", flush=True)
            self.folder.mkdir(parents=True, exist_ok=True)
            # what it mounts ends with it
            done = subprocess.run(["unshare", "--mount", "--propagation", "private", "debootstrap",
                                   "--variant=minbase", "sid", str(self.folder), MIRROR],
                                  stdout=subprocess.DEVNULL, check=False)
            if done.returncode != 0:
                sys.exit(f"coarrays: debootstrap failed ({self.folder}/debootstrap has its log)")
        missing = "dpkg-query -W -f '${Status}\\n' \"$@\" 2>&1 | grep -vc 'ok installed'"
        if self.run(missing, *packages)[0] != 0:
            return  # nothing is missing
        # a mirror may be weeks behind, which the page's versions show
        self.must("installing the compilers",
                  'apt-get update -q -o Acquire::Check-Valid-Until=false && '
                  'apt-get install -qy --no-install-recommends "$@"', *packages)

    def take_sources(self):
        """Those of the last commit; returns how the page names it."""
        self.must("clearing", "rm -rf /causeway && mkdir -p /causeway/source /causeway/programs")
        archive = subprocess.Popen(["git", "-C", str(ROOT), "archive", "HEAD"],
                                   stdout=subprocess.PIPE)
        subprocess.run(["tar", "-x", "-C", str(self.folder / "causeway/source")],
                       stdin=archive.stdout, check=True)
        if archive.wait() != 0:
            sys.exit("coarrays: git archive failed")
        commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short=9", "HEAD"],
                                stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        (self.folder / "causeway/commit").write_text(commit, encoding="utf-8")
        return commit

    def build(self):
        return self.must("building the library", """
            cd /causeway/source
            meson setup ../build --prefix="$1" -Dlibdir=lib -Dtests=false -Dman=disabled \\
                -Dmpi=disabled -Dpmix=disabled -Dhwloc=disabled -Dprif=disabled \\
                -Dsimulator=false && meson install -C ../build""", STAGE)

    def build_prif(self, compiler: str):
        """The module by that compiler; the output if that fails."""
        status, output = self.run(f"""
            script={STAGE}/share/causeway/prif/build.sh
            $script compile "$1" "/causeway/$1" && $script link "$1" "/causeway/$1" {STAGE}/lib""",
            compiler)
        return output if status != 0 else ""


def compile_line(program: Program, compiler: str, binary: str):
    sources = [f"/causeway/source/{source}" for source in program.sources]
    own = f"/causeway/{compiler}"
    if not program.prif:
        return [f"CAF_FC={compiler}", "caf", "-O2", "-w", "-o", binary, *sources]
    options = ["-fcoarray"] if program.lowered else []
    return [compiler, "-O2", "-w", *options, f"-I{own}", "-o", binary, *sources, f"-L{own}",
            "-lprif_causeway", f"-L{STAGE}/lib", "-lcauseway", f"-Wl,-rpath,{own}",
            f"-Wl,-rpath,{STAGE}/lib"]


def cell(chroot: Chroot, program: Program, compiler: str):
    """What the page has, and whether that is a failure."""
    is_flang = compiler.startswith("flang")
    if compiler not in program.compilers or \
            program.lowered != is_flang and (program.lowered or not program.prif):
        return "–", False
    binary = f"/causeway/programs/{program.name.replace('/', '-')}-{compiler}"
    # modules of programs go into a folder that later ones clear
    status, output = chroot.run('rm -rf /causeway/modules; mkdir /causeway/modules; '
                                'cd /causeway/modules && exec env "$@"',
                                *compile_line(program, compiler, binary), timeout=600)
    if status != 0:
        own = OWN_FAULT.search(output)
        print(output[-2000:])
        return ("the compiler gives up", False) if own else ("**does not compile**", True)
    for layout in program.layouts:
        status, output = chroot.run('oshrun "$@"; exit', *layout, binary,
                                    *program.arguments, timeout=180)
        if status != 0 or not re.search(program.says, output, re.MULTILINE):
            print(output[-2000:])
            return f"**fails** ({' '.join(layout)})", True
    return "yes", False


def versions(chroot: Chroot):
    found = []
    for compiler in COMPILERS:
        output = chroot.run('"$1" --version', compiler)[1].splitlines()[0]
        number = re.search(r"\d+\.\d+\.\d+", output)
        found.append(f"{compiler.split('-')[0]} {number[0] if number else '?'}")
    return found


def page(commit: str, heads, rows):
    lines = [
        "# Coarrays by compiler", "",
        "<!-- Generated by tests/coarrays/coarrays.py: do not edit. -->", "",
        "The programs of `tests/caf` and `tests/prif`, and the examples with coarrays, by each",
        "version of gfortran that the library knows, and by flang. `./dev coarrays` writes this",
        "page: it makes a chroot of Debian's unstable release, and builds and installs the library",
        "there with that release's C compiler. *Yes*: compiled, and right with 4 images on one",
        "node and with 3 on two emulated ones. *The compiler gives up*: by an error of its own.",
        "*–*: not for this compiler. `tests/prif/lowered` has what flang lowers to PRIF by",
        "itself; the other programs of that folder call the module.", "",
        f"{datetime.date.today()}, commit {commit}.", "",
        "| program | " + " | ".join(heads) + " |",
        "|---" * (len(heads) + 1) + "|"]
    lines += [f"| `{name}` | " + " | ".join(cells) + " |" for name, cells in rows]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chroot", type=Path, default=ROOT / "build/coarrays/sid",
                        help="its folder (default: %(default)s)")
    parser.add_argument("--only", action="append", choices=COMPILERS, metavar="COMPILER",
                        help="only this compiler, without the page; may be repeated")
    parser.add_argument("--peers", action="store_true",
                        help="only makes the chroot, with what ./dev bench compares there")
    parser.add_argument("--again", action="store_true",
                        help="with the sources and the library of the last run")
    options = parser.parse_args()
    if os.geteuid() != 0:
        print("SKIP: needs root")
        sys.exit(77)
    chroot = Chroot(options.chroot.resolve())
    if options.peers:
        chroot.make((*PACKAGES, *PEERS))
        return
    chroot.make()
    if options.again:
        commit = (chroot.folder / "causeway/commit").read_text(encoding="utf-8")
    else:
        commit = chroot.take_sources()
        chroot.build()
    compilers = options.only or COMPILERS
    passed = failed = 0
    rows = {program.name: [] for program in PROGRAMS}
    for compiler in compilers:
        output = chroot.build_prif(compiler)
        if output:
            print(f"{output[-2000:]}\ncoarrays: {compiler} does not compile the module prif")
        for program in PROGRAMS:
            result, is_failure = cell(chroot, program, compiler)
            rows[program.name].append(result)
            passed += result == "yes"
            failed += is_failure
            if result != "–":
                print(f"{compiler} {program.name}: {result}", flush=True)
    if not options.only:
        page(commit, versions(chroot), rows.items())
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
