#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random jobs for a long time: storms of checked transfers (OpenSHMEM's and ARMCI's), threads that
issue beside one that orders, collectives and messages over all layouts, providers and topologies,
with delays, with windows of one request, with other load on the machine, with PEs that are killed.

What a job must do: end with status 0 and no failure in its output; with a killed PE end with
another status, within a bound, with a line that names the PE. Afterwards no process of it is left,
and nothing in its scratch folder or in /dev/shm. The programs check their results against a model,
and that descriptors and memory stay flat. Each job is drawn from the seed and its number, so
    soak.py --seed SEED --only NUMBER
repeats one. At the end the attack tests of the network run at their full size. Called by
./dev soak; the last line is "N passed, N failed"."""

import argparse
import datetime
import os
import platform
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from frame.script import BUILD, STAGE, oshcc  # noqa: E402

PAGE = ROOT / "docs/results/soak.md"
# (endpoint mode, provider); what this machine's libfabric does not offer is left out, and said.
NETWORKS = [("msg", "tcp"), ("msg", "net"), ("rdm", "net"), ("rdm", "tcp;ofi_rxm")]
# rxm touches the pools of an endpoint message by message, for some 200,000 of them; it serves one
# endpoint of a process only, so servers cannot forward over it
RXM_KIB = 90 * 1024
ENDED_WITHIN = 5.0  # seconds from a kill to the end of the job, on a loaded machine
PROGRAMS = ["storm", "armci_storm", "collectives", "flood", "orders", "armci_orders"]
TOPOLOGIES = ["fcg", "mfcg", "cfcg", "hypercube"]
WORDS = re.compile(r"^FAIL|Sanitizer|causeway: error:|stack smashing|corrupt|double free", re.M)


@dataclass
class Job:
    number: int
    program: str
    args: list
    npes: int
    nodes: int = 1
    network: tuple = ()
    delay: str = ""
    load: int = 0
    kill_after: float = 0.0
    env: dict = field(default_factory=dict)

    @property
    def layout(self):
        return f"{self.nodes} nodes, {' '.join(self.network)}" if self.network else "1 node"

    def __str__(self):
        words = [f"{self.program:11}", f"{self.npes:2} PEs", f"{self.layout:26}"]
        words += ["delayed"] * bool(self.delay) + [f"load {self.load}"] * bool(self.load)
        words += [f"{k}={v}" for k, v in self.env.items()]
        return " ".join(words + ["kill"] * bool(self.kill_after))


@dataclass
class Result:
    job: Job
    seconds: float
    wrong: list
    output: str
    ended_after: float = 0.0  # seconds from the kill


def draw_topology(r):
    """Settings of a job whose requests are forwarded; half of them with the smallest windows."""
    env = {"CAUSEWAY_TOPOLOGY": r.choice(TOPOLOGIES)}
    if r.random() < 0.5:
        env |= {"CAUSEWAY_EDGE_BUFFERS": "1", "CAUSEWAY_EDGE_BUFFER": r.choice(["4352", "16K"])}
    if r.random() < 0.5:
        env["CAUSEWAY_COMBINE"] = "1"
    return env


def draw_job(seed, number, networks, lasts, only=None):
    r = random.Random(f"{seed}/{number}")
    program = r.choices(PROGRAMS, [5, 5, 2, 2, 2, 2])[0]
    program = only or program
    job = Job(number, program, [], r.choice([2, 3, 4, 4, 5, 8, 12, 16]))
    if r.random() < 0.8 and networks:
        job.nodes = r.randint(2, min(job.npes, 6) if r.random() < 0.9 else job.npes)
        job.network = r.choice(networks)
        job.delay = f"{r.randint(1, 10**6)}:{r.choice([50, 200, 1000])}" if r.random() < 0.3 else ""
    job.load = r.choice([0, 0, 1, 2, 4])
    lasts = lasts * (0.5 + r.random())
    if program in ("storm", "armci_storm"):
        job.args = [r.randint(1, 10**6), round(lasts, 1)]
    elif program in ("orders", "armci_orders"):
        job.args = [r.randint(50, 400)]
        job.env["CAUSEWAY_AGGREGATE"] = r.choice(["auto", "on", "off"])
        job.env["CAUSEWAY_CTX_ENDPOINTS"] = r.choice(["0", "1", "8"])
    elif program == "collectives":
        job.args = [r.randint(50, 150), r.randint(1, 10**6), r.choice([2000, 100000])]
    else:
        job.args = [r.choice(["ring", "pair", "all"]), r.randint(100, 400), round(lasts, 1)]
        if job.network and "rxm" in job.network[1]:
            job.args.append(RXM_KIB)
        job.npes -= job.npes % 2 if job.args[0] == "pair" else 0
        job.nodes = min(job.nodes, job.npes)
    if job.network and r.random() < 0.2:
        job.env["CAUSEWAY_MAX_CONNECTIONS"] = str(r.randint(1, 4))
    if job.nodes > 1 and "rxm" not in job.network[1] and r.random() < 0.5:
        job.env |= draw_topology(r)
    if r.random() < 0.1:
        job.env["CAUSEWAY_CHECK"] = "1"
    if r.random() < 0.2:
        job.kill_after = 0.2 + r.random() * lasts / 2
    return job


def draw_topology_job(seed, number, networks, lasts, only=None):
    """16 PEs on 2 and on 4 nodes in each topology, eight jobs in turn, then another program: one
    buffer an edge, which holds one of the largest requests, and delays."""
    r = random.Random(f"{seed}/{number}")
    turn = number - 1
    programs = [only] if only else ["armci_storm", "storm", "armci_storm", "flood"]
    job = Job(number, programs[turn // 8 % len(programs)], [], 16, nodes=(2, 4)[turn // 4 % 2])
    job.network = r.choice([network for network in networks if "rxm" not in network[1]])
    job.delay = f"{r.randint(1, 10**6)}:{r.choice([50, 200, 1000])}"
    job.env = {"CAUSEWAY_TOPOLOGY": TOPOLOGIES[turn % len(TOPOLOGIES)],
               "CAUSEWAY_EDGE_BUFFERS": "1", "CAUSEWAY_EDGE_BUFFER": "4352"}
    if r.random() < 0.5:
        job.env["CAUSEWAY_COMBINE"] = "1"
    if job.program == "flood":
        job.args = ["all", r.randint(100, 400), lasts]
    else:
        job.args = [r.randint(1, 10**6), lasts]
    return job


# ---------------------------------------------------------------- one job
def processes(token):
    """Those with the token in their environment: pid -> command line."""
    found, mark = {}, f"CAUSEWAY_TEST_TOKEN={token}".encode()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    command = (folder / "cmdline").read_bytes().split(b"\0")[0]
                    found[int(folder.name)] = command.decode()
            except OSError:
                continue
    return found


def kill_a_pe(job, token, program, deadline):
    """Kills one after its time. Returns (pid, when), or None if the job has ended before."""
    time.sleep(job.kill_after)
    while time.monotonic() < deadline:
        pes = sorted(pid for pid, command in processes(token).items() if command == str(program))
        if len(pes) == job.npes:
            pid = random.Random(f"{job.number}/{job.args}").choice(pes)
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                return None
            return pid, time.monotonic()
        if not processes(token):
            return None
        time.sleep(0.02)
    return None


def burn(count):
    """Processes that compute, for as long as this one lives."""
    loop = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"
    return [subprocess.Popen([sys.executable, "-c", loop]) for _ in range(count)]


def judge(job, status, output, killed, ended_after, token, scratch, shm_before):
    wrong = []
    if killed:
        pid = killed[0]
        if status == 0:
            wrong.append("status 0 although a PE was killed")
        if not re.search(rf"PE \d+ of {job.npes} \(pid {pid}\b.*signal 9", output):
            wrong.append(f"no line names the killed PE (pid {pid}) and its signal")
        if ended_after > ENDED_WITHIN:
            wrong.append(f"ended {ended_after:.1f} s after the kill")
    else:
        if status != 0:
            wrong.append(f"status {status}")
        if found := WORDS.search(output):
            wrong.append(f"output has {found.group()!r}")
    until = time.monotonic() + 2
    while (left := processes(token)) and time.monotonic() < until:
        time.sleep(0.05)
    if left:
        wrong.append(f"processes are left: {left}")
        for pid in left:
            os.kill(pid, signal.SIGKILL)
    if files := sorted(p.name for p in scratch.iterdir()):
        wrong.append(f"files are left: {files}")
    if new := sorted(set(os.listdir("/dev/shm")) - shm_before):
        wrong.append(f"/dev/shm has {new}")
    return wrong


def run_job(job, program, timeout):
    token, scratch = f"soak-{os.getpid()}-{job.number}", Path(tempfile.mkdtemp(prefix="soak"))
    env = {k: v for k, v in os.environ.items() if not k.startswith(("CAUSEWAY_", "SHMEM_", "SMA_"))}
    if "CAUSEWAY_LIBFABRIC" in os.environ:
        env["CAUSEWAY_LIBFABRIC"] = os.environ["CAUSEWAY_LIBFABRIC"]
    env |= job.env | {"CAUSEWAY_TEST_TOKEN": token, "TMPDIR": str(scratch),
                      "SHMEM_SYMMETRIC_SIZE": "64M"}
    command = [str(STAGE / "bin/oshrun"), "-n", str(job.npes)]
    if job.network:
        command += ["--emulate-nodes", str(job.nodes)]
        env |= {"CAUSEWAY_ENDPOINT": job.network[0], "CAUSEWAY_PROVIDER": job.network[1]}
    if job.delay:
        env["CAUSEWAY_DELAY"] = job.delay
    shm_before, others = set(os.listdir("/dev/shm")), burn(job.load)
    start, killed, ended_after = time.monotonic(), None, 0.0
    try:
        with (scratch / "output").open("w+") as out:
            process = subprocess.Popen([*command, str(program), *map(str, job.args)], env=env,
                                       stdin=subprocess.DEVNULL, stdout=out, stderr=out)
            (scratch / "output").unlink()
            try:
                if job.kill_after:
                    killed = kill_a_pe(job, token, program, start + timeout)
                status = process.wait(timeout=max(1.0, start + timeout - time.monotonic()))
            except subprocess.TimeoutExpired:
                status = f"none after {timeout} s"
                for pid in processes(token):
                    os.kill(pid, signal.SIGKILL)
                process.wait()
            if killed:
                ended_after = time.monotonic() - killed[1]
            out.seek(0)
            output = out.read()
        wrong = judge(job, status, output, killed, ended_after, token, scratch, shm_before)
    finally:
        for other in others:
            other.kill()
            other.wait()
        shutil.rmtree(scratch, ignore_errors=True)
    return Result(job, time.monotonic() - start, wrong, output, ended_after)


# ---------------------------------------------------------------- the whole
def offered(programs):
    """The networks that this machine's libfabric offers."""
    found = []
    for network in NETWORKS:
        job = Job(0, "storm", [1, 0], 2, 2, network)
        if not run_job(job, programs["storm"], 60).wrong:
            found.append(network)
        else:
            print(f"soak: no {network[1]} with {network[0]} endpoints here: left out", flush=True)
    return found


def show(result, started):
    job = result.job
    line = f"{time.monotonic() - started:6.0f} s  {job.number:4}  {job}  {result.seconds:5.1f} s"
    print(line + ("" if not result.wrong else "  WRONG: " + "; ".join(result.wrong)), flush=True)
    if result.wrong:
        print("".join(f"      | {text}\n" for text in result.output.splitlines()[-40:]), flush=True)


def attack():
    """The attack tests of the network at their full size. How many passed and failed; skipped ones
    count as failed."""
    command = [sys.executable, str(ROOT / "tests/run.py"), "--slow", "transport/attack-long"]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    print(output, flush=True)
    counts = re.search(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", output, re.M)
    return (int(counts[1]), int(counts[2]) + int(counts[3] or 0)) if counts else (0, 1)


def page(results, args, attacks):
    rounds = sum(int(n) for r in results for n in re.findall(r": (\d+) rounds", r.output))
    operations = sum(int(n) * r.job.npes for r in results
                     for n in re.findall(r"(\d+) operations a PE", r.output))
    kills = [r.ended_after for r in results if r.ended_after]
    groups = {}
    for r in results:
        groups.setdefault((r.job.program, r.job.network or ("node", "")), []).append(r)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True,
                            text=True).stdout.strip()
    lines = ["# The soak", "",
             f"`./dev soak{' --topologies' * args.topologies} --minutes {args.minutes:g} "
             f"--seed {args.seed}` at "
             f"{commit or 'no commit'}, {datetime.date.today()}, {os.cpu_count()} cores, "
             f"{platform.system()} {platform.release()}.", "",
             f"{len(results)} jobs: {sum(not r.wrong for r in results)} passed, "
             f"{sum(bool(r.wrong) for r in results)} failed. {rounds} rounds of checked "
             f"operations, {operations} of them in storms. {len(kills)} jobs lost a PE to SIGKILL"
             + (f" and ended {statistics.median(kills):.2f} s later in the median, "
                f"{max(kills):.2f} s at the latest." if kills else "."), "",
             "The attack tests of the network at their full size (10⁵ connections and 10⁶ frames "
             f"each): {attacks[0]} passed, {attacks[1]} failed." if attacks
             else "Without attacks.", "",
             "| program | network | jobs | PEs | nodes | forwarded | delayed | loaded | killed "
             "| failed |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for (program, network), of in sorted(groups.items()):
        jobs = [r.job for r in of]
        lines.append(f"| {program} | {' '.join(network).strip()} | {len(of)} | "
                     f"{min(j.npes for j in jobs)}-{max(j.npes for j in jobs)} | "
                     f"{min(j.nodes for j in jobs)}-{max(j.nodes for j in jobs)} | "
                     f"{sum('CAUSEWAY_TOPOLOGY' in j.env for j in jobs)} | "
                     f"{sum(bool(j.delay) for j in jobs)} | {sum(bool(j.load) for j in jobs)} | "
                     f"{sum(bool(r.ended_after) for r in of)} | {sum(bool(r.wrong) for r in of)} |")
    return "\n".join(line if line.startswith(("|", "#")) else textwrap.fill(line, 100)
                     for line in lines) + "\n"


def with_own_shm():
    """Starts again with a /dev/shm of its own, where root may: what other jobs of the machine leave
    there for a moment is no failure of these."""
    alone = ["unshare", "--mount", "sh", "-c", "mount -t tmpfs shm /dev/shm && exec \"$@\"", "sh"]
    if os.environ.get("SOAK_ALONE") or subprocess.run([*alone, "true"], capture_output=True,
                                                      check=False).returncode:
        return
    os.environ["SOAK_ALONE"] = "1"
    os.execvp(alone[0], [*alone, sys.executable, *sys.argv])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], prog="./dev soak")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=random.randrange(1, 10**6))
    parser.add_argument("--only", type=int, metavar="NUMBER", help="repeat this job of the seed")
    parser.add_argument("--program", choices=PROGRAMS,
                        help="draw no other one")
    parser.add_argument("--topologies", action="store_true",
                        help="16 PEs on 2 and 4 nodes in each topology in turn, one buffer an "
                             "edge, delays; no attacks, no page")
    parser.add_argument("--lasts", type=float, default=6, help="seconds of a storm, about")
    parser.add_argument("--no-attacks", action="store_true", help="without the attack tests")
    parser.add_argument("--page", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    args = parser.parse_args()
    if args.topologies and args.page:
        parser.error("--page is of the whole soak")
    args.no_attacks |= args.topologies
    with_own_shm()
    scratch = Path(tempfile.mkdtemp(prefix="soak-programs"))
    try:
        programs = {"storm": oshcc(scratch / "storm", ROOT / "tests/soak/storm.c"),
                    "armci_storm": oshcc(scratch / "armci_storm",
                                         ROOT / "tests/soak/armci_storm.c"),
                    "orders": oshcc(scratch / "orders", ROOT / "tests/soak/orders.c"),
                    "armci_orders": oshcc(scratch / "armci_orders",
                                          ROOT / "tests/soak/armci_orders.c"),
                    "collectives": oshcc(scratch / "collectives",
                                         ROOT / "tests/stress/collectives.c"),
                    "flood": str(BUILD / "tests/am/flood")}
        sys.exit(soak(args, programs))
    finally:
        shutil.rmtree(scratch)


def soak(args, programs):
    started = time.monotonic()
    print(f"soak: seed {args.seed}, {args.minutes:g} minutes", flush=True)
    networks, results = offered(programs), []
    numbers = [args.only] if args.only is not None else range(1, 10**6)
    for number in numbers:
        if args.only is None and time.monotonic() - started > 60 * args.minutes:
            break
        draw = draw_topology_job if args.topologies else draw_job
        job = draw(args.seed, number, networks, args.lasts, args.program)
        results.append(run_job(job, programs[job.program], 60 + 20 * args.lasts))
        show(results[-1], started)
    attacks = None if args.no_attacks or args.only is not None else attack()
    text = page(results, args, attacks)
    print(text)
    if args.page:
        PAGE.write_text(text)
    failed = sum(bool(r.wrong) for r in results)
    passed = len(results) - failed
    if attacks:
        passed, failed = passed + attacks[0], failed + attacks[1]
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    main()
