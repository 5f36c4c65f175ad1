#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""shmem4py, the Python binding of OpenSHMEM, builds with the staged oshcc; its demos, its own tests
and the programs below run.

It comes from the package index as users get it, into a virtual environment that is removed with the
test. Without an index the test is skipped. The demos are those of its documentation; most of them
only print, so the programs below, which belong to this test, check results.
"""
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import textwrap
import venv

from frame.script import STAGE, fail, finish, skip

VERSION = "1.0.0"

# shmem4py recognises libraries by macros of their headers. The one named here has all of OpenSHMEM
# 1.5, as Causeway has.
OSHCC = f"{STAGE / 'bin/oshcc'} -DPySHMEM_VENDOR_Sandia=1"

HEAD = """
from shmem4py import shmem
import numpy as np
me, n = shmem.my_pe(), shmem.n_pes()


def read(array, pe):
    value = np.zeros(1, dtype=array.dtype)
    shmem.get(value, array, pe)
    return value[0]


"""
PROGRAMS = {
    "query": """
assert shmem.info_get_version() == (1, 6) and shmem.info_get_name() == 'Causeway'
assert all(shmem.pe_accessible(pe) for pe in range(n))
""",
    "get": """
src, dst = shmem.zeros(1, dtype='int32'), shmem.full(1, -1, dtype='int32')
src[0] = me
shmem.barrier_all()
shmem.get(dst, src, (me + 1) % n)
assert dst[0] == (me + 1) % n
""",
    "put": """
src, dst = shmem.zeros(4, dtype='float64'), shmem.full(4, -1., dtype='float64')
src[:] = me + np.arange(4) / 8
shmem.barrier_all()
shmem.put(dst, src, (me + 1) % n)
shmem.barrier_all()
assert (dst == (me - 1) % n + np.arange(4) / 8).all()
""",
    "broadcast": """
src, dst = shmem.zeros(6, dtype='int64'), shmem.full(6, -999, dtype='int64')
src[:] = np.arange(1, 7) + me
shmem.barrier_all()
shmem.broadcast(dst, src, 0)
assert (dst == np.arange(1, 7)).all()
""",
    "pi": """
points = 10000
np.random.seed(me)
inside, total = shmem.zeros(1, dtype='int64'), shmem.zeros(1, dtype='int64')
x, y = np.random.rand(points), np.random.rand(points)
inside[0] = np.count_nonzero(x * x + y * y < 1)
shmem.barrier_all()
shmem.sum_reduce(total, inside)
assert abs(4 * total[0] / (points * n) - 3.14) < .1
""",
    "fcollect": """
src, dst = shmem.zeros(1, dtype='int32'), shmem.full(n, 10101, dtype='int32')
src[0] = me + 100
shmem.barrier_all()
shmem.fcollect(dst, src)
assert (dst == np.arange(100, 100 + n)).all()
""",
    "collect": """
src = shmem.array([11, 12, 13, 14], dtype='int64')
dst = shmem.full(n * (n + 1) // 2, 0, dtype='int64')
shmem.barrier_all()
shmem.collect(dst, src, me % 4 + 1 if n < 5 else 1)
assert list(dst) == [11 + i for pe in range(n) for i in range(pe % 4 + 1)]
""",
    "race_winner": """
winner = shmem.array([-1], dtype='int32')
if shmem.atomic_compare_swap(winner, -1, me, 0) == -1:
    print(f'PE {me} was first')
shmem.barrier_all()
assert 0 <= read(winner, 0) < n
""",
    "test_any": """
flags = shmem.zeros(n, dtype='int32')
if me:
    shmem.atomic_set(flags[me:me + 1], 1, 0)
else:
    seen = set()
    while len(seen) < n - 1:
        seen.update(i for i in range(1, n) if shmem.test(flags[i:i + 1], shmem.CMP.EQ, 1))
shmem.barrier_all()
""",
    "alltoall": """
src, dst = shmem.zeros(2 * n, dtype='int32'), shmem.full(2 * n, 9999, dtype='int32')
src[:] = me * n + np.repeat(np.arange(n), 2)
team = shmem.Team(shmem.TEAM_WORLD)
team.sync()
shmem.alltoall(dst, src, 2, team)
assert (dst == np.repeat(np.arange(n), 2) * n + me).all()
""",
    "lock": """
count = shmem.zeros(1, dtype='int64')
lock = shmem.new_lock()
shmem.set_lock(lock)
shmem.put(count, np.array([read(count, 0) + 1], dtype='int64'), 0)
shmem.clear_lock(lock)
shmem.barrier_all()
assert read(count, 0) == n
shmem.barrier_all()
shmem.del_lock(lock)
""",
    "teams": """
half = shmem.TEAM_WORLD.split_strided(0, 2, (n + 1) // 2)
if me % 2 == 0:
    assert half.my_pe() == me // 2 and half.n_pes() == (n + 1) // 2
    src, dst = None, None
    half.sync()
    half.destroy()
shmem.barrier_all()
""",
    "signal": """
data = shmem.zeros(3, dtype='float32')
word = shmem.new_signal()
shmem.put_signal(data, np.full(3, me, dtype='float32'), (me + 1) % n, word, 7, shmem.SIGNAL.SET)
assert shmem.signal_wait_until(word, shmem.CMP.EQ, 7) == 7 and (data == (me - 1) % n).all()
shmem.barrier_all()
""",
}


def pip(python, env, *arguments, timeout=200):
    command = [python, "-m", "pip", "--disable-pip-version-check", "-q", *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=timeout)


def install(scratch):
    """(Python of an environment with shmem4py, built with the staged oshcc; folder of its
    sources)"""
    try:
        venv.create(scratch / "env", with_pip=True)
    except (subprocess.CalledProcessError, OSError) as e:
        skip(f"no virtual environment: {e}")
    python = str(scratch / "env/bin/python")
    env = dict(os.environ, TMPDIR=str(scratch))
    try:
        done = pip(python, env, "install", "numpy<2", "cffi", "setuptools", "wheel")
    except subprocess.TimeoutExpired:
        skip("the package index does not reply")
    if done.returncode:
        skip(f"no packages from the index: {(done.stderr.strip().splitlines() or [''])[-1]}")
    done = pip(python, env, "download", "--no-deps", "--no-build-isolation", "-d", str(scratch),
               f"shmem4py=={VERSION}")
    archive = scratch / f"shmem4py-{VERSION}.tar.gz"
    if done.returncode or not archive.exists():
        skip("no shmem4py from the index")
    with tarfile.open(archive) as tar:
        tar.extractall(scratch, filter="data") if hasattr(
            tarfile, "data_filter") else tar.extractall(scratch)
    done = pip(python, dict(env, OSHCC=OSHCC, CFLAGS="-O0"), "install", "--no-deps",
               "--no-build-isolation", "--no-index", str(archive), timeout=400)
    if done.returncode:
        fail(f"shmem4py does not build:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        finish()
    return python, scratch / f"shmem4py-{VERSION}"


def all_programs():
    """One after the other in one process, whose start takes longer than all of them. What they
    allocate stays until its end."""
    text = HEAD + "kept = []\n"
    for name, body in PROGRAMS.items():
        text += (f"\n\ndef of_{name}():\n{textwrap.indent(body, '    ')}    return locals()\n\n\n"
                 f"kept.append(of_{name}())\nprint('{name}', me, 'right', flush=True)\n")
    return text


def jobs(scratch, sources):
    """(name, arguments of python, folder, numbers of PEs, options of oshrun, what each PE says)"""
    for demo in sorted([*sources.glob("demo/*.py"), *sources.glob("demo/api/*.py")]):
        yield str(demo.relative_to(sources)), [demo.name], demo.parent, (3,), [], ()
    yield "tests", ["-m", "unittest", "discover", "-s", "test"], sources, (1, 2, 4), [], ()
    yield "tests", ["-m", "unittest", "discover", "-s",
                    "test"], sources, (2,), ["--emulate-nodes", "2"], ()
    (scratch / "programs.py").write_text(all_programs(), encoding="utf-8")
    yield "programs", ["programs.py"], scratch, (1, 4), [], PROGRAMS
    yield "programs", ["programs.py"], scratch, (2,), ["--emulate-nodes", "2"], PROGRAMS


def run(python, name, arguments, folder, npes, options, said):
    command = [str(STAGE / "bin/oshrun"), "-n", str(npes), *options, python, "-u", *arguments]
    what = f"{name} at {npes} PEs {' '.join(options)}"
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                              timeout=100, cwd=folder)
    except subprocess.TimeoutExpired:
        return f"{what}: hangs"
    output = done.stdout + done.stderr
    if (done.returncode == 0 and "Traceback" not in output
        and all(len(re.findall(rf"^{word} \d+ right$", output, re.M)) == npes for word in said)):
        return None
    return f"{what}: status {done.returncode}\n{output[-2500:]}"


def main():
    if not shutil.which("cc"):
        skip("no C compiler")
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        python, sources = install(scratch)
        results = [run(python, name, arguments, folder, npes, options, said)
                   for name, arguments, folder, counts, options, said in jobs(scratch, sources)
                   for npes in counts]
    for text in filter(None, results):
        fail(text)
    finish(f"shmem4py {VERSION}: {len(results)} runs")


if __name__ == "__main__":
    main()
