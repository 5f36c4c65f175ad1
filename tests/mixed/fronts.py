#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""OpenSHMEM, GASNet, ARMCI and DART in one process: each order of their initialisations, between
nodes and on one, with observers; calls of ARMCI in handlers of messages; a library that uses ARMCI,
in a program that does not call it."""

import os
import subprocess
from pathlib import Path

from frame.script import check, finish, oshcc

HERE = Path(os.environ["CAUSEWAY_TEST_SOURCE"]) / "tests/mixed"
# Each comes first and last, with DART among them or not; two alone; ARMCI and DART twice.
ORDERS = ["sgcdDCSX", "sdDdgSDX", "gscdSCDX", "gdcsCSDX", "csgSCX", "cgsdCDSX", "dscgCSDX",
          "dgsDSX", "cdDCgX", "gdR", "gscCcCSX"]
LAYOUTS = [(4, [], {}),
           (4, ["--emulate-nodes", "2"], {"CAUSEWAY_ENDPOINT": "msg"}),
           (5, ["--emulate-nodes", "3"], {"CAUSEWAY_ENDPOINT": "rdm"}),
           (4, ["--emulate-nodes", "2"], {"CAUSEWAY_ENDPOINT": "rdm", "CAUSEWAY_CHECK": "1"})]
LIBRARY = """
#include <armci.h>
int use_armci(void)
{
    if (ARMCI_Init())
        return 1;
    ARMCI_Barrier();
    return ARMCI_Finalize();
}
"""
PROGRAM = """
#include <dlfcn.h>
#include <shmem.h>
#include <stdio.h>
#ifdef OPENED
static int use_armci(void)
{
    void *library = dlopen("./libmiddle.so", RTLD_NOW);
    int (*use)(void) = (int (*)(void))dlsym(library, "use_armci");
    return use();
}
#else
int use_armci(void);
#endif
int main(int argc, char **argv)
{
    int early = argc > 1 ? use_armci() : 0;
    (void)argv;
    shmem_init();
    printf("before %d, behind %d\\n", early, argc > 1 ? 0 : use_armci());
    shmem_finalize();
    return 0;
}
"""


def run(npes, options, env, *command):
    return subprocess.run(["oshrun", "-n", str(npes), *options, *command], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          timeout=100, env={**os.environ, **env})


def good(npes, options, env, *command):
    job = run(npes, options, env, *command)
    check(job.returncode == 0 and f"process 0 of {npes} is here, 0 failures" in job.stdout,
          f"{command} {options} {env}", job.returncode, job.stdout[-2000:])


def orders():
    for threads, segment in (("SEQ", "FAST"), ("PAR", "EVERYTHING")):
        program = oshcc(f"./fronts_{threads}", HERE / "fronts.c", f"-DGASNET_{threads}",
                        f"-DGASNET_SEGMENT_{segment}")
        for i, order in enumerate(ORDERS):
            for npes, options, env in LAYOUTS[i % 2::2]:
                good(npes, options, env, program, order)


def handlers():
    program = oshcc("./fronts", HERE / "fronts.c", "-DGASNET_SEQ")
    for word, call in (("put", "PutValueLong"), ("fence", "AllFence"), ("barrier", "Barrier")):
        job = run(2, [], {"CAUSEWAY_CHECK": "1"}, program, "gcCX", word)
        check(job.returncode != 0 and f"ARMCI_{call}: called inside a handler" in job.stdout,
              f"{call} in a handler", job.returncode, job.stdout[-2000:])


def libraries():
    Path("library.c").write_text(LIBRARY, encoding="utf-8")
    Path("program.c").write_text(PROGRAM, encoding="utf-8")
    library = oshcc("./libmiddle.so", "library.c", "-shared", "-fPIC")
    program = oshcc("./program", "program.c", library, f"-Wl,-rpath,{os.getcwd()}")
    job = run(2, [], {}, program, "early")
    check(job.returncode == 0 and job.stdout.count("before 0, behind 0") == 2,
          "a library calls ARMCI_Init before shmem_init", job.stdout)
    job = run(2, [], {}, program)
    check(job.returncode == 0 and job.stdout.count("before 0, behind 0") == 2,
          "a library calls ARMCI_Init behind shmem_init", job.stdout)
    opens = oshcc("./opens", "program.c", "-DOPENED", "-ldl")
    job = run(2, [], {}, opens)
    check("because nothing in the program called ARMCI when it started; call ARMCI_Init first"
          in job.stdout and job.stdout.count("before 0, behind 1") == 2,
          "a library that is opened calls ARMCI_Init behind shmem_init", job.stdout)


orders()
handlers()
libraries()
finish()
