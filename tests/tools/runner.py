# SPDX-License-Identifier: BSD-3-Clause
"""The test runner itself: it must detect hidden failures, end hanging cases, and refuse tables with
mistakes."""

import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as xml
from pathlib import Path

SOURCE = Path(os.environ["CAUSEWAY_TEST_SOURCE"])
CASES = {  # name -> (script, more of the table, verdict, part of the reason)
    "fine": ("echo hello", 'expect = ["^hello"]', "PASS", ""),
    "status": ("exit 3", "", "FAIL", "exit status 3, expected 0"),
    "word": ("echo 'row 7 " + "FAI" + "LED'", "", "FAIL", "speaks of failure"),
    "count": ("echo '17 passed, 2 fai" + "led'", "", "FAIL", "speaks of failure"),
    "no_failures": ("echo '17 passed, 0 fai" + "led'", "", "PASS", ""),
    "own_error": ("echo 'causeway: error: x' >&2", "", "FAIL", "speaks of failure"),
    "wanted_error": ("echo 'causeway: error: x'; exit 4", 'exit = "nonzero"\nexpect = ["error: x"]',
                     "PASS", ""),
    "excused": ("echo 'this is an ERR" + "OR'", 'allow = ["this is"]', "PASS", ""),
    "silent": ("true", 'expect = ["something"]', "FAIL", "does not match 'something'"),
    "forbidden": ("echo leak", 'forbid = ["leak"]', "FAIL", "forbidden"),
    "should_fail": ("true", 'exit = "nonzero"', "FAIL", "expected a failure"),
    "signal": ("kill -SEGV $$", 'exit = "nonzero"', "FAIL", "signal 11"),
    "skip": ("echo 'SKIP: no tape drive'; exit 77", "", "SKIP", "no tape drive"),
    "lazy_skip": ("exit 77", "", "FAIL", "without a line"),
    # its own limit comes while its processes are looked at
    "hang": ("setsid sleep 60 & exec python3 -c 'import subprocess as s; "
             "s.run([\"sleep\", \"60\"], timeout=3.1)'",
             "timeout = 3\nwaits = true", "FAIL", "no end after 3 s"),
    "orphan": ("setsid sleep 60 >/dev/null 2>&1 &", "", "FAIL", "left processes behind: sleep"),
    "need": ("true", 'needs = ["no-such-program"]', "SKIP", "needs no-such-program"),
    "litter": ("touch causeway.tmp", "", "FAIL", "left files behind"),
}
# Text that XML must escape, or cannot hold.
CASES["markup"] = ("printf 'a<b>&\"\\033 c'; exit 3", "", "FAIL", "exit status 3")
bad = 0


def complain(text):
    global bad
    bad += 1
    print("FAIL:", text)


def run(*arguments):
    env = {k: v for k, v in os.environ.items() if k != "CAUSEWAY_TEST_TOKEN"}
    return subprocess.run([sys.executable, "tests/run.py", *arguments], stdin=subprocess.DEVNULL,
                          env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


room = Path("tests/room")
room.mkdir(parents=True)
for part in ("run.py", "halts.py", "stacks.py", "report.py"):
    shutil.copy(SOURCE / "tests" / part, "tests")
table = []
for name, (script, more, _, _) in CASES.items():
    (room / f"{name}.sh").write_text(script + "\n")
    table.append(f'[[test]]\nname = "{name}"\nscript = "{name}.sh"\n{more}\n')
(room / "tests.toml").write_text("\n".join(table))



def check_junit(path):
    """The file has the same verdict for each case as the run printed."""
    root = xml.parse(path).getroot()
    verdicts = {}
    for case in root.iter("testcase"):
        kinds = {"failure": "FAIL", "skipped": "SKIP"}
        found = [(kinds[part.tag], part.get("message")) for part in case] or [("PASS", "")]
        verdicts[case.get("name")] = found[0]
        if float(case.get("time")) < 0 or case.get("classname") != "room":
            complain(f"junit: {case.attrib}")
    for name, (_, _, verdict, reason) in CASES.items():
        if verdicts.get(name, ("", ""))[0] != verdict or reason not in verdicts[name][1]:
            complain(f"junit: {name}: {verdicts.get(name)}".replace("FAIL", "F."))
    numbers = {key: int(root.get(key)) for key in ("tests", "failures", "skipped", "errors")}
    if numbers != {"tests": len(CASES), "failures": count["FAIL"], "skipped": count["SKIP"],
                   "errors": 0}:
        complain(f"junit: {numbers}")
    text = next(c.find("failure").text for c in root.iter("testcase") if c.get("name") == "markup")
    if 'a<b>&"? c' not in text:
        complain(f"junit: the output is {text!r}")


done = run("-v", "--durations", "3", "--junit", "results.xml")
for name, (_, _, verdict, reason) in CASES.items():
    line = next((x for x in done.stdout.splitlines()
                 if re.match(rf"(PASS|FAIL|SKIP) room/{name} ", x)), "nothing")
    if not line.startswith(verdict) or reason not in line:
        complain(f"{name}: expected {verdict} '{reason}', got: {line}".replace(
            "FAIL", "F.").replace("ERROR", "E."))
if len(re.findall(r"^\[.*\] sleep 60$", done.stdout.partition("processes stood")[2], re.M)) != 2:
    complain("a test that hangs does not show where it stood")
count = {v: sum(c[2] == v for c in CASES.values()) for v in ("PASS", "FAIL", "SKIP")}
last = f"{count['PASS']} passed, {count['FAIL']} failed, {count['SKIP']} skipped"
if done.stdout.splitlines()[-1] != last or done.returncode != 1:
    complain("the last line or the exit status is wrong")
check_junit("results.xml")
slowest = re.findall(r"^ +[0-9.]+ s room/(\w+)", done.stdout, re.M)
if len(slowest) != 3 or "hang" not in slowest:
    complain("--durations 3 does not show the three slowest cases")
done = run("room/fine", "room/skip")
if done.stdout.splitlines()[-1] != "1 passed, 0 failed, 1 skipped" or done.returncode != 0:
    complain("a good run does not end well")
for filters in (["no-such-test"], ["room/fine", "no-such-test"]):
    if run(*filters).returncode == 0:
        complain("a filter that matches nothing passes")
if run("room/skip").returncode == 0:
    complain("a run in which nothing passed is taken for good")


def check_interrupted():
    """A run that is ended from outside reports that, also in the file, and leaves no process."""
    (room / "tests.toml").write_text('[[test]]\nname = "long"\nscript = "long.sh"\n')
    (room / "long.sh").write_text("touch '" + os.getcwd() + "/started'\nexec sleep 60\n")
    env = {k: v for k, v in os.environ.items() if k != "CAUSEWAY_TEST_TOKEN"}
    job = subprocess.Popen([sys.executable, "tests/run.py", "--junit", "ended.xml"], env=env,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 30
    while not Path("started").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    job.terminate()
    output = job.communicate()[0]
    root = xml.parse("ended.xml").getroot()
    last_line = output.splitlines()[-1]
    if job.returncode != 130 or last_line != "0 passed, 1 " + "failed" or root.get("errors") != "1":
        complain(f"interrupted: status {job.returncode}, {root.attrib}")


def check_halts():
    """What fails while the machine stands still runs again, and fails where it fails again."""
    halt = "kill -STOP $PPID; sleep 3.5; kill -CONT $PPID; exit 3\n"
    (room / "tests.toml").write_text('[[test]]\nname = "once"\nscript = "once.sh"\n'
                                     '[[test]]\nname = "always"\nscript = "always.sh"\n')
    (room / "once.sh").write_text(f"[ -e '{os.getcwd()}/halted' ] && exit 0\n"
                                  f"touch '{os.getcwd()}/halted'\n{halt}")
    (room / "always.sh").write_text(halt)
    said = run("room/once").stdout
    if said.count("room/once runs again: the machine stood still for ") != 1:
        complain(f"a case that fails during a halt does not run again: {said}")
    done = run("room/always")
    if done.stdout.count("room/always runs again") != 2 or done.returncode != 1:
        complain("a case that fails during each halt: " + done.stdout.replace("FAIL", "F."))


def check_modules():
    """A Fortran compiler leaves its modules where it runs: each program has a place of its own."""
    compiler = Path("stage/bin/caf")
    compiler.parent.mkdir(parents=True)
    compiler.write_text('#!/bin/sh\n[ ! -e same.mod ] && touch same.mod\n'
                        'while [ "$1" != -o ]; do shift; done\n'
                        'printf "#!/bin/sh\\necho built\\n" >"$2" && chmod +x "$2"\n')
    compiler.chmod(0o755)
    table = ""
    for name in ("lower.f90", "upper.F90"):
        (room / name).write_text("end program\n")
        table += f'[[test]]\nname = "{name[:5]}"\nsource = "{name}"\n'
    (room / "tests.toml").write_text(table)
    done = run("--stage", "stage")
    if done.stdout.splitlines()[-1] != "2 passed, 0 " + "failed" or Path("same.mod").exists():
        complain("modules: " + done.stdout.replace("FAIL", "F."))


check_interrupted()
check_halts()
check_modules()
for mistake in ('name = "a"\nscript = "fine.sh"\ntimout = 3', 'name = "a"', 'script = "fine.sh"',
                'name = "a"\nscript = "fine.sh"\npes = 3',
                'name = "a"\nscript = "fine.sh"\npes = [1]\nlayouts = ["moon"]',
                'name = "a"\nscript = "fine.sh"\nlayouts = ["node/two"]'):
    (room / "tests.toml").write_text("[[test]]\n" + mistake + "\n")
    done = run("--list")
    if done.returncode == 0:
        complain(f"a table with a mistake was taken: {mistake!r}")
(room / "tests.toml").write_text('[[test]]\nname = "a"\nsource = "a.c"\npes = [2, 3]\n'
                                 'layouts = ["node", "2nodes-msg/1,4", "hydra/5"]\n')
listed = run("--list").stdout.split()
if listed != ["room/a/node/2", "room/a/node/3", "room/a/2nodes-msg/4", "room/a/hydra/5"]:
    complain(f"layouts with numbers of their own: {listed}")
print(f"{len(CASES)} cases judged, {bad} wrong")
sys.exit(bad > 0)
