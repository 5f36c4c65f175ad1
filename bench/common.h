// SPDX-License-Identifier: BSD-3-Clause
/*
 * Shared by all programs of the bench: options, a monotonic clock, a series of samples and its
 * JSON line.
 *
 * A sample is the mean time of one batch; a batch is one operation when the operation is long
 * against the clock, and as many as fill BENCH_BATCH_NS otherwise. Knows nothing of OpenSHMEM, so
 * the baselines link it too. One thread.
 */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define BENCH_BATCH_NS 10000.0
#define BENCH_MAX_BYTES ((size_t)16 << 20)

struct bench_opts {
    int quick;            // few sizes, short budgets
    int nsamples;         // quantiles printed in each line; 0: none
    double budget_ms;     // time spent on one line
    size_t max_bytes;     // largest message
    const char *only;     // one operation, or NULL for all
    const char *target;   // what the passive PE does: "barrier" (calls in) or "busy" (computes)
    const char *provider; // raw libfabric only
    const char *endpoint; // raw libfabric only: "rdm" or "msg"
    const char *program;  // fork/exec floor only
    const char *trace;    // instruction counts only: file for the instruction stream
    int nprocs;           // fork/exec floor only
    int mode;             // program specific switch (--mode N)
    int unbound;          // raw libfabric only: the processes run where the kernel puts them
};

struct bench_series {
    double *v;
    size_t n, cap;
};

// Executes the operation `count` times.
typedef void (*bench_fn)(void *ctx, size_t count);

static inline uint64_t bench_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// Ends the program with a message on an unknown option or value.
void bench_parse(int argc, char **argv, struct bench_opts *opts);

// A program whose --only names none of those that it asks for lists them when it ends.
int bench_wants(const struct bench_opts *opts, const char *op);

// The sizes of a sweep, 8 B to max_bytes: returns the next one, 0 at the end. Start with 0.
size_t bench_next_size(const struct bench_opts *opts, size_t nbytes);

void bench_series_add(struct bench_series *series, double value);
void bench_series_clear(struct bench_series *series);

// Fills `series` with nanoseconds per operation; `after` (may be NULL) runs once per batch outside
// the clock.
void bench_measure(const struct bench_opts *opts, bench_fn op, bench_fn after, void *ctx,
                   struct bench_series *series);

// Same, with a fixed batch: for windows of non-blocking operations.
void bench_measure_batch(const struct bench_opts *opts, bench_fn op, bench_fn after, void *ctx,
                         size_t count, struct bench_series *series);

// Prints one JSON line and clears the series.
void bench_emit(const struct bench_opts *opts, const char *bench, const char *op, size_t nbytes,
                const char *unit, struct bench_series *series);

// From nanoseconds per operation, prints two lines: Mop/s and GB/s.
void bench_emit_rate(const struct bench_opts *opts, const char *bench, const char *op,
                     size_t nbytes, struct bench_series *series);

// Proportional set size of this process in KiB, -1 when the kernel does not say.
double bench_pss_kib(void);

// Binds this process to the n-th core it may use. For baselines alone: two that spin on one core
// measure the scheduler.
void bench_pin(int nth);

#endif
