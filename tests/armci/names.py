#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every name of ARMCI's interface but those of GPC and checkpoints (names.txt, written down from
the interface and not from the headers) is declared, in C and in C++, with MPI and without; and the
library exports exactly what the headers declare."""
import re

from frame.names import exported, visible
from frame.script import TESTS, check, finish

HEADERS = "#include <armci.h>\n#include <message.h>\n#include <armcix.h>\n"
# stands for an mpi.h: what the headers need of one
MPI = "#define MPI_VERSION 3\ntypedef int MPI_Comm;\n"
WITH_MPI = {"ARMCI_Init_mpi_comm", "ARMCI_Init_thread_comm", "PARMCI_Init_mpi_comm",
            "PARMCI_Init_thread_comm", "armci_group_comm", "armci_msg_init_comm"}
FUNCTION = re.compile(r"\b(P?ARMCIX?_\w+|p?armci_\w+)\(")


def main():
    names = set((TESTS / "armci/names.txt").read_text().split())
    have, text = visible(MPI + HEADERS)
    check(names <= have, "all names are there with MPI", sorted(names - have))
    plain, plain_text = visible(HEADERS, "-DARMCI_WITHOUT_MPI")
    check(names - WITH_MPI <= plain, "all names are there without MPI",
          sorted(names - WITH_MPI - plain))
    check(not WITH_MPI & set(FUNCTION.findall(plain_text)), "and none that needs it")
    declared = set(FUNCTION.findall(text))
    have = exported("P?ARMCIX?_|p?armci_")
    check(have >= declared, "the library exports all that the headers declare",
          sorted(declared - have))
    check(have <= declared, "the headers declare all that the library exports",
          sorted(have - declared))
    check("mp_group_name" in exported("mp_") and "*mp_group_name;" in text, "mp_group_name")
    source = (TESTS / "armci/global_arrays.c").read_text()
    used = set((TESTS / "armci/global_arrays.txt").read_text().split())
    missing = sorted(used - set(re.findall(r"\w+", source)))
    check(not missing, "global_arrays.c uses what Global Arrays does", missing)
    finish(f"{len(names)} names, {len(declared)} functions")


if __name__ == "__main__":
    main()
