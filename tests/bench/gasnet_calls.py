# SPDX-License-Identifier: BSD-3-Clause
"""Instructions of GASNet's calls, from a client's entry to the return (one node) or to the network
library (two nodes): none may take more than its limit here. The counts are exact; the least of some
calls counts, which is one without any delay."""

from counted import build, counts, hold
from frame.script import finish

SHORTS = {f"AMRequestShort{n}": 74 for n in (0, 1, 4)}
SHORTS_SHARED = {f"AMRequestShort{n}": 98 for n in (0, 1, 4)}
# what the header inlines, with the return of the function around it
INLINE = {"inline.put.8": 14, "inline.put_nbi.8": 10, "inline.get.8": 14,
          "inline.gex_put_nbi.8": 14, "inline.gex_team_put_nbi.8": 24, "gex_AD_OpNB_U64.fadd": 90}
LOADED = {"AMRequestMedium0": 70, "AMRequestMedium4": 78, "AMRequestLong0": 84,
          "AMRequestLong4": 90}
LOADED_SHARED = {"AMRequestMedium0": 82, "AMRequestMedium4": 90, "AMRequestLong0": 94,
                 "AMRequestLong4": 100}
IDLE = {"AMPoll": 20, "wait_syncnbi_puts": 15, "wait_syncnbi_all": 15}
# (form, what) -> call -> limit
MOST = {
    ("SEQ", "local"): {**SHORTS, **LOADED, **INLINE, **IDLE, "put.8": 14, "get.8": 14,
                       "put_nb.8": 13, "put_nbi.8": 25},
    ("SEQ", "net"): {**SHORTS, "put_nbi.8": 30, "put_nbi_bulk.8": 25, "put.8": 86, "get.8": 84,
                     "put_nb.8": 74},
    ("PAR", "local"): {**SHORTS_SHARED, **LOADED_SHARED, **INLINE, **IDLE,
                       "put.8": 14, "get.8": 14, "put_nbi.8": 25},
    ("PAR", "net"): {**{call: 124 for call in SHORTS}, "put_nbi.8": 30, "put_nbi_bulk.8": 25,
                     "put.8": 140, "get.8": 92, "put_nb.8": 82},
}


def main():
    for form in ("SEQ", "PAR"):
        program = f"./gasnet_calls_{form}"
        build(program, "gasnet_calls.c", f"-DGASNET_{form}")
        for layout, what, *oshrun in (("local", "total"),
                                      ("net", "to_provider", "--emulate-nodes", "2")):
            found = counts((program, "--quick"), *oshrun)
            for call, most in MOST[form, layout].items():
                hold(f"{form} {layout}", found, f"{call}.{what}.next", most)
    finish()


if __name__ == "__main__":
    main()
