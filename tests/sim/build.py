#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds the library for the simulator, and the scenes: build.py BUILD_DIR

The sources and flags are those of libcauseway.a as meson has them; what differs is
-fsanitize=thread with the simulator's runtime in place of libtsan, portable.h before each source,
no assembly, and the calls of the C library that --wrap turns over. Everything is under
BUILD_DIR/sim."""
import fcntl
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RUNTIME = ["driver", "exhaust", "fault", "fork", "map", "model", "mpi", "net", "net_act", "net_ep",
           "net_fault", "net_lib", "net_pick", "net_queue", "options", "plan", "report", "sched",
           "sites", "snap", "tsan"]
# Tables find a call by the address that it comes from, so how far they look depends on where the
# library lies: kernels would place it differently. The loader asks for this address.
PLACE = "0x7e0000000000"
WRAPPERS = ["wrap_fault", "wrap_io", "wrap_machine", "wrap_process", "wrap_thread"]
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
FLAGS = ["-std=c17", "-D_GNU_SOURCE", "-fPIC", "-g", "-I", HERE]
WARN = ["-Wall", "-Wextra", "-Werror"]
ROOMS = ("src", "include")  # where mutations may be
INSTRUMENT = ["-fsanitize=thread", "-O1", "-g1"]  # lines for stacks; all of -g takes a third more
# Searches of symbol tables, in files that each call maps itself: millions of loads that
# no other thread sees, in each of which a search of all schedules would look for another one.
ALONE = {"src/base/symbol.c"}
# What the simulator has one of its own for.
REPLACED = {"src/core/device/cuda.c": "device.c"}
# of meson's flags: what makes no other code, or has another value here
LEFT_OUT = ("-fsanitize", "-O", "-g", "-W", "-fdiagnostics")


def wrapped():
    """The functions that the runtime's SIM_WRAPPERs stand in for."""
    names = ["syscall", "mremap", "open", "open64"]
    for name in WRAPPERS:
        for line in (HERE / f"{name}.c").read_text().splitlines():
            if line.startswith("SIM_WRAPPER("):
                names.append(line.split(",")[1].strip())
    return names


def library_sources(build):
    """(source, flags) of each C file of libcauseway.a."""
    commands = json.loads((build / "compile_commands.json").read_text())
    for c in commands:
        if not c["output"].startswith("libcauseway.a.p/") or not c["file"].endswith(".c"):
            continue
        words, flags, skip = shlex.split(c["command"]), [], False
        for word in words[1:]:
            if skip:
                skip = False
            elif word in ("-o", "-c", "-MQ", "-MF"):
                skip = True
            elif word != "-MD" and not word.startswith(LEFT_OUT):
                flags.append(word)
        source = (build / c["file"]).resolve()
        own = REPLACED.get(str(source.relative_to(ROOT)))
        yield (HERE / own, [*flags, "-I", HERE]) if own else (source, flags)


def system_headers(source, root, known):
    """The headers <...> that a source reaches through those of the project."""
    if source in known:
        return known[source]
    found = known[source] = set()
    for line in source.read_text(errors="replace").splitlines():
        match = INCLUDE.match(line)
        if not match:
            continue
        name = match[2]
        places = [d / name for d in (source.parent, root / "src", root / "include")]
        mine = next((p.resolve() for p in places if p.is_file()), None)
        if mine:
            found |= system_headers(mine, root, known)
        elif match[1] == "<" and name != "errno.h":  # does not ask for the processor; has names
            found.add(name)
    return found


def write_prelude(file, headers):
    """What comes before a source: the system's headers, while the processor still has its name."""
    lines = ["// SPDX-License-Identifier: BSD-3-Clause"]
    for h in sorted(headers):
        lines += [f"#if __has_include(<{h}>)", f"#include <{h}>", "#endif"]
    text = "\n".join([*lines, f'#include "{HERE / "portable.h"}"', ""])
    if not file.exists() or file.read_text() != text:
        file.write_text(text)
    return file


def quote(words):
    return " ".join(shlex.quote(str(w)) for w in words).replace("$", "$$")


class Ninja:
    """A build.ninja: objects and what is linked of them."""

    def __init__(self, build):
        self.build = build
        self.lines = ["rule cc", "  command = cd $dir && gcc $flags -MD -MF $out.d -o $out -c $in",
                      "  deps = gcc", "  depfile = $out.d",
                      "rule link", "  command = gcc -o $out $in $flags", ""]

    def cc(self, obj, source, flags):
        self.lines += [f"build {obj}: cc {source}", f"  dir = {self.build}",
                       f"  flags = {quote(flags)}"]
        return obj

    def link(self, result, inputs, flags, behind=()):
        after = f" | {quote(behind)}" if behind else ""
        self.lines += [f"build {result}: link {quote(inputs)}{after}",
                       f"  flags = {quote(flags)}"]
        return result

    def write(self, file):
        text = "\n".join([f"builddir = {file.parent}", *self.lines]) + "\n"
        if not file.exists() or file.read_text() != text:
            file.write_text(text)


class Library:
    """The library as the simulator has it: objects, and how they are compiled and linked."""

    def __init__(self, build):
        self.build, self.out = build, build / "sim"
        sources = list(library_sources(build))
        known, self.objects = {}, {}
        for source, flags in sources:
            name = str(source.relative_to(ROOT)).replace("/", "_")
            prelude = write_prelude(self.out / "lib" / f"{name}.h",
                                    system_headers(source, ROOT, known))
            skip = 1 if str(source.relative_to(ROOT)) in ALONE else 0
            self.objects[self.out / "lib" / f"{name}.o"] = (
                source, [*flags, *INSTRUMENT[skip:], "-w", "-include", prelude])
        self.wraps = [f"-Wl,--wrap={name}" for name in wrapped()]
        self.libs = ["-pthread", "-ldl", "-lm"]
        if any("-DCW_HAVE_HWLOC" in f for _, f in sources):
            self.libs.append("-lhwloc")
        self.wrappers = [self.out / "runtime" / f"{n}.o" for n in WRAPPERS]
        self.runtime = [self.out / "runtime" / f"{n}.o" for n in RUNTIME]

    def link(self, ninja, place, objects):
        # Turned over are the library's calls, not the runtime's.
        turned = ninja.link(place / "turned.o", objects, ["-r", "-nostdlib", *self.wraps])
        return ninja.link(place / "libcauseway.so", [turned, *self.runtime],
                          ["-shared", "-Wl,-soname,libcauseway.so", "-Wl,-z,now",
                           f"-Wl,-Ttext-segment={PLACE}", *self.libs])

    def scene(self, ninja, source, objects, result, linked, root=ROOT):
        """root: whose headers. gcc says that libtsan knows no fences; the simulator does."""
        rooms = [word for room in ROOMS for word in ("-I", root / room)]
        obj = ninja.cc(objects / f"{source.stem}.o", source,
                       [*FLAGS, *rooms, *WARN, *INSTRUMENT, "-Wno-tsan"])
        ninja.link(result, [obj, self.out / "runtime" / "main.o"],
                   [linked, f"-Wl,-rpath,{linked.parent}", *self.wraps, *self.libs], [linked])


def write_ninja(build, out, scenes):
    ninja, library = Ninja(build), Library(build)
    base = [*FLAGS, "-I", ROOT / "src", "-I", ROOT / "include"]
    for obj, (source, flags) in library.objects.items():
        ninja.cc(obj, source, flags)
    for obj in (*library.wrappers, *library.runtime):
        ninja.cc(obj, HERE / f"{obj.stem}.c", [*base, *WARN, "-O2", "-fvisibility=hidden"])
    linked = library.link(ninja, out, [*library.objects, *library.wrappers])
    ninja.cc(out / "runtime" / "main.o", HERE / "main.c", [*base, *WARN, "-O2"])
    for source in scenes:
        library.scene(ninja, source, out / "scenes", out / source.stem, linked)
    ninja.write(out / "build.ninja")


def ninja_of(build, place):
    """The command that makes what place/build.ninja says: where the compiler runs, too, since what
    it says that an object depends on may be relative (ccache)."""
    return ["ninja", "-C", build, "-f", place / "build.ninja", "--quiet"]


def includers(build, headers):
    """The objects that depend on one of these files."""
    text = subprocess.run([*ninja_of(build, build / "sim"), "-t", "deps"], check=True, text=True,
                          capture_output=True).stdout
    for block in text.split("\n\n"):
        first, *rest = block.splitlines() or [""]
        files = {(build / line.strip()).resolve() for line in rest}
        if files & headers:
            yield Path(first.split(":")[0])


def shadow_sources(shadow, changed):
    """All of the rooms by links, but those that differ."""
    for source in (s for room in ROOMS for s in (ROOT / room).rglob("*.*")):
        mine = shadow / source.relative_to(ROOT)
        if source.is_dir() or source in changed:
            continue
        if not mine.is_symlink():
            mine.parent.mkdir(parents=True, exist_ok=True)
            mine.unlink(missing_ok=True)
            mine.symlink_to(source)
    for source, text in changed.items():
        mine = shadow / source.relative_to(ROOT)
        if mine.is_symlink() or not mine.exists() or mine.read_text() != text:
            mine.unlink(missing_ok=True)
            mine.write_text(text)


def variant(build, name, changed):
    """Directory with a library that differs in some sources or headers {path: text}, and the scenes
    that include these."""
    library = Library(build.resolve())
    place, ninja = library.out / "variants" / name, Ninja(build.resolve())
    shadow_sources(place, changed)
    behind = set(includers(library.build, {s for s in changed if s.suffix == ".h"}))
    objects = []
    for obj, (source, flags) in library.objects.items():
        if source in changed or obj in behind:
            made = not source.is_relative_to(ROOT / "src")  # by the build, or the simulator's
            mine = source if made else place / source.relative_to(ROOT)
            rooms = [word for room in ROOMS for word in ("-I", place / room)]
            obj = ninja.cc(place / "lib" / obj.name, mine, [*rooms, *flags])
        objects.append(obj)
    linked = library.link(ninja, place, [*objects, *library.wrappers])
    for scene in scene_names():
        if library.out / "scenes" / f"{scene}.o" in behind:
            library.scene(ninja, HERE / "scenes" / f"{scene}.c", place / "scenes",
                          place / scene, linked, place)
    ninja.write(place / "build.ninja")
    if subprocess.run(ninja_of(build.resolve(), place), check=False).returncode != 0:
        sys.exit(f"sim: the variant {name} does not build")
    return place


def scene_names(folder="scenes"):
    return sorted(p.stem for p in (HERE / folder).glob("*.c"))


def build(directory):
    """0, or what ninja says. One at a time: tests beside each other begin with it."""
    out = directory.resolve() / "sim"
    out.mkdir(exist_ok=True)
    with open(out / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return build_locked(directory, out)


def build_locked(directory, out):
    # meson's list of sources, should it be of yesterday
    subprocess.run(["ninja", "-C", directory, "--quiet", "build.ninja"], check=False,
                   stdout=subprocess.DEVNULL)
    directory = directory.resolve()
    made = [source.relative_to(directory) for source, _ in library_sources(directory)
            if source.is_relative_to(directory)]  # by the build itself
    if made:
        subprocess.run(["ninja", "-C", directory, "--quiet", *made], check=True)
    for sub in ("lib", "runtime", "scenes"):
        (out / sub).mkdir(parents=True, exist_ok=True)
    write_ninja(directory, out, sorted(HERE.glob("scenes/*.c")) +
                sorted(HERE.glob("selftest/*.c")))
    return subprocess.run(ninja_of(directory, out), check=False).returncode


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1])))
