#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""./dev gpu over the driver of tests/gpu/fake: every part runs and finds nothing, a part that fails
is said, the page has all rows, and what is taken to another machine runs there; without a card it
is skipped with the reason. No time is judged."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from frame.script import BUILD, ROOT, STAGE, check, clean_environment, finish

sys.path.insert(0, str(ROOT / "study"))
import gpu  # noqa: E402

FAKE = f"{BUILD}/tests/gpu/fake"


def run(*arguments, **variables):
    return subprocess.run([sys.executable, ROOT / "study/gpu.py", "--stage", STAGE, "--out",
                           Path("out").resolve(), *arguments], env=clean_environment() | variables,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def check_page():
    gpu.PAGE = Path("page.md").resolve()
    gpu.ROOT = Path.cwd()
    gpu.page(Path("out"))
    text = gpu.PAGE.read_text(encoding="utf-8")
    check(text.count(" checks, 0 failed |") == len(gpu.RUNS), f"results: {text[:1500]}")
    check("device 0 of 1: fake device" in text, "the device")
    for _, what, beside, _ in gpu.ROWS:
        line = next((x for x in text.splitlines() if x.startswith(f"| {what} |")), "")
        cells = [cell.strip() for cell in line.split("|")]
        check(len(cells) == 7 and cells[2] != "" and (cells[3] != "") == bool(beside),
              f"the row of {what}: {line}")


def main():
    if not shutil.which("clang"):
        print("SKIP: no clang, which makes the kernels")
        sys.exit(77)
    done = run("--fake")
    check(done.returncode == 0 and len(re.findall(r"status 0, \d+ checks, 0 failed", done.stdout))
          == len(gpu.RUNS), f"--fake: status {done.returncode}\n{done.stdout[:4000]}")
    if done.returncode == 0:
        check_page()
    done = run("--fake", FAKE_CUDA_FAIL="cuMemHostRegister_v2:1")
    check(done.returncode == 1 and "cuMemHostRegister_v2" in done.stdout,
          f"a failing driver: status {done.returncode}\n{done.stdout[:2000]}")
    done = run("--pack")
    check(done.returncode == 0, f"--pack: {done.stdout[:2000]}")
    there = Path("there").resolve()  # another place, and nothing of this tree in the environment
    shutil.move("out/pack", there)
    done = subprocess.run([there / "measure", "found"], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, check=False,
                          env={"PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": FAKE,
                               "FAKE_CUDA_DEVICES": "1", "HOME": os.getcwd()})
    check(done.returncode == 0 and done.stdout.count(" checks, 0 failed") == len(gpu.RUNS),
          f"measure: status {done.returncode}\n{done.stdout[:3000]}")
    if gpu.no_card():
        done = run()
        check(done.returncode == 77 and done.stdout.startswith("SKIP: no card"), done.stdout[:500])
    finish()


if __name__ == "__main__":
    main()
