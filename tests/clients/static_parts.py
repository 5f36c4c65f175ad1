#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""All static data of a program is symmetric, however it was compiled and linked: several writable
segments, a plain compiler, a program that calls OpenSHMEM through a library only, a library that
was preloaded. Of a program that opens the library itself it is private."""
import os
import platform
import subprocess

from frame.script import STAGE, TESTS, check, finish, oshcc

HERE = TESTS / "clients"
SOURCE = HERE / "static_parts.c"
X86 = platform.machine() == "x86_64"


def run(what, *command, nodes=(1, 2), env=None):
    for n in nodes:
        job = subprocess.run(["oshrun", "-n", "2", "--emulate-nodes", str(n), *command], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                             timeout=60, env={**os.environ, **(env or {})})
        check(job.returncode == 0, f"{what}, {n} nodes", job.returncode, job.stdout[-2000:])


def writable_segments(program):
    lines = subprocess.run(["readelf", "-lW", program], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    return sum("LOAD" in line and " RW" in line for line in lines)


def linked_by_oshcc():
    for flags in ([], ["-pie"], ["-no-pie"], ["-static-causeway"],
                  ["-pie", "-DALIGN=4194304"], ["-no-pie", "-DALIGN=4194304"],
                  *([["-pie", "-mcmodel=medium"],
                     ["-no-pie", "-mcmodel=medium", "-static-causeway"]] if X86 else []),
                  ["-no-pie", "-DFAR", "-Wl,--section-start=.far=0x20000000"]):
        program = oshcc("./parts", SOURCE, *flags)
        several = any(word in " ".join(flags) for word in ("ALIGN", "mcmodel", "FAR"))
        check(writable_segments(program) > several, f"{flags}: segments")
        run(f"oshcc {flags}", program)


def linked_by_cc():
    for flags in (["-DALIGN=65536"], ["-no-pie", "-DALIGN=65536"]):
        subprocess.run(["cc", *flags, "-o", "parts", SOURCE, f"-I{STAGE}/include",
                        f"-L{STAGE}/lib", f"-Wl,-rpath,{STAGE}/lib", "-lcauseway"], check=True)
        run(f"cc {flags}", "./parts")


def through_a_library():
    layer = oshcc("./liblayer.so", HERE / "layer.c", "-fPIC", "-shared")
    here = f"-Wl,-rpath,{os.getcwd()}"
    for flags in (["-pie"], ["-no-pie"]):
        program = oshcc("./indirect", SOURCE, "-DLAYER", "-Wl,--as-needed", *flags, layer, here)
        needed = subprocess.run(["readelf", "-d", program], check=True, capture_output=True,
                                text=True).stdout
        check("libcauseway" not in needed, "the linker keeps the library")
        run(f"through a library {flags}", program)
    # one step more, and the archive in the library
    oshcc("./libouter.so", "-shared", "-Wl,--no-as-needed", layer, here)
    program = oshcc("./two_steps", SOURCE, "-DLAYER", "-Wl,--as-needed,--allow-shlib-undefined",
                    "-Wl,--no-as-needed", "./libouter.so", "-Wl,--as-needed", layer, here)
    run("through two libraries", program, nodes=(1,))


def opened():
    program = oshcc("./opens", SOURCE, "-DLAYER", "-DOPENED", "-Wl,--as-needed", "-ldl")
    run("opened", program, "private")
    run("preloaded", program, env={"LD_PRELOAD": str(STAGE / "lib/libcauseway.so")}, nodes=(1,))


def several_programs():
    """Static data of one program is not that of another; where it is private, it may differ."""
    jobs = {"parts": [oshcc("./one", SOURCE), oshcc("./other", SOURCE, "-DALIGN=4096")],
            "opens": [oshcc(program, SOURCE, "-DLAYER", "-DOPENED", "-ldl", "-Wl,--as-needed",
                            f"-DALIGN={align}") for program, align in (("./a", 64), ("./b", 128))]}
    for n in (1, 2):
        for kind, (one, other) in jobs.items():
            word = ["private"] if kind == "opens" else []
            job = subprocess.run(["oshrun", "--emulate-nodes", str(n), "-n", "1", one, *word, ":",
                                  "-n", "1", other, *word], text=True, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, check=False, timeout=60)
            good = job.returncode == 0 if word else (
                job.returncode != 0 and "run different programs (" in job.stdout)
            check(good, f"two programs ({kind}), {n} nodes", job.returncode, job.stdout[-2000:])


linked_by_oshcc()
linked_by_cc()
through_a_library()
opened()
several_programs()
finish()
