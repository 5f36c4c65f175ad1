#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a small set of tests over every software provider that libfabric 1.17 and 2.x offer, and
over some that they may not; writes a matrix, docs/results/providers.md. ./dev providers calls it;
the last line is "N passed, N failed". A provider that is refused in a line of the library's own,
before anything runs, passes; a hang, a crash or a wrong result fails."""

import argparse
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "launch")]
import run as tests  # noqa: E402
import wheels  # noqa: E402

PAGE = ROOT / "docs/results/providers.md"
# Asked for in any case, with what else they need; the others are what the library lists.
ASKED = {"tcp": {}, "net": {}, "tcp;ofi_rxm": {}, "udp;ofi_rxd": {}, "shm": {}, "sockets": {},
         "sm2": {}, "udp": {}, "ucx": {}, "psm3": {"PSM3_HAL": "sockets"}}
# Why a provider is slow, and what all programs but the one that measures speed are run with.
SLOW_WHY = {
    "sockets": ("its progress thread naps for 10 ms; all other programs ran with "
                "FI_SOCKETS_PE_WAITTIME=0", {"FI_SOCKETS_PE_WAITTIME": "0"}),
    "net;ofi_rxm": ("an acknowledgement of a put comes 10 to 20 ms later where nothing else moves; "
                    "the reason is not known", {}),
    "udp;ofi_rxd": ("datagrams, acknowledged and repeated by the provider's own clock", {}),
    "shm": ("no progress without calls at the target, whose server polls", {}),
}
# (test of a table, arguments instead of its own, nodes, PEs)
PROGRAMS = [("conformance/rma", None, 2, 2), ("conformance/strided", None, 2, 2),
            ("conformance/amo", None, 2, 3), ("conformance/order", None, 2, 2),
            ("conformance/p2p", None, 2, 3), ("conformance/collectives", None, 2, 3),
            ("litmus/message_passing", ["300"], 2, 4), ("am/kinds", None, 2, 2),
            ("stress/reconnect_2", ["60", "12"], 4, 4)]
SECONDS = 60       # of a program; a refusal must come sooner
REFUSED_IN = 20
SLOW = 4           # times what tcp with MSG endpoints takes
REFUSAL = re.compile(r"causeway: error: (?:PEs? [^()]*\([^)]*\)|pid \d+, host \S+): (.*)")


@dataclass
class Row:
    library: str
    mode: str
    provider: str
    verdict: str = ""
    note: str = ""
    passed: int = 0
    seconds: float = 0.0
    speed: dict = field(default_factory=dict)


def environment(row, options, library, scratch_token):
    case = tests.Case("providers", HERE, {})
    env = tests.environment(case, options, scratch_token)
    env.pop("CAUSEWAY_LIBFABRIC", None)
    if library:
        env["CAUSEWAY_LIBFABRIC"] = str(library)
    env |= {"CAUSEWAY_ENDPOINT": row.mode, "CAUSEWAY_PROVIDER": row.provider,
            "SHMEM_SYMMETRIC_SIZE": "64M"}
    if row.speed:
        env |= SLOW_WHY.get(row.provider, ("", {}))[1]
    return env | ASKED.get(row.provider, {})


def offered(options, library):
    """{mode: providers} as causeway-info lists them."""
    env = dict(os.environ) | ({"CAUSEWAY_LIBFABRIC": str(library)} if library else {})
    done = subprocess.run([options.stage / "bin/causeway-info", "--libfabric"], env=env, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    found = {m: re.search(rf"^ *{m} endpoints +(.*)$", done.stdout, re.M) for m in ("msg", "rdm")}
    version = re.search(r"libfabric (\S+)", done.stdout)
    if not version:
        raise RuntimeError(f"causeway-info --libfabric: {done.stdout}{done.stderr}")
    return version[1], {m: f[1].split(", ") if f else [] for m, f in found.items()}


def rows_of(options, library):
    """The rows of one libfabric: offered ones first."""
    version, lists = offered(options, library)
    for mode in ("msg", "rdm"):
        names = list(dict.fromkeys([*lists[mode], *ASKED]))
        for name in names:
            layered = ";" in name
            if mode == "msg" and layered and name not in lists["msg"]:
                continue  # layers make RDM endpoints, and that is all
            yield Row(version, mode, name)


# ---------------------------------------------------------------- one provider

def specs():
    found = {}
    for path in sorted(ROOT.glob("tests/*/tests.toml")):
        for case in tests.read_table(path):
            found[f"{case.room.name}/{case.spec['name']}"] = (case.room, case.spec)
    return found


def cases_of(known):
    """The programs as cases, speed first."""
    spec = tests.DEFAULTS | {"name": "speed", "source": "speed.c", "env": {}, "timeout": SECONDS}
    yield tests.Case("speed", HERE, spec, 2, "2nodes-rdm")
    for name, args, nodes, npes in PROGRAMS:
        room, spec = known[name]
        spec = spec | {"timeout": SECONDS, "expect": [], "env": {}}
        if args:
            spec["args"] = args
        yield tests.Case(name, room, spec, npes, f"{nodes}nodes-rdm")


def run_case(case, row, options, library):
    command, error = tests.base_command(case, options)
    if error:
        return tests.Result(case, "FAIL", "could not be built", error)
    token = f"{os.getpid()}.{next(tests.CASE_NUMBER)}.{time.monotonic_ns()}"
    env = environment(row, options, library, token)
    nodes = tests.layout_nodes(case.layout)
    command = [str(options.stage / "bin/oshrun"), "-np", str(case.npes), "--emulate-nodes",
               str(nodes), *command, *map(str, case.spec.get("args", []))]
    tests.ACTIVE.add(token)
    try:
        return tests.run_command(case, command, env, token, SECONDS)
    finally:
        tests.ACTIVE.discard(token)


def refusal(result):
    """The library's reason for not running at all, or None."""
    if result.seconds > REFUSED_IN or "no end after" in result.reason:
        return None
    match = re.search(REFUSAL, result.output)
    if not match:
        return None
    # what to do, and the list of providers, are of no use to the page, which has a row of each
    return re.split("; set CAUSEWAY|; libfabric [0-9.]+ offers", match[1])[0]


def try_row(row, options, library, cases):
    """Fills the row; returns the failed results."""
    start = time.monotonic()
    failed = []
    for number, case in enumerate(cases):
        result = run_case(case, row, options, library)
        if number == 0 and result.verdict == "FAIL" and (why := refusal(result)):
            row.verdict, row.note = "refused", why
            break
        if result.verdict == "PASS":
            row.passed += 1
            if number == 0:
                row.speed = {w: float(v) for w, v in
                             re.findall(r"^(\w+) ([\d.]+)$", result.output, re.M)}
        else:
            failed.append(result)
    row.seconds = time.monotonic() - start
    if failed:
        row.verdict = "fails"
        row.note = "; ".join(f"{r.case.ident}: {r.reason}" for r in failed)
    elif not row.verdict:
        row.verdict = "runs"
    return failed


# ---------------------------------------------------------------- the page

HEAD = """# Software providers

<!-- Generated by tests/providers/providers.py: do not edit. -->

Every software provider that a libfabric offers, and some that it may not, under a small set of
tests between emulated nodes. `./dev providers` writes this page. *Refused* is an error line of
Causeway's own before anything runs; the provider of an RDM endpoint over sockets is used on request
only. Figures are multiples of what `tcp` with MSG endpoints took for the same operation in the same
run, on a machine that other work shares: magnitudes.

"""


def ratio(row, base):
    if not row.speed or not base:
        return "–"
    parts = [f"{row.speed[w] / base[w]:.1f}" for w in ("put_quiet", "get", "fetch_add")
             if w in row.speed and base.get(w)]
    return " / ".join(parts) or "–"


def is_slow(row, base):
    return any(row.speed.get(w, 0) > SLOW * base[w] for w in base)


def write_page(rows, programs):
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], text=True,
                            capture_output=True, check=False).stdout.strip()
    facts = (f"{time.strftime('%Y-%m-%d', time.gmtime())}, commit {commit}, "
             f"load average {os.getloadavg()[1]:.0f} on {os.cpu_count()} cores; "
             f"{programs} programs each: speed, {', '.join(p[0] for p in PROGRAMS)}.")
    lines = [textwrap.fill(facts, 100, break_on_hyphens=False), "",
             "| libfabric | endpoints | provider | result | programs "
             "| put + quiet / get / fetch-add | note |", "|---|---|---|---|---|---|---|"]
    for row in rows:
        base = next((r.speed for r in rows if (r.library, r.mode, r.provider)
                     == (row.library, "msg", "tcp")), {})
        verdict, note = row.verdict, row.note
        if verdict == "runs" and is_slow(row, base):
            verdict = "runs, slow"
            note = SLOW_WHY.get(row.provider, ("the reason is not known",))[0]
        note = " ".join(note.split()).replace("|", "/")
        done = "–" if row.verdict == "refused" else f"{row.passed} of {programs}"
        lines.append(f"| {row.library} | {row.mode} | `{row.provider}` | {verdict} | {done} "
                     f"| {ratio(row, base)} | {note} |")
    PAGE.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")


# ---------------------------------------------------------------- the command

def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev providers", description=__doc__)
    parser.add_argument("filters", nargs="*",
                        help="only rows that contain one of these, as in '2.5 rdm tcp'; no page is "
                             "written then")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    return parser.parse_args()


def libraries():
    yield None
    try:
        yield wheels.libfabric().resolve()
    except wheels.Missing as reason:
        print(f"providers: no current libfabric: {reason}", flush=True)


def whole_run(arguments, options):
    cases = list(cases_of(specs()))
    work = [(row, library) for library in libraries() for row in rows_of(options, library)]
    if arguments.filters:
        work = [(r, l) for r, l in work
                if any(f in f"{r.library} {r.mode} {r.provider}" for f in arguments.filters)]
    for number, (row, library) in enumerate(work, 1):
        failed = try_row(row, options, library, cases)
        note = f": {row.note[:150]}" if row.note else ""
        print(f"[{number}/{len(work)}] {row.library} {row.mode} {row.provider}: {row.verdict}, "
              f"{row.passed} of {len(cases)} programs, {row.seconds:.1f} s{note}", flush=True)
        for result in failed:
            print(f"--- {result.case.ident}: {result.reason}\n{result.output[-4000:]}", flush=True)
    rows = [row for row, _ in work]
    if not arguments.filters:
        write_page(rows, len(cases))
        print(f"providers: {PAGE.relative_to(ROOT)} is written")
    bad = sum(row.verdict == "fails" for row in rows)
    print(f"{len(rows) - bad} passed, {bad} failed", flush=True)
    return 1 if bad or not rows else 0


def main():
    arguments = parse_arguments()
    os.environ["CAUSEWAY_TEST_BUILD"] = str(arguments.build.resolve())
    build = arguments.build.resolve()
    options = tests.Options(build, build / "stage", None, None, 1, False)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, tests.interrupt)
    try:
        return whole_run(arguments, options)
    except KeyboardInterrupt:
        for token in list(tests.ACTIVE):
            tests.kill_all(token)
        print("interrupted\n0 passed, 1 failed", flush=True)
        return 130


if __name__ == "__main__":
    sys.exit(main())
