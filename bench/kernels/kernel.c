// SPDX-License-Identifier: BSD-3-Clause
//
// Options, checks and the RESULT line of the kernels (kernel.h).
#include "kernel.h"

#include <errno.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long psync[SHMEM_REDUCE_SYNC_SIZE];
static double pwrk[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static double mine, of_all; // symmetric, for the reductions

static void usage(const char *program, const struct kernel_opt *opts, int nopts, int status)
{
    FILE *out = status ? stderr : stdout;
    fprintf(out, "Usage: %s [option value]...\n", program);
    for (int i = 0; i < nopts; i++)
        fprintf(out, "  %s  %s, %ld to %ld (default %ld)\n", opts[i].name, opts[i].help,
                opts[i].least, opts[i].most, *opts[i].value);
    exit(status);
}

void kernel_parse(int argc, char **argv, const char *program, const struct kernel_opt *opts,
                  int nopts)
{
    for (int a = 1; a < argc; a += 2) {
        int i = 0;
        while (i < nopts && strcmp(argv[a], opts[i].name))
            i++;
        if (i == nopts || a + 1 == argc)
            usage(program, opts, nopts, !strcmp(argv[a], "-h") ? EXIT_SUCCESS : EXIT_FAILURE);
        char *end;
        errno = 0;
        long value = strtol(argv[a + 1], &end, 10);
        if (errno || end == argv[a + 1] || *end || value < opts[i].least || value > opts[i].most) {
            fprintf(stderr, "%s: unusable value '%s' of %s\n", program, argv[a + 1], opts[i].name);
            usage(program, opts, nopts, EXIT_FAILURE);
        }
        *opts[i].value = value;
    }
}

double kernel_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The barrier keeps the last result and pSync until every PE is done with them.
static void prepare(double value)
{
    shmem_barrier_all();
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
        psync[i] = SHMEM_SYNC_VALUE;
    mine = value;
    shmem_barrier_all();
}

double kernel_sum(double value)
{
    prepare(value);
    shmem_double_sum_to_all(&of_all, &mine, 1, 0, 0, shmem_n_pes(), pwrk, psync);
    return of_all;
}

double kernel_max(double value)
{
    prepare(value);
    shmem_double_max_to_all(&of_all, &mine, 1, 0, 0, shmem_n_pes(), pwrk, psync);
    return of_all;
}

void *kernel_alloc(size_t nbytes)
{
    void *p = shmem_malloc(nbytes);
    if (!p) {
        fprintf(stderr,
                "no %zu bytes of symmetric memory: raise SHMEM_SYMMETRIC_SIZE or lower the size\n",
                nbytes);
        shmem_global_exit(EXIT_FAILURE);
    }
    memset(p, 0, nbytes);
    shmem_barrier_all();
    return p;
}

void kernel_factor(int npes, int ndims, int *dims)
{
    for (int d = 0; d < ndims; d++)
        dims[d] = 1;
    // Largest prime factor first, each to what is the smallest side so far.
    for (int rest = npes, p; rest > 1; rest /= p) {
        p = rest;
        for (int f = 2, left = rest; left > 1; f++)
            for (; left % f == 0; left /= f)
                p = f;
        int least = 0;
        for (int d = 1; d < ndims; d++)
            least = dims[d] < dims[least] ? d : least;
        dims[least] *= p;
    }
    for (int i = 1; i < ndims; i++)
        for (int d = i; d > 0 && dims[d] > dims[d - 1]; d--) {
            int swap = dims[d];
            dims[d] = dims[d - 1];
            dims[d - 1] = swap;
        }
}

int kernel_end(const char *program, bool verified, double seconds, double rate, const char *unit)
{
    bool good = kernel_max(verified ? 0 : 1) == 0;
    if (shmem_my_pe() == 0) {
        if (!good)
            printf("%s: FAILED: the result is wrong\n", program);
        printf("RESULT program=%s pes=%d verified=%s seconds=%.6f rate=%.3f unit=%s\n", program,
               shmem_n_pes(), good ? "yes" : "no", seconds, rate, unit);
        fflush(stdout);
    }
    shmem_finalize();
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
