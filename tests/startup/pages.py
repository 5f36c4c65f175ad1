#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Page faults of PEs that only start and end, beside processes that do no more: most of what
start-up is made of, with no time measured."""
import resource
from pathlib import Path

from frame.client import scratch, works
from frame.script import STAGE, check, finish

NPES = 16
MOST = 69  # a PE, beyond those of a process without the library; 65 were seen
MOST_OF_SEVERAL = 75  # the same of each further PE of a node, with what the node's server touches

PLAIN = "#include <stdio.h>\nint main(void) { puts(\"hello\"); return 0; }\n"
HELLO = """#include <shmem.h>
#include <stdio.h>
int main(void)
{
    shmem_init();
    puts("hello");
    shmem_finalize();
    return 0;
}
"""


def faults_of(program, npes, nodes):
    """Of a job: the least of some."""
    faults = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
        job = works(STAGE / "bin/oshrun", "-n", npes, "--emulate-nodes", nodes, program)
        check(job.stdout.count("hello") == npes, program, job.stdout, job.stderr)
        faults.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt - before)
    return min(faults)


def plain_and_hello(npes, nodes):
    return faults_of("./hello", npes, nodes) - faults_of("./plain", npes, nodes)


def main():
    with scratch():
        for name, text, compiler in (("plain", PLAIN, "cc"), ("hello", HELLO, STAGE / "bin/oshcc")):
            Path(f"{name}.c").write_text(text, encoding="ascii")
            works(compiler, "-O2", f"{name}.c", "-o", name)
        faults = plain_and_hello(NPES, 1) / NPES
        check(0 < faults <= MOST, f"{faults} page faults a PE; at most {MOST}")
        print(f"page faults a PE: {faults:.1f} of {MOST}")
        more = (plain_and_hello(2 * NPES, 2) - plain_and_hello(NPES, 2)) / NPES
        check(0 < more <= MOST_OF_SEVERAL,
              f"{more} page faults of each further PE of two nodes; at most {MOST_OF_SEVERAL}")
        print(f"of each further PE of two nodes: {more:.1f} of {MOST_OF_SEVERAL}")
    finish()


if __name__ == "__main__":
    main()
