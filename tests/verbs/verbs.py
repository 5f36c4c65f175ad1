#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs tests on real verbs, in an emulated machine with a soft-RoCE device; ./dev verbs calls it.
README.md says how, cases.toml which tests."""

import argparse
import concurrent.futures
import fnmatch
import json
import os
import queue
import shlex
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "launch")]
import machine  # noqa: E402
import page  # noqa: E402
import run as tests  # noqa: E402
import wheels  # noqa: E402
from report import Report  # noqa: E402

SLOWER = 4          # time limits of the tables are for a machine of silicon
LONGEST = 300       # seconds for a case, at most
MARGIN = 60         # seconds that the machine has beyond a case's limit before it is given up
BOOTS = 4           # machines in a run: one that hangs or dies takes one case with it
FOLDER, LAST = "build/verbs", "last.json"  # the last whole run
PROVIDERS = {"msg": "verbs", "rdm": "verbs;ofi_rxm"}
KEYS = {"test", "source", "name", "cflags", "shapes", "libfabric", "args", "env", "unset",
        "as_user", "memlock", "expect", "forbid", "allow", "exit", "timeout", "command",
        "show"}


@dataclass
class Plan:
    """What one run does: its cases, and where their programs and libraries are."""
    options: tests.Options
    libraries: dict
    cases: list = field(default_factory=list)


def read_table():
    with (HERE / "cases.toml").open("rb") as f:
        table = tomllib.load(f)
    for entry in table["case"]:
        for key in set(entry) - KEYS:
            raise tests.TableError(f"cases.toml: unknown key '{key}' in {entry}")
    return table


# ---------------------------------------------------------------- which cases

def specs_by_name():
    """Every test of the tables: name -> (room, spec), whatever its layouts."""
    found = {}
    for path in sorted(ROOT.glob("tests/*/tests.toml")):
        for case in tests.read_table(path):
            found[f"{case.room.name}/{case.spec['name']}"] = (case.room, case.spec)
    return found


def own_spec(entry, defaults, specs):
    """The room and the spec of an entry of cases.toml: a test of the tables, or one of its own."""
    if "test" in entry:
        if entry["test"] not in specs:
            raise tests.TableError(f"cases.toml: no test {entry['test']} in tests/*/tests.toml")
        room, spec = specs[entry["test"]]
    else:
        room, spec = HERE, tests.DEFAULTS | {"name": entry["name"], "env": {}}
    more = {k: v for k, v in entry.items() if k not in ("test", "shapes", "libfabric", "env")}
    return room, spec | more | {"env": defaults | spec["env"] | entry.get("env", {})}


def smoke(table, specs):
    """(library, case) of the smoke set."""
    for entry in table["case"]:
        room, spec = own_spec(entry, table["defaults"]["env"], specs)
        for library in entry.get("libfabric", table["defaults"]["libfabric"]):
            for shape in entry.get("shapes", ["-/0"]):
                layout, _, npes = shape.partition("/")
                name = f"{room.name}/{spec['name']}" + (f"/{shape}" if npes != "0" else "")
                yield library, tests.Case(name, room, spec, int(npes) or None, layout)


def everything(table):
    """(library, case) of all that the tables of the chosen rooms have between nodes."""
    for path in sorted(ROOT.glob("tests/*/tests.toml")):
        if path.parent.name not in table["all"]["rooms"]:
            continue
        for case in tests.read_table(path):
            match = tests.LAYOUT.match(case.layout)
            if not match or case.spec["slow"] or excused(table, case.ident):
                continue
            case.spec = case.spec | {"env": table["defaults"]["env"] | case.spec["env"]}
            for library in table["all"]["libfabric"]:
                yield library, case


def excused(table, ident):
    return any(fnmatch.fnmatch(ident, e["test"]) for e in table["except"])


def every_case(table, with_all):
    found = list(smoke(table, specs_by_name()))
    if with_all:
        found += everything(table)
    seen = set()
    for library, case in found:
        case.library = library
        case.ident = f"{library}/{case.ident}"
        if case.ident not in seen:
            seen.add(case.ident)
            yield case


def choose(arguments):
    if arguments.again:
        failed = {row["case"] for row in recall(ROOT / FOLDER / LAST)["results"]
                  if row["verdict"] == "FAIL"}
        return [c for c in every_case(read_table(), True) if c.ident in failed]
    return [c for c in every_case(read_table(), arguments.all)
            if not arguments.filters or any(
                f in c.ident or fnmatch.fnmatch(c.ident, f) for f in arguments.filters)]


# ---------------------------------------------------------------- what a case runs

def limit_of(case):
    return min(LONGEST, int(case.spec["timeout"] * SLOWER))


def environment(case, plan):
    env = {"PATH": f"{plan.options.stage}/bin:/usr/sbin:/usr/bin", "LC_ALL": "C.UTF-8",
           "TMPDIR": "/tmp/case", "HOME": "/tmp/case",
           "CAUSEWAY_TEST_STAGE": str(plan.options.stage),
           "CAUSEWAY_TEST_BUILD": str(plan.options.build), "CAUSEWAY_TEST_SOURCE": str(ROOT),
           "CAUSEWAY_TEST_SANITIZE": plan.options.sanitize or ""}
    if library := plan.libraries[case.library]:
        env["CAUSEWAY_LIBFABRIC"] = str(library)
        env["FI_PROVIDER_PATH"] = str(library.parent / "libfabric")
    if plan.options.sanitize:
        env["ASAN_OPTIONS"] = "detect_leaks=0:abort_on_error=0:exitcode=99"
        env["UBSAN_OPTIONS"] = "print_stacktrace=1:halt_on_error=1:exitcode=99"
    return env


def script_of(case, plan):
    """The shell commands of a case. Returns (text, error)."""
    env = environment(case, plan)
    command = []
    if "source" in case.spec or "sources" in case.spec or "program" in case.spec:
        command, error = tests.base_command(case, plan.options)
        if error:
            return None, error
    prefix = tests.launcher(case, plan.options, env)
    if "command" in case.spec:
        env |= {"LAUNCH": shlex.join(prefix), "PROGRAM": "".join(command)}
        command = ["sh", "-c", case.spec["command"]]
    else:
        command = [*prefix, *command, *map(str, case.spec.get("args", []))]
    if match := tests.LAYOUT.match(case.layout):
        env["CAUSEWAY_PROVIDER"] = PROVIDERS[match["mode"]]
    env |= {k: str(v) for k, v in case.spec["env"].items()}
    lines = [f"export {k}={shlex.quote(v)}" for k, v in env.items()
             if k not in case.spec.get("unset", [])]
    if "memlock" in case.spec:
        lines.append(f"ulimit -l {case.spec['memlock']}")
    user = ("setpriv --reuid=1000 --regid=1000 --clear-groups --inh-caps=-all --bounding-set=-all "
            if case.spec.get("as_user") else "")
    return "\n".join([*lines, f"exec {user}{shlex.join(command)}"]) + "\n", None


def prepare(case, plan):
    """A verdict where the case cannot run, else None; leaves its script in case.script."""
    if "script" in case.spec:
        return tests.Result(case, "SKIP", "scripts need the tools of a whole system")
    if plan.libraries[case.library] is False:
        return tests.Result(case, "SKIP", f"no libfabric {case.library}")
    if plan.options.sanitize and not case.spec["sanitize"]:
        return tests.Result(case, "SKIP", "not made for sanitizers")
    for need in case.spec.get("needs", []):
        if need.startswith("ram:") and float(need[4:]) * 1024 > machine.MEMORY_MIB:
            return tests.Result(case, "SKIP", f"needs {need[4:]} GiB of memory")
    case.script, error = script_of(case, plan)
    return tests.Result(case, "FAIL", "could not be built", error) if error else None


# ---------------------------------------------------------------- running

class Listener:
    """Takes the lines of one boot apart; each finished case becomes a result."""

    def __init__(self, cases, report):
        self.waiting = list(cases)
        self.report = report
        self.output, self.left, self.began = [], "", 0.0

    def patience(self):
        if self.began and self.waiting:
            return max(1.0, self.began + limit_of(self.waiting[0]) + MARGIN - time.monotonic())
        return machine.BOOT_SECONDS

    def take(self, line):
        """False at the machine's regular end."""
        words = line.split()
        if line.startswith("| "):
            self.output.append(line[2:])
        elif line.startswith("@@ begin "):
            self.output, self.left, self.began = [], "", time.monotonic()
        elif line.startswith("@@ left "):
            self.left = " ".join(words[3:])
        elif line.startswith("@@ end "):
            self.finish(int(words[3]), float(words[5]) - float(words[4]))
        elif line.startswith("@@ off"):
            return False
        elif line.strip() and not line.startswith("@@"):
            self.output.append(f"console: {line}")
        return True

    def finish(self, status, seconds):
        case = self.waiting.pop(0)
        text = "\n".join(self.output)
        if status in (124, 137) and seconds >= limit_of(case):
            verdict, reason = "FAIL", f"no end after {limit_of(case)} s"
        else:
            verdict, reason = tests.judge(
                case.spec, status - 256 if status > 255 else status, text)
        if verdict == "PASS" and self.left:
            verdict, reason = "FAIL", f"left processes behind: {self.left}"
        self.add(case, verdict, reason, text, seconds)
        self.began = time.monotonic()

    def give_up(self, why):
        case = self.waiting.pop(0)
        self.add(case, "FAIL", why, "\n".join(self.output), 0.0)

    def add(self, case, verdict, reason, text, seconds):
        if verdict == "FAIL":
            text = f"{case.script}\n{text}"
        self.report.add(tests.Result(case, verdict, reason, text, seconds))


def write_plan(folder, cases):
    (folder / "place").write_text(f"{ROOT}\n")
    for number, case in enumerate(cases):
        (folder / str(number)).write_text(case.script)
    (folder / "cases").write_text("".join(f"{n} {limit_of(c)}\n" for n, c in enumerate(cases)))


def boot(cases, report, folder, log):
    """Runs cases in one machine; returns those that did not get their turn."""
    listener = Listener(cases, report)
    with tempfile.TemporaryDirectory(prefix="plan-", dir=folder) as plan:
        write_plan(Path(plan), cases)
        emulated = machine.Machine(folder / "machine", ROOT, plan, log)
        try:
            while True:
                line = emulated.line(listener.patience())
                if line is None or not listener.take(line):
                    break
            if listener.waiting:
                listener.give_up("the machine ended")
        except queue.Empty:
            listener.give_up("the machine gave no sign of life and was ended")
            emulated.end(0)
        finally:
            emulated.end(5 if sys.exc_info()[0] is None else 0)
    return listener.waiting


def run_cases(cases, report, folder, log_path):
    with log_path.open("w", encoding="utf-8") as log:
        for number in range(BOOTS):
            if not cases:
                break
            print(f"verbs: machine {number + 1} boots for {len(cases)} cases", flush=True)
            cases = boot(cases, report, folder, log)
    for case in cases:
        report.add(tests.Result(case, "FAIL", f"{BOOTS} machines ended before its turn"))


# ---------------------------------------------------------------- the command

def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev verbs", description=__doc__)
    parser.add_argument("filters", nargs="*", help="only cases whose name contains or matches one")
    parser.add_argument("--all", action="store_true",
                        help="all tests between nodes, not only the smoke set")
    parser.add_argument("--again", action="store_true",
                        help="what failed in the last whole run; the page has the rest of it too")
    parser.add_argument("--page", action="store_true",
                        help="write the result to docs/results/verbs.md")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--sanitize", choices=["address"])
    parser.add_argument("--list", action="store_true", help="only list the cases")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="everything N times")
    parser.add_argument("-v", "--verbose", action="store_true", help="one line per case")
    return parser.parse_args()


def find_libraries(cases):
    """Name -> path; None is the machine's own, False where there is none."""
    libraries = {"1.17": None, "2.x": False}
    if any(c.library == "2.x" for c in cases):
        try:
            libraries["2.x"] = wheels.libfabric().resolve()
        except wheels.Missing as reason:
            print(f"verbs: {reason}")
    return libraries


def whole_run(arguments, cases, report):
    folder = ROOT / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    build = arguments.build.resolve()
    options = tests.Options(build, build / "stage", arguments.sanitize, None, SLOWER,
                            arguments.verbose)
    kernel = machine.ensure(folder / "machine", lambda text: print(f"verbs: {text}", flush=True))
    plan = Plan(options, find_libraries(cases))
    print(f"verbs: compiling the programs of {len(cases)} cases", flush=True)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        verdicts = list(pool.map(lambda case: prepare(case, plan), cases))
    for case, verdict in zip(cases, verdicts):
        if verdict:
            report.add(verdict)
        else:
            plan.cases.append(case)
    conditions = page.Conditions(ROOT, described(arguments), kernel,
                                 machine.packages_of(folder / "machine"), plan.libraries["2.x"])
    run_cases(plan.cases, report, folder, folder / "console.log")
    facts, names, results = conditions.lines(), conditions.names, report.results
    if arguments.again:
        facts, names, results = put_together(folder / LAST, results, conditions.commit)
    if arguments.again or not arguments.filters:
        remember(folder / LAST, facts, names, results)
    if arguments.page:
        page.write(ROOT, results, names, facts)


# ---------------------------------------------------------------- the last whole run

def remember(path, facts, names, results):
    rows = [{"case": r.case.ident, "verdict": r.verdict, "reason": r.reason, "seconds": r.seconds,
             "output": r.output if "show" in r.case.spec else ""} for r in results]
    path.write_text(json.dumps({"facts": facts, "names": names, "results": rows}, indent=1))


def recall(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError) as e:
        raise tests.TableError(f"there is no whole run to go on from: {e}") from e


def put_together(path, results, commit):
    """The last whole run, with what was run again in its place: (facts, names, results)."""
    old, new = recall(path), {r.case.ident: r for r in results}
    cases = {c.ident: c for c in every_case(read_table(), True)}
    merged = [new.get(row["case"]) or
              tests.Result(cases[row["case"]], row["verdict"], row["reason"], row["output"],
                           row["seconds"])
              for row in old["results"] if row["case"] in new or row["case"] in cases]
    return [*old["facts"], f"- Failed at first and run again, at commit {commit}: "
            + ", ".join(new)], old["names"], merged


def described(arguments):
    """Which cases, in a word or two."""
    chosen = "all" if arguments.all else "the smoke set"
    if arguments.filters:
        chosen += f", of these what matches {' '.join(arguments.filters)}"
    return chosen


def main():
    arguments = parse_arguments()
    os.environ["CAUSEWAY_TEST_BUILD"] = str(ROOT / "build")
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, tests.interrupt)
    try:
        cases = choose(arguments)
    except tests.TableError as e:
        print(f"verbs: {e}\n0 passed, 1 failed", flush=True)
        return 2
    if arguments.list:
        print("\n".join(c.ident for c in cases))
        return 0
    report = Report(len(cases) * arguments.repeat, arguments.verbose)
    try:
        whole_run(arguments, cases * arguments.repeat, report)
    except machine.Missing as reason:
        print(f"verbs: {reason}")
        print("0 passed, 1 failed", flush=True)
        return 1
    except KeyboardInterrupt:
        report.summary(interrupted=True)
        return 130
    return report.summary()


if __name__ == "__main__":
    sys.exit(main())
