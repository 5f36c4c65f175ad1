# SPDX-License-Identifier: BSD-3-Clause
"""Instructions of GASNet's calls, from a client's entry to the return (one node) or to the network
library (two nodes): none may take more than its limit here. The counts are exact; the least of some
calls counts, which is one without any delay."""

import json
import os
import platform
import subprocess

from frame.script import ROOT, check, finish, oshcc, skip

INSN = ROOT / "bench/insn"
SHORTS = {f"AMRequestShort{n}": 80 for n in (0, 1, 4)}
# what the header inlines, with the return of the function around it
INLINE = {"inline.put.8": 14, "inline.put_nbi.8": 10, "inline.get.8": 14,
          "inline.gex_put_nbi.8": 16}
LOADED = {"AMRequestMedium0": 88, "AMRequestMedium4": 110, "AMRequestLong0": 100,
          "AMRequestLong4": 124}
LOADED_SHARED = {"AMRequestMedium0": 115, "AMRequestMedium4": 136, "AMRequestLong0": 140,
                 "AMRequestLong4": 161}
IDLE = {"AMPoll": 20, "wait_syncnbi_puts": 15, "wait_syncnbi_all": 15}
# (form, what) -> call -> limit
MOST = {
    ("SEQ", "local"): {**SHORTS, **LOADED, **INLINE, **IDLE, "put.8": 14, "get.8": 14,
                       "put_nb.8": 13, "put_nbi.8": 25},
    ("SEQ", "net"): {**SHORTS, "put_nbi.8": 30, "put_nbi_bulk.8": 25, "put.8": 95, "get.8": 88},
    ("PAR", "local"): {**{call: 106 for call in SHORTS}, **LOADED_SHARED, **INLINE, **IDLE,
                       "put.8": 14, "get.8": 14, "put_nbi.8": 25},
    ("PAR", "net"): {**{call: 130 for call in SHORTS}, "put_nbi.8": 30, "put_nbi_bulk.8": 25,
                     "put.8": 150, "get.8": 127},
}


def counts(program, *oshrun):
    env = {**os.environ, "LD_BIND_NOW": "1"}
    run = subprocess.run(["oshrun", "-n", "2", *oshrun, program, "--quick"], capture_output=True,
                         text=True, env=env, check=False)
    if not check(run.returncode == 0,
                 f"{program} {' '.join(oshrun)}: status "
                 f"{run.returncode}\n{run.stdout}{run.stderr}"):
        finish()
    return {r["op"]: r
            for r in map(json.loads,
                         filter(lambda line: line.startswith("{"), run.stdout.splitlines()))}


def main():
    if platform.machine() != "x86_64":
        skip("instructions are counted on x86-64 only")
    sources = [INSN / "gasnet_calls.c", INSN / "step.c", ROOT / "bench/common.c"]
    for form in ("SEQ", "PAR"):
        program = f"./gasnet_calls_{form}"
        oshcc(program, "-std=gnu11", f"-DGASNET_{form}", *sources)
        for layout, what, *oshrun in (("local", "total"),
                                      ("net", "to_provider", "--emulate-nodes", "2")):
            found = counts(program, *oshrun)
            for call, most in MOST[form, layout].items():
                record = found.get(f"{call}.{what}.next")
                count = record["min"] if record else 0
                check(0 < count <= most,
                      f"{form} {layout} {call}: {count} instructions; at most {most}")
                print(f"{form} {layout:5} {call:24} {count:4.0f} of {most}")
    finish()


if __name__ == "__main__":
    main()
