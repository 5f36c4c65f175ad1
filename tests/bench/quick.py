# SPDX-License-Identifier: BSD-3-Clause
"""Every bench program builds with the staged wrapper, runs on one node and on two, and prints what
the table needs."""

import shutil
import tempfile
from pathlib import Path

from frame.script import check, finish
from measured import measure

NEEDED = (
    ("local", "latency", "p"), ("local", "latency", "get"), ("local", "atomics", "fetch_add"),
    ("local", "pingpong", "p_wait"),
    ("local", "rate", "put_nbi_bw"), ("local", "insn", "int_p.total.next"),
    ("rdm", "insn", "int_p.to_provider.next"),
    ("rdm", "latency", "put_quiet"), ("msg", "latency", "put_quiet"), ("rdm", "pingpong", "p_wait"),
    ("msg", "pingpong", "p_wait"), ("rdm", "busy", "get"), ("msg", "busy", "fetch_add"),
    ("msg", "floods", "add"), ("msg", "floods", "updates_in_buckets"),
    ("local", "coll", "barrier_all"), ("local", "many", "late_barrier"),
    ("local", "large", "reach"),
    ("msg-each", "many", "lock"), ("rdm-each", "coll", "sum"),
    ("local", "beside", "barriers"), ("rdm", "beside", "tests"),
    ("local", "threads", "p.two_private"), ("msg", "threads", "fetch_add.two_default"),
)  # fmt: skip

OF_COARRAYS = (("local", "caf", "put"), ("local", "caf", "sum"), ("rdm", "caf", "put_loop"),
               ("msg", "caf", "event"), ("local", "caf", "wall"), ("rdm", "caf", "killed"),
               ("local", "prif", "put"), ("msg", "prif", "sync_all"))
ALSO = (".base", ".ratio")  # of each row in which OpenSHMEM takes turns with coarrays


def check_mpi():
    """An MPI by the same programs, in both layouts. Not MPICH, whose MPI_Finalize hangs now and
    then over TCP."""
    if not shutil.which("mpicc.openmpi"):
        return
    with tempfile.TemporaryDirectory() as folder:
        document = measure(folder, "pingpong", options=["--against", "mpicc.openmpi"])
    names = {peer["tag"]: peer["name"] for peer in document["others"]}
    found = {row["layout"] for row in document["results"]
             if names.get(row["peer"], "").startswith("MPI RMA, Open MPI")}
    check(found == {"local", "tcp"}, f"results of Open MPI for {found}")


def main():
    check_mpi()
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.md")
        document = measure(folder, "latency", "atomics", "pingpong", "rate", "floods", "insn",
                           "busy", "threads", "coll", "many", "large", "beside",
                           "caf",
                           options=["--max-bytes", 1024, "--report", page])
        text = page.read_text(encoding="utf-8") if page.exists() else ""
    found = {(row["layout"], row["bench"], row["op"]) for row in document["results"]
             if row["peer"] == "causeway"}
    coarrays = not any("causeway caf" in what for what in document["remarks"])
    for key in NEEDED + (OF_COARRAYS if coarrays or shutil.which("gfortran") else ()):
        check(key in found, f"no result for {' '.join(key)}")
        for word in ALSO if key[1] in ("caf", "prif") and key[2] not in ("wall", "killed") else ():
            check((*key[:2], key[2] + word) in found, f"no {word} beside {' '.join(key)}")
    for head in ("## Behind", "## Ratios", "## Conditions", "## All figures"):
        check(head in text, f"the page lacks {head}")
    finish()


if __name__ == "__main__":
    main()
