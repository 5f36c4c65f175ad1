#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds the library for the simulator, and the scenes: build.py BUILD_DIR

The sources and flags are those of libcauseway.a as meson has them; what differs is
-fsanitize=thread with the simulator's runtime in place of libtsan, portable.h before each source,
no assembly, and the calls of the C library that --wrap turns over. Everything is under
BUILD_DIR/sim."""
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
RUNTIME = ["driver", "map", "model", "net", "net_ep", "net_lib", "net_queue", "options", "report",
           "sched", "tsan"]
WRAPPERS = ["wrap_io", "wrap_thread"]
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
WARN = ["-Wall", "-Wextra", "-Werror"]


def wrapped():
    """The functions that the runtime's SIM_WRAPPERs stand in for."""
    names = ["syscall", "mremap"]
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
            elif word != "-MD" and not word.startswith(("-fsanitize", "-O", "-fdiagnostics")):
                flags.append(word)
        yield (build / c["file"]).resolve(), flags


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


def write_ninja(build, out, scenes):
    root = HERE.parent.parent
    instrument = ["-fsanitize=thread", "-O1", "-g"]
    lines = ["rule cc", "  command = cd $dir && gcc $flags -MD -MF $out.d -o $out -c $in",
             "  deps = gcc", "  depfile = $out.d",
             "rule link", "  command = gcc -o $out $in $flags", ""]

    def cc(obj, source, flags):
        lines.extend([f"build {obj}: cc {source}", f"  dir = {build}", f"  flags = {quote(flags)}"])
        return obj

    base = ["-std=c17", "-D_GNU_SOURCE", "-fPIC", "-I", HERE, "-I", root / "src", "-I",
            root / "include", "-g"]
    known, objects = {}, []
    for source, flags in library_sources(build):
        name = str(source.relative_to(root)).replace("/", "_")
        prelude = write_prelude(out / "lib" / f"{name}.h", system_headers(source, root, known))
        objects.append(cc(out / "lib" / f"{name}.o", source,
                          [*flags, *instrument, "-w", "-include", prelude]))
    quick = [*base, *WARN, "-O2", "-fvisibility=hidden"]
    objects += [cc(out / "runtime" / f"{n}.o", HERE / f"{n}.c", quick) for n in WRAPPERS]
    runtime = [cc(out / "runtime" / f"{n}.o", HERE / f"{n}.c", quick) for n in RUNTIME]
    wraps = [f"-Wl,--wrap={name}" for name in wrapped()]
    library = out / "libcauseway.so"
    libs = ["-pthread", "-ldl", "-lm"]
    if any("-DCW_HAVE_HWLOC" in f for _, f in library_sources(build)):
        libs.append("-lhwloc")
    # Turned over are the library's calls, not the runtime's.
    lines += [f"build {out / 'turned.o'}: link {quote(objects)}",
              "  flags = " + quote(["-r", "-nostdlib", *wraps]),
              f"build {library}: link {out / 'turned.o'} {quote(runtime)}", "  flags = " + quote(
                  ["-shared", "-Wl,-soname,libcauseway.so", "-Wl,-z,now", *libs])]
    main = cc(out / "runtime" / "main.o", HERE / "main.c", [*base, *WARN, "-O2"])
    for source in scenes:
        scene = source.stem
        obj = cc(out / "scenes" / f"{scene}.o", source, [*base, *WARN, *instrument])
        lines += [f"build {out / scene}: link {obj} {main} | {library}", "  flags = " + quote(
            [library, f"-Wl,-rpath,{out}", *wraps, *libs])]
    text = "\n".join(lines) + "\n"
    file = out / "build.ninja"
    if not file.exists() or file.read_text() != text:
        file.write_text(text)


def scene_names(folder="scenes"):
    return sorted(p.stem for p in (HERE / folder).glob("*.c"))


def build(directory):
    """0, or what ninja says."""
    out = directory.resolve() / "sim"
    # meson's list of sources, should it be of yesterday
    subprocess.run(["ninja", "-C", directory, "--quiet", "build.ninja"], check=False,
                   stdout=subprocess.DEVNULL)
    for sub in ("lib", "runtime", "scenes"):
        (out / sub).mkdir(parents=True, exist_ok=True)
    write_ninja(directory.resolve(), out, sorted(HERE.glob("scenes/*.c")) +
                sorted(HERE.glob("selftest/*.c")))
    return subprocess.run(["ninja", "-C", out, "--quiet"], check=False).returncode


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1])))
