#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""causeway/device.h in the languages of devices: kernels with every call become PTX, and code for
AMD's devices, by clang alone. The instructions that other processors and devices depend on are
looked for; nothing is run. Skipped where there is no clang that has these targets."""
import re
import shutil
import subprocess
import sys
from pathlib import Path

from frame.script import STAGE, check, finish

TYPES = ["int32", "uint32", "int64", "uint64"]
ATOMICS = ["fetch_add", "fetch_and", "fetch_or", "fetch_xor"]
CUDA = ["-x", "cuda", "--cuda-gpu-arch=sm_70", "-nocudainc", "-nocudalib"]
HIP = ["-x", "hip", "--cuda-gpu-arch=gfx90a", "-nogpuinc", "-nogpulib"]
HEAD = """#include <causeway/device.h>
#define KERNEL(name, ...) extern "C" __attribute__((global)) void name(cwd_world_t w, __VA_ARGS__)
"""


def kernels():
    """Name of each kernel: its text."""
    made = {}
    for t in TYPES:
        p = f"{t}_t *p, {t}_t v, int pe"
        for name in ATOMICS:
            made[f"{t}_{name}"] = (p, f"*p = cwd_{t}_atomic_{name}(&w, p, v, pe); "
                                      f"cwd_{t}_atomic_{name[6:]}(&w, p, v, pe);")
        made[f"{t}_others"] = (p, f"*p = cwd_{t}_atomic_swap(&w, p, v, pe) + "
                                  f"cwd_{t}_atomic_compare_swap(&w, p, v, 3, pe) + "
                                  f"cwd_{t}_atomic_fetch(&w, p, pe) + "
                                  f"cwd_{t}_atomic_fetch_inc(&w, p, pe); "
                                  f"cwd_{t}_atomic_set(&w, p, v, pe); "
                                  f"cwd_{t}_atomic_inc(&w, p, pe);")
        made[f"{t}_wait"] = (p, f"*p = cwd_{t}_wait_until(&w, p, CWD_GE, v);")
    for t in TYPES + ["int8", "uint8", "int16", "uint16"]:
        made[f"{t}_p"] = (f"{t}_t *p, int pe", f"cwd_{t}_p(&w, p, cwd_{t}_g(&w, p, pe), pe);")
    for t in ("float", "double"):
        made[f"{t}_p"] = (f"{t} *p, int pe", f"cwd_{t}_p(&w, p, cwd_{t}_g(&w, p, pe), pe);")
    for g in ("", "_warp", "_block"):
        bytes_of = "char *d, const char *s, uint64_t n, uint64_t *sig, int pe"
        for call in ("put", "get", "put_nbi", "get_nbi"):
            made[f"{call}{g}"] = (bytes_of, f"cwd_{call}{g}(&w, d, s, n, pe);")
        made[f"put_signal{g}"] = (bytes_of, f"cwd_put_signal{g}(&w, d, s, n, sig, 1, "
                                            "CWD_SIGNAL_ADD, pe);")
    made["order"] = ("void **p", "cwd_fence(&w); cwd_quiet(&w); "
                                 "*p = cwd_ptr(&w, p, cwd_my_pe(&w) + cwd_n_pes(&w));")
    return made


def compiled(clang, flags, made, out):
    source = Path("kernels.cu")
    source.write_text(HEAD + "".join(f"KERNEL({n}, {p}) {{ {body} }}\n"
                                     for n, (p, body) in made.items()), encoding="utf-8")
    return subprocess.run([clang, *flags, "--cuda-device-only", "-std=c++11", "-O2", "-S", "-Wall",
                           "-Wextra", "-Wno-unused-parameter", "-Werror", f"-I{STAGE}/include",
                           str(source), "-o", out],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def entries(ptx):
    """Name: text of each kernel."""
    return {m.group(1): m.group(2)
            for m in re.finditer(r"\.entry (\w+)\((.*?)\n}\n", ptx, re.S)}


def check_ptx(made):
    text = Path("kernels.ptx").read_text(encoding="utf-8")
    found = entries(text)
    check(set(found) == set(made), f"entries differ: {set(found) ^ set(made)}")
    check(".local" not in text, "a kernel spills what it is passed into local memory")
    atoms = re.findall(r"\batom\S*", text)
    check(bool(atoms) and all(a.startswith("atom.acq_rel.sys.") for a in atoms),
          f"atomics of another scope: {sorted(set(atoms))}")
    for t in TYPES:
        bits = t[-2:]
        for name in ATOMICS:
            op = name[6:] + (".u" if name == "fetch_add" else ".b")
            check(f"atom.acq_rel.sys.{op}{bits}" in found[f"{t}_{name}"], f"{t} {name}")
        for op in ("exch.b", "cas.b", "add.u"):
            check(f"atom.acq_rel.sys.{op}{bits}" in found[f"{t}_others"], f"{t} {op}")
        check(f"st.release.sys.u{bits}" in found[f"{t}_others"], f"{t} set")
        check(f"ld.acquire.sys.u{bits}" in found[f"{t}_wait"], f"{t} wait_until")
    for name, body in found.items():
        asks = "nanosleep" in body
        check(not asks or "_wait" in name or ("fence.sc.sys" in body and
                                              "st.release.sys.u64" in body),
              f"{name} posts a request without its fence and its release")
    for name in ("order", "put_signal", "put_signal_warp", "put_signal_block"):
        check("fence.sc.sys" in found[name], f"no fence in {name}")
    check("barrier.sync" in found["put_block"] and "bar.warp.sync" in found["put_warp"]
          and "barrier.sync" not in found["put"], "barriers of groups")
    check("st.volatile.u64" in found["int64_p"] and "ld.volatile.u64" in found["int64_p"],
          "values are stored and loaded once")
    check("v2.u64" in found["put_block"], "bulk puts store 16 bytes at a time")


def main():
    clang, made = shutil.which("clang"), kernels()
    targets = subprocess.run([clang, "--print-targets"], stdout=subprocess.PIPE, text=True,
                             check=False).stdout if clang else ""
    if "nvptx64" not in targets or "amdgcn" not in targets:
        print("SKIP: no clang with the targets nvptx64 and amdgcn")
        sys.exit(77)
    done = compiled(clang, CUDA, made, "kernels.ptx")
    if check(done.returncode == 0, f"CUDA: {done.stdout[:3000]}"):
        check_ptx(made)
    done = compiled(clang, HIP, made, "kernels.gcn")
    if check(done.returncode == 0, f"HIP: {done.stdout[:3000]}"):
        text = Path("kernels.gcn").read_text(encoding="utf-8")
        check("buffer_wbl2" in text and re.search(r"flat_atomic_add_x2 .* glc", text) is not None,
              "HIP: atomics and fences of system scope")
    finish()


if __name__ == "__main__":
    main()
