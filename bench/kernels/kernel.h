// SPDX-License-Identifier: BSD-3-Clause
/*
 * Shared by the NAS-like kernels: options, reductions of one number, boxes of a grid that is cut
 * over the PEs, the RESULT line. OpenSHMEM 1.4 without extensions. One thread a PE. kernel_sum and
 * kernel_max are collective.
 */
#ifndef BENCH_KERNEL_H
#define BENCH_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

struct kernel_opt {
    const char *name; // "-n"
    long least, most;
    long *value; // holds the default
    const char *help;
};

/** Before shmem_init. A wrong option or -h prints the usage and ends the program. */
void kernel_parse(int argc, char **argv, const char *program, const struct kernel_opt *opts,
                  int nopts);

double kernel_seconds(void);
double kernel_sum(double value);
double kernel_max(double value);

/** Symmetric memory, zeroed; ends the job with a message when there is none. Collective. */
void *kernel_alloc(size_t nbytes);

/** Cuts npes into ndims factors, as equal as they can be, largest first. */
void kernel_factor(int npes, int ndims, int *dims);

/** First index of part `c` of `n` points in `parts` parts; part c ends where c + 1 begins. */
static inline int kernel_first(int n, int parts, int c)
{
    return (int)((long)n * c / parts);
}

/** Ends a run: all PEs agree whether it was verified, PE 0 prints, all finalize. Returns the exit
 *  status. */
int kernel_end(const char *program, bool verified, double seconds, double rate, const char *unit);

#endif
