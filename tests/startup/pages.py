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


def faults_of(program):
    """Of a job: the least of some."""
    faults = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
        job = works(STAGE / "bin/oshrun", "-n", NPES, program)
        check(job.stdout.count("hello") == NPES, program, job.stdout, job.stderr)
        faults.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt - before)
    return min(faults)


def main():
    with scratch():
        for name, text, compiler in (("plain", PLAIN, "cc"), ("hello", HELLO, STAGE / "bin/oshcc")):
            Path(f"{name}.c").write_text(text, encoding="ascii")
            works(compiler, "-O2", f"{name}.c", "-o", name)
        faults = (faults_of("./hello") - faults_of("./plain")) / NPES
        check(0 < faults <= MOST, f"{faults} page faults a PE; at most {MOST}")
        print(f"page faults a PE: {faults:.1f} of {MOST}")
    finish()


if __name__ == "__main__":
    main()
