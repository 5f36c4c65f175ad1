#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The command line of oshrun, the environment of PEs, placement, programs that cannot run,
limits."""

import os
import resource
import subprocess
from pathlib import Path

from common import OSHRUN, PROBE, check, finish, lines_of, run


def refused(args, *texts, status=2, **kwargs):
    job = run(*args, **kwargs)
    check(job.returncode == status and job.stderr.count("\n") == 1,
          f"{args}: refused with {status} and one line", job.returncode, job.stderr)
    for text in texts:
        check(text in job.stderr, f"{args}: says {text!r}", job.stderr)


def prints(args, want, **kwargs):
    job = run(*args, **kwargs)
    check(job.returncode == 0 and lines_of(job.stdout) == sorted(want), f"{args}: prints {want}",
          job.stdout, job.stderr)


refused([], "no program given")
refused(["-n", 4], "no program given")
refused(["-n"], "-n needs a value")
for bad in ("0", "-1", "four", "3x", "", "99999999999999999999", "1048577"):
    refused(["-n", bad, "true"], "expected a number")
refused(["--frobnicate", "true"], "unknown option --frobnicate")
refused(["--lable", "true"], "unknown option --lable; did you mean --label?")
refused(["--oversubscribed", "true"], "did you mean --oversubscribe?")
refused(["--mca", "btl"], "--mca needs a name and a value")
refused(["--map-by", "ppr:2:socket", "true"], "only ppr:K:node, which is --ppn K")
refused(["--map-by", "ppr:x:node", "true"], "expected a number")
refused(["--hosts", "", "true"], "expected names of hosts")  # as of a variable that is not set
refused(["-n", 4, "--map-by", "ppr:2:node", "true"], "--ppn 2: 4 PEs need 2 nodes")
refused(["--timeout", "0", "true"], "seconds")
refused(["--timeout", "nan", "true"], "seconds")
refused(["-x", "=1", "true"], "VAR=VALUE")
refused(["-n", 4, "--ppn", 2, "true"], "add --emulate-nodes 2")
refused(["-n", 4, "--ppn", 2, "--emulate-nodes", 3, "true"], "make 2 nodes, not the 3")
refused(["-n", 2, "--emulate-nodes", 3, "true"], "at least one PE")

for form in (["-n", 3], ["-np", 3], ["-n3"], ["--np", 3], ["--np=3"]):
    prints([*form, "echo", "x"], ["x"] * 3)
# What people type from other launchers.
for form in (["-np3"], ["--ntasks=3"], ["--oversubscribe", "--allow-run-as-root", "-n", 3],
             ["-n", 3, "-host", "localhost"], ["-host", "localhost:4", "-n", 3],
             ["-n", 3, "--bind-to", "core:overload-allowed", "--map-by", "slot"],
             ["-n", 3, "--bind-to", "hwthread", "-genvall"],
             ["-n", 3, "--map-by", "ppr:3:node"], ["-n", 3, "-perhost", 3]):
    prints([*form, "echo", "x"], ["x"] * 3)
prints(["-n", 2, "-genv", "A", "1", "-env", "B", "2=3", "sh", "-c", "echo $A $B"], ["1 2=3"] * 2)
for form in ("-l", "--tag-output", "-prepend-rank"):
    prints(["-n", 2, form, "echo", "x"], ["[0] x", "[1] x"])
job = run("-n", 2, "--mca", "btl", "tcp,self", "-mca", "oob", "x", "echo", "x")
check(job.returncode == 0 and lines_of(job.stdout) == ["x", "x"] and job.stderr ==
      "oshrun: --mca btl tcp,self (and others): a setting of Open MPI, without a meaning here, is "
      "ignored\n", "--mca", job.stderr)
prints(["echo", "alone"], ["alone"])
prints(["-n", 1, "--", "echo", "-n", "2"], ["2"])
prints(["-n", 1, "printf", "%s|", "a b", "-n", "--label"], ["a b|-n|--label|"])

job = run("--help")
check(job.returncode == 0
      and all(o in job.stdout for o in ("--emulate-nodes", "--timeout", "--label", "-x")), "--help",
      job.stdout)
check(run("--version").stdout.startswith("oshrun (Causeway) "), "--version")

# A program of another library: a hint at the end; none for one that has joined, or that is no such
# program. The library is a stub with that library's name.
def build(program, source, *words):
    command = [os.environ.get("CC", "cc"), "-o", program, "-x", "c", "-", "-x", "none", *words]
    subprocess.run(command, input=source, text=True, check=True)


build("libmpi.so.40", "void stub(void) {}", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.40")
build("other", "void stub(void); int main(void) { stub(); return 0; }", "-Wl,--no-as-needed",
      "./libmpi.so.40", f"-Wl,-rpath,{os.getcwd()}")
hint = "no process of ./other has joined the job: it is linked with an MPI, not with Causeway"
job = run("-n", 2, "./other")
check(job.returncode == 0 and job.stderr.count(hint) == 1, "hint at another library", job.stderr)
for args in (["-n", 2, "true"], ["-n", 2, PROBE, "ok"], ["-n", 2, "sh", "-c", "exit 0"]):
    job = run(*args)
    check("has joined" not in job.stderr, f"{args}: no hint", job.stderr)
cut = Path("other").read_bytes()
for length in (0, 3, 64, 700, len(cut) // 2):  # a file that is not whole
    Path("cut").write_bytes(cut[:length])
    Path("cut").chmod(0o755)
    job = run("-n", 2, "./cut")
    check(job.returncode > 0, f"cut at {length}", job.returncode, job.stderr)

# Environment of the PEs.
env = dict(os.environ, GIVEN="before", KEPT="kept")
prints(["-n", 2, "-x", "GIVEN=after", "-x", "KEPT", "sh", "-c", "echo $GIVEN $KEPT"],
       ["after kept"] * 2, env=env)
prints(["-x", "A=1", "-x", "A=2=3", "sh", "-c", "echo $A"], ["2=3"])
prints(["-n", 3, "--emulate-nodes", 2, "sh", "-c", "echo $OSHRUN_PE $OSHRUN_NPES $OSHRUN_NODE"],
       ["0 3 0", "1 3 0", "2 3 1"])
prints(["-n", 5, "--emulate-nodes", 3, "--ppn", 2, "sh", "-c", "echo $OSHRUN_PE $OSHRUN_NODE"],
       ["0 0", "1 0", "2 1", "3 1", "4 2"])
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
prints(["-n", 1, "sh", "-c", "ulimit -n"], ["300"],
       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (300, hard)))

# Placement as the library sees it.
prints(["-n", 5, PROBE], ["launch: 5 PEs, one_machine 1, node_fd yes, nodes 0 0 0 0 0"])
prints(["-n", 5, "--emulate-nodes", 2, PROBE],
       ["launch: 5 PEs, one_machine 1, node_fd yes, nodes 0 0 0 1 1"])
prints(["-n", 5, "-N", 2, "--emulate-nodes", 3, PROBE],
       ["launch: 5 PEs, one_machine 1, node_fd yes, nodes 0 0 1 1 2"])
prints(["-n", 4, "-x", "CAUSEWAY_NODE=any", "sh", "-c",
        f"CAUSEWAY_NODE=n$((OSHRUN_PE % 2)) exec {PROBE}"],
       ["launch: 4 PEs, one_machine 1, node_fd no, nodes 0 1 0 1"])
job = run("-n", 2, "sh", "-c", f"CAUSEWAY_NODE=n$OSHRUN_PE exec {PROBE}")
check(job.returncode != 0 and "-x CAUSEWAY_NODE" in job.stderr,
      "CAUSEWAY_NODE for a PE only is explained", job.stderr)

# oshrun's variables are checked before they are used.
job = run("-n", 1, "sh", "-c", f"CAUSEWAY_LAUNCH=fd=nonsense exec {PROBE}")
check(job.returncode != 0 and "is not what oshrun writes" in job.stderr,
      "a damaged CAUSEWAY_LAUNCH", job.stderr)
job = run("-n", 1, "sh", "-c", "CAUSEWAY_LAUNCH=fd=0,ino=1,node=0,bell=0,life=0,records=0,pe=0 "
          f"exec {PROBE}")
check(job.returncode == 0 and job.stdout.startswith("single: 1 PEs"),
      "CAUSEWAY_LAUNCH of another job", job.stdout)

# Programs that cannot run.
refused(["-n", 2, "./missing"], "cannot run ./missing", status=127)
refused(["-n", 2, "no-such-program-anywhere"], "not found in PATH", status=127)
refused(["-n", 2, "/etc/passwd"], "not an executable", status=126)
refused(["-n", 2, "/tmp"], "not an executable", status=126)
garbage = Path("garbage")
garbage.write_text("garbage")
garbage.chmod(0o755)
refused(["-n", 2, "./garbage"], "Exec format error", status=126)
refused(["-n", 2, "garbage"], "did you mean ./garbage?", status=127)
garbage.unlink()
lost = Path("lost.sh")  # its first line names no file
lost.write_text("#!/bin/sh\r\ntrue\n")
lost.chmod(0o755)
refused(["-n", 2, "./lost.sh"], "the interpreter of a script's #! line", status=127)

# Limits.
refused(["-n", 1000, "--emulate-nodes", 300, "true"], "file descriptors", "ulimit -Hn", status=1,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200)))
# Out of processes, half-way: reports it, and ends those that run. (Root has no such limit, so the
# test runs as another user.)
user = {"user": 54321, "group": 54321, "extra_groups": []} if os.geteuid() == 0 else {}
reach = subprocess.run(["/bin/sh", "-c", f"test -x {OSHRUN}"], **user).returncode
if os.geteuid() == 0 and reach == 0:
    refused(["-n", 50, "sleep", "50"], "cannot start PE", "ulimit -u", status=1,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (20, 20)), **user)
finish()
