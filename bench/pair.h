// SPDX-License-Identifier: BSD-3-Clause
/*
 * Two-PE measurements: PE 0 measures, every other PE is the target of its operations and does one
 * of two things meanwhile. "barrier": it waits in shmem_barrier_all, so a library that only
 * progresses inside calls can serve. "busy": it computes and never calls in until PE 0 is done.
 */
#ifndef BENCH_PAIR_H
#define BENCH_PAIR_H

#include "common.h"

#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long *pair_done;  // in the symmetric heap, written by PE 0

static inline void *pair_alloc(size_t nbytes)
{
    void *p = shmem_align(4096, nbytes);
    if (!p) {
        fprintf(stderr, "bench: no symmetric memory for %zu bytes: raise SHMEM_SYMMETRIC_SIZE\n",
                nbytes);
        shmem_global_exit(1);
    }
    memset(p, 1, nbytes);
    return p;
}

/** Behind the program's shmem_init. */
static inline void pair_meet(const char *program)
{
    if (shmem_n_pes() < 2) {
        fprintf(stderr, "%s: needs at least 2 PEs\n", program);
        shmem_global_exit(2);
    }
    pair_done = pair_alloc(sizeof *pair_done);
    *pair_done = 0;
    shmem_barrier_all();
}

static inline void pair_start(int argc, char **argv, struct bench_opts *opts)
{
    bench_parse(argc, argv, opts);
    shmem_init();
    pair_meet(argv[0]);
}

static inline int pair_is_origin(void)
{
    return shmem_my_pe() == 0;
}

static inline void pair_serve(const struct bench_opts *opts)
{
    if (!strcmp(opts->target, "busy"))
        while (!*(volatile long *)pair_done)
            ;
}

static inline void pair_finish(const struct bench_opts *opts)
{
    if (pair_is_origin()) {
        for (int pe = 1; pe < shmem_n_pes(); pe++)
            shmem_long_p(pair_done, 1, pe);
        shmem_quiet();
    } else {
        pair_serve(opts);
    }
    shmem_barrier_all();
    shmem_finalize();
}

#endif
