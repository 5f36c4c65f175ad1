// SPDX-License-Identifier: BSD-3-Clause
/*
 * The plain C program beside startup.c: hello (--mode 0), or the memory of a process (--mode 1)
 * while all its siblings live: it reports its start through descriptor 3 and measures when
 * descriptor 4 closes.
 */
#include "../common.h"

#include <stdio.h>
#include <unistd.h>

static double init_ms[4096], ready_ms[4096], pss_kib[4096];  // the same static data as startup.c

int main(int argc, char **argv)
{
    struct bench_opts opts;
    char c;
    bench_parse(argc, argv, &opts);
    if (opts.mode == 0) {
        printf("hello from %d of %d\n", (int)getpid(), opts.nprocs);
        return 0;
    }
    if (write(3, "r", 1) != 1 || read(4, &c, 1) < 0)
        return 1;
    init_ms[0] = ready_ms[0] = pss_kib[0] = bench_pss_kib();
    dprintf(5, "%.0f\n", pss_kib[0]);
    if (write(3, "r", 1) != 1 || read(6, &c, 1) < 0)  // stay until all have measured
        return 1;
    return 0;
}
