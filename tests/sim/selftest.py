#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The simulator itself: it finds what small programs do wrong, under the memory models that permit
it and under no other, and it repeats each run from its seed."""
import ctypes
import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import build
import fences
import page
import power
from frame.script import check, finish

RUNS = 400
CLONE3 = 435  # system call, of all architectures
FEW = {"hand_over": 20}  # runs of programs that take long
# the program: under which models its mistake can be seen
FOUND = {
    "sb": {"tso", "c11"}, "sb_fenced": set(), "sb_rmw": {"c11"},
    "coherence": set(), "corr": set(), "corr_relaxed": {"c11"},
    "release_sequence": set(), "release_broken": {"c11"},
    "mp": {"c11"}, "mp_ordered": set(), "mp_fenced": set(),
    "lost_update": {"sc", "tso", "c11"}, "deadlock": {"sc", "tso", "c11"},
    "lost_wakeup": {"sc", "tso", "c11"}, "counter": set(),
    "no_memory": {"sc", "tso", "c11"}, "hand_over": set(), "task_names": set(),
    "first_frame": set(),
}
# Programs that have too many schedules for an exhaustive search, or faults
LONG = {"counter", "no_memory", "hand_over"}
EXHAUSTED = {"node_put": 1, "node_sleep": 1}  # scenes of the library, and their preemptions
# Seeds of these are run so many times, in surroundings that differ. gasnet_everything and
# observed keep tables sorted by addresses of the heap, and compare what the kernel says of memory.
SAME = {"node_put": (100, "3", "1004"), "fence_threads": (20, "3", "1004"),
        "start_end": (24, "3", "1004"), "am_credits": (8, "3", "1004"),
        "gasnet_everything": (8, "5", "6"), "observed": (8, "1", "5"),
        "first_frame": (8, "1")}


def run(out, scene, *words):
    done = subprocess.run([out / scene, *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def check_same(out, scene, seed, times):
    """The steps of a seed: from the start and from copies, in other places, with larger
    environments, beside other jobs of one name."""
    runs, hashes = [], set()
    for turn in range(4):
        env = {**os.environ, "CAUSEWAY_SELFTEST": "x" * 1000 * turn}
        runs.append(subprocess.Popen(
            [out / scene, "--seed", seed, "--same", "--runs", str(times // 4)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env,
            cwd="/" if turn % 2 else out))
    for done in runs:
        text = done.communicate()[0]
        found = re.search(r"hash ([0-9a-f]+)", text)
        check(done.returncode == 0 and found, f"{scene}: seed {seed}: {text}")
        hashes.add(found[1] if found else None)
    check(len(hashes) == 1, f"{scene}: seed {seed} has different runs: {hashes}")


def check_place(out):
    """The loader takes the address that the library asks for: other machines take it, too."""
    env = {**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"}
    said = subprocess.run([out / "node_put"], env=env, capture_output=True, text=True, check=False)
    found = re.search(r"libcauseway\S* => .*\((0x[0-9a-f]+)\)", said.stdout)
    check(found and int(found[1], 16) == int(build.PLACE, 16),
          f"the library lies elsewhere than at {build.PLACE}: {said.stdout}{said.stderr}")


def run_numbered(number, *words):
    """Status of a program that is the process of this number; None: that is not permitted here."""
    class Args(ctypes.Structure):
        _fields_ = [(name, ctypes.c_uint64) for name in
                    ("flags", "pidfd", "child_tid", "parent_tid", "exit_signal", "stack",
                     "stack_size", "tls", "set_tid", "set_tid_size")]

    numbers = (ctypes.c_int * 1)(number)
    args = Args(exit_signal=signal.SIGCHLD, set_tid=ctypes.addressof(numbers), set_tid_size=1)
    pid = ctypes.CDLL(None).syscall(CLONE3, ctypes.byref(args), ctypes.sizeof(args))
    if pid == 0:
        os.execv(words[0], words)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) if pid > 0 else None


def check_numbers(out):
    """Numbers of processes that are also halves of pointers, or small."""
    for number in (32767, 21845, 704):
        rc = run_numbered(number, str(out / "node_put"), "--seed", "1")
        if rc is None:
            print(f"no process may be number {number} here", flush=True)
        check(rc in (0, None), f"as process {number}: status {rc}")


def check_fences(library):
    """Each fence of the library has a row of the page, or its removal was never tried."""
    have = set(page.rows("Fences")) - {"fence"}
    want = {f"`{name}`" for name, _ in fences.candidates(library)}
    check(have == want, f"./dev sim --fences --write: {sorted(have ^ want)}")


def check_places(out, library):
    """Orders of the library's places can be weakened, and places that a scene passes are seen."""
    places = {name: {f"{p:x}" for p in site.places} for name, site in fences.candidates(library)}
    of_quiet = places["core/rma/rma.h:cw_quiet"]
    with tempfile.NamedTemporaryFile("r") as seen:
        rc, text = run(out, "orders", "--model", "c11", "--seed", "2", "--weaken",
                       ",".join(of_quiet))
        check(rc == 1, f"orders without the fence of a quiet: status {rc}\n{text}")
        rc, text = run(out, "orders", "--seed", "2", "--coverage", seen.name)
        check(rc == 0 and of_quiet & set(seen.read().split()), f"orders: status {rc}\n{text}")


def main():
    directory = Path(os.environ["CAUSEWAY_TEST_BUILD"])
    check(build.build(directory) == 0, "the simulator does not build")
    out = directory / "sim"
    check(set(FOUND) == set(build.scene_names("selftest")), "a program has no line in the table")
    for mutation in itertools.chain(*power.mutations([]).values()):
        power.changed(mutation)  # exits where its words are not in the sources any more
    check_place(out)
    check_numbers(out)
    check_fences(out / "libcauseway.so")
    check_places(out, out / "libcauseway.so")
    for scene, models in FOUND.items():
        for model in ("sc", "tso", "c11"):
            rc, text = run(out, scene, "--model", model, "--runs", str(FEW.get(scene, RUNS)))
            check(rc == (model in models), f"{scene} under {model}: status {rc}\n{text}")
            words = ("--model", model, "--strategy", "exhaustive", "--preemptions")
            if scene not in LONG:
                rc, text = run(out, scene, *words, "2")
                check(rc == (model in models) and ("all " in text) == (rc == 0),
                      f"{scene} under {model}, all schedules: status {rc}\n{text}")
    for scene, preemptions in EXHAUSTED.items():
        for model in ("sc", "tso", "c11"):
            rc, text = run(out, scene, "--model", model, "--strategy", "exhaustive",
                           "--preemptions", str(preemptions))
            check(rc == 0 and "all " in text, f"{scene} under {model}: status {rc}\n{text}")
    # Its threads wait in loops of sim_yield for what the network brings, in each schedule.
    rc, text = run(out, "quiet_overlap", "--model", "sc", "--strategy", "exhaustive",
                   "--preemptions", "0", "--seconds", "1")
    check(rc == 3 and "not exhausted" in text, f"quiet_overlap: status {rc}\n{text}")
    for scene, (times, *seeds) in SAME.items():
        for seed in seeds:
            check_same(out, scene, seed, times)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
