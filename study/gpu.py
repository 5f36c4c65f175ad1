#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Device memory on a machine with a card: conformance of the calls of processors and of kernels,
storms of both on the same words, and times beside the driver's own calls (gpu/card.c). Kernels are
PTX, made by clang without a toolkit. Under four minutes. Writes docs/results/gpu.md.

    ./dev gpu                   # here; without a card it says so and ends with status 77
    ./dev gpu --pack            # for a machine where nothing can be installed: build/gpu/pack
    pack/measure FOLDER         # there
    ./dev gpu --from FOLDER     # the page of what it has left
    ./dev gpu --fake            # the same over the driver of tests/gpu/fake; no page
"""
import argparse
import ctypes
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "study/gpu"
PAGE = ROOT / "docs/results/gpu.md"
PTX = ["-x", "cuda", "--cuda-gpu-arch=sm_70", "--cuda-device-only", "-nocudainc", "-nocudalib",
       "-O2", "-S"]
# name: arguments of oshrun, of the program
RUNS = {
    "conform-1": (["-n", "1"], "conform"),
    "conform-2": (["-n", "2"], "conform"),
    "conform-nodes": (["-n", "2", "--emulate-nodes", "2"], "conform"),
    "bench": (["-n", "2"], "bench"),
    "nodes": (["-n", "2", "--emulate-nodes", "2"], "nodes"),
}
SECONDS = 45  # of a run
# row: what it is, what it is beside, the bar of the ratio or of the value
ROWS = [
    ("p", "value to a PE of the node, in a kernel", "raw_p", 1.1),
    ("p_quiet", "the same with quiet", "raw_p_quiet", 1.1),
    ("g", "value from there", "raw_g", 1.1),
    ("fetch_add", "atomic there", "raw_fetch_add", 1.1),
    ("host_fetch_add", "atomic on host memory (a request), ns", None, 4000),
    ("half_round_trip", "8 bytes and a flag to a waiting processor, half a round trip, us", None,
     1.6),
    ("put_8B", "put of a processor, device to device, 8 B", "raw_copy_8B", 1.1),
    ("put_1MiB", "1 MiB", "raw_copy_1MiB", 1.1),
    ("put_256MiB", "256 MiB", "raw_copy_256MiB", 1.1),
    ("barrier_with_handle", "barrier while a handle is in use", "barrier", 1.05),
    ("put_64MiB_other_node", "device to device, another node, 64 MiB", "host_64MiB_other_node",
     1.25),
    ("fetch_add_other_node", "atomic of a kernel on another node's device, ns", None, None),
    ("g_other_node", "value of another node's device, ns", None, None),
]
HEAD = """# Device memory on a card

Written by `./dev gpu`: conformance of the calls of processors and kernels on device memory
([shmemx_device_heap](../man/shmemx_device_heap.3.md),
[shmemx_device_world](../man/shmemx_device_world.3.md)), storms of both on the same words, and times
beside the driver's own calls and beside loads and stores through the mapping.

"""
MEASURE = """#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Measures on this machine; what it finds is left in the folder that is named.
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?a folder for what is found}
mkdir -p "$out"
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export CAUSEWAY_LIBFABRIC="$here/lib/libfabric.so.1"
failed=0
"""


def arguments():
    p = argparse.ArgumentParser(prog="./dev gpu", description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--stage", type=Path, default=ROOT / "build/stage", help=argparse.SUPPRESS)
    p.add_argument("--fake", action="store_true", help="over the driver of tests/gpu/fake")
    p.add_argument("--pack", action="store_true", help="only make build/gpu/pack")
    p.add_argument("--from", dest="results", type=Path, metavar="FOLDER",
                   help="only write the page, of results that pack/measure has left")
    p.add_argument("--out", type=Path, default=ROOT / "build/gpu", help="default build/gpu")
    return p.parse_args()


def skip(why):
    print(f"SKIP: {why}")
    sys.exit(77)


def no_card():
    """Why there is none; None: there is one."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "no card: libcuda.so.1, which NVIDIA's driver brings, is not on this machine"
    rc = driver.cuInit(0)
    return f"no card: cuInit gives {rc}" if rc else None


def built(args):
    """The program and its kernels."""
    clang = shutil.which("clang")
    if not clang:
        skip("no clang, which makes the kernels")
    args.out.mkdir(parents=True, exist_ok=True)
    program, ptx = args.out / "card", args.out / "card.ptx"
    subprocess.run([clang, *PTX, f"-I{args.stage}/include", HERE / "kernels.cu", "-o", ptx],
                   check=True)
    subprocess.run([args.stage / "bin/oshcc", "-O2", "-g", "-Wall", "-Wextra", "-Werror",
                    "-rdynamic", "-I", ROOT / "tests", "-o", program, HERE / "card.c", "-ldl",
                    "-pthread"], check=True)
    return program, ptx


def libraries(of):
    """What it is linked with, less the C library's own."""
    text = subprocess.run(["ldd", of], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [Path(path) for path in re.findall(r"=> (/\S+)", text)
            if not re.match(r"(libc|libm|libdl|libpthread|librt|ld-linux.*)\.", Path(path).name)]


def pack(args):
    program, ptx = built(args)
    folder = args.out / "pack"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(args.stage / "bin", folder / "bin", symlinks=True)
    shutil.copytree(args.stage / "lib", folder / "lib", symlinks=True,
                    ignore=shutil.ignore_patterns("*.a", "*.mod"))
    shutil.copy(program, folder)
    shutil.copy(ptx, folder)
    fabric = next(iter(Path("/usr/lib").glob("*/libfabric.so.1")), None)
    for library in [fabric, *libraries(fabric)] if fabric else []:
        shutil.copy(library, folder / "lib")
    script = MEASURE
    for name, (options, what) in RUNS.items():
        script += (f'"$here/bin/oshrun" --timeout {SECONDS} {" ".join(options)} "$here/card" '
                   f'{what} "$here/card.ptx" >"$out/{name}.txt" 2>&1 || failed=1\n'
                   f'tail -n 1 "$out/{name}.txt"\n')
    (folder / "measure").write_text(script + "exit $failed\n", encoding="utf-8")
    (folder / "measure").chmod(0o755)
    print(f"gpu: {folder} has what is taken along; there: pack/measure FOLDER")


def measure(args):
    program, ptx = built(args)
    env = dict(os.environ)
    if args.fake:
        env["LD_LIBRARY_PATH"] = f"{args.stage.parent}/tests/gpu/fake"
        env["FAKE_CUDA_DEVICES"] = env.get("FAKE_CUDA_DEVICES", "1")
    start, right = time.monotonic(), True
    for name, (options, what) in RUNS.items():
        done = subprocess.run([args.stage / "bin/oshrun", "--timeout", str(SECONDS * 4), *options,
                               program, what, ptx], env=env, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        (args.out / f"{name}.txt").write_text(done.stdout, encoding="utf-8")
        right &= done.returncode == 0
        last = done.stdout.strip().splitlines()[-1:] or ["nothing said"]
        print(f"gpu: {name}: status {done.returncode}, {last[0]}", flush=True)
        if done.returncode:
            print(done.stdout[-3000:])
    print(f"gpu: {time.monotonic() - start:.0f} s")
    return right


def rows_of(folder):
    """Name: (median, least, most, unit)."""
    rows = {}
    for name in RUNS:
        text = (folder / f"{name}.txt").read_text(encoding="utf-8")
        for m in re.finditer(r"^row (\S+) (\S+) (\S+) (\S+) (\S+)$", text, re.M):
            rows[m.group(1)] = (*(float(x) for x in m.group(2, 3, 4)), m.group(5))
    return rows


def shown(row):
    return "" if row is None else f"{row[0]:.4g} {row[3]} ({row[1]:.4g} to {row[2]:.4g})"


def page(folder):
    rows = rows_of(folder)
    conform = (folder / "conform-2.txt").read_text(encoding="utf-8")
    device = re.search(r"^device .*$", conform, re.M)
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, text=True,
                            stdout=subprocess.PIPE, check=False).stdout.strip()
    lines = [HEAD + f"The last run: commit {commit}, {time.strftime('%Y-%m-%d')}, "
             f"{device.group(0) if device else 'an unknown device'}; medians of 21, in brackets "
             "the least and the most.", "", "| conformance | result |", "|---|---|"]
    for name in RUNS:
        last = (folder / f"{name}.txt").read_text(encoding="utf-8").strip().splitlines()[-1:]
        lines.append(f"| {name} | {last[0] if last else 'nothing said'} |")
    lines += ["", "| what | ours | beside | ratio | bar |", "|---|---|---|---|---|"]
    for name, what, beside, bar in ROWS:
        ours, other = rows.get(name), rows.get(beside)
        ratio = f"{ours[0] / other[0]:.2f}" if ours and other and other[0] else ""
        lines.append(f"| {what} | {shown(ours)} | {shown(other)} | {ratio} | {bar or ''} |")
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"gpu: wrote {PAGE.relative_to(ROOT)}")


def main():
    args = arguments()
    args.stage, args.out = args.stage.resolve(), args.out.resolve()
    if args.results:
        return page(args.results)
    if args.pack:
        return pack(args)
    why = None if args.fake else no_card()
    if why:
        skip(why)
    right = measure(args)
    if not args.fake:
        page(args.out)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
