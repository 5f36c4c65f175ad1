// SPDX-License-Identifier: BSD-3-Clause
/*
 * How many instructions do a scalar put, a put of 8 B and an atomic add take in each state that a
 * program meets: alone before its quiet, one of a few, the nth of a flood? Windows of 1, 4 and 64
 * operations, a quiet behind each; of a window one operation is counted, the others run as ever.
 * A line's "bytes" is the position in its window, from 0. "to_provider" are the instructions to the
 * network library; "appended" those of a call that returned without: it travels with others.
 */
#define _GNU_SOURCE
#include "../pair.h"
#include "naps.h"
#include "step.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WARM = 32, COUNTED = 10, FLOOD = 64 };

static const char *const PROVIDERS[] = {"libfabric", "libucp", "libuct", "libmock"};

static char *dst, *src;
STEP_CALLER static void counted_p(void)
{
    STEP_CALL(shmem_int_p, (int *)dst, 7, 1);
}

STEP_CALLER static void counted_put(void)
{
    STEP_CALL(shmem_putmem, dst, src, 8, 1);
}

STEP_CALLER static void counted_add(void)
{
    STEP_CALL(shmem_long_atomic_add, (long *)dst, 1, 1);
}

static void plain_p(void)
{
    shmem_int_p((int *)dst, 7, 1);
}

static void plain_put(void)
{
    shmem_putmem(dst, src, 8, 1);
}

static void plain_add(void)
{
    shmem_long_atomic_add((long *)dst, 1, 1);
}

struct operation {
    const char *name;
    void (*counted)(void), (*plain)(void);
};
static const struct operation OPERATIONS[] = {{"int_p", counted_p, plain_p},
                                              {"putmem", counted_put, plain_put},
                                              {"add", counted_add, plain_add}};
static const int WINDOWS[] = {1, 4, FLOOD};

/** A window, of which the operation at that position is counted; none for -1. */
static void window(const struct operation *operation, int size, int position)
{
    for (int i = 0; i < size; i++) {
        if (i != position) {
            operation->plain();
            continue;
        }
        step_clear();
        atomic_store(&is_counting, true);
        operation->counted();
        atomic_store(&is_counting, false);
    }
    shmem_quiet();
}

static void emit(const struct bench_opts *opts, const char *name, int size, const char *what,
                 int position, struct bench_series *series)
{
    char op[64];
    snprintf(op, sizeof op, "%s.%d.%s", name, size, what);
    bench_emit(opts, "states", op, (size_t)position, "instructions", series);
}

static void count(const struct bench_opts *opts, const struct operation *operation, int size,
                  int position)
{
    struct bench_series entry = {0}, total = {0};
    for (int i = 0; i < WARM; i++)
        window(operation, size, -1);
    for (int i = 0; i < COUNTED; i++) {
        window(operation, size, position);
        long before = step_first_in(PROVIDERS, sizeof PROVIDERS / sizeof PROVIDERS[0]);
        if (before >= 0)
            bench_series_add(&entry, (double)before);
        else if (!step_truncated())
            bench_series_add(&total, (double)step_log->n);
    }
    emit(opts, operation->name, size, "to_provider", position, &entry);
    emit(opts, operation->name, size, "appended", position, &total);
    free(entry.v);
    free(total.v);
}

int main(int argc, char **argv)
{
    struct bench_opts opts;
    int provided = 0;
    bench_parse(argc, argv, &opts);
    if (!STEP_WORKS) {
        printf("SKIP: the single-step harness is for x86-64 Linux\n");
        return 77;
    }
    step_init();
    if (opts.mode == 1)
        shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    else
        shmem_init();
    pair_meet(argv[0]);
    src = pair_alloc(4096);
    dst = pair_alloc(4096);
    shmem_barrier_all();
    for (size_t i = 0; pair_is_origin() && i < sizeof OPERATIONS / sizeof OPERATIONS[0]; i++) {
        for (size_t w = 0; w < sizeof WINDOWS / sizeof WINDOWS[0]; w++) {
            int most = WINDOWS[w] < 16 ? WINDOWS[w] : 16;
            for (int position = 0; position < most; position++)
                count(&opts, &OPERATIONS[i], WINDOWS[w], position);
            if (WINDOWS[w] > most)
                count(&opts, &OPERATIONS[i], WINDOWS[w], WINDOWS[w] - 1);
        }
    }
    pair_finish(&opts);
    return 0;
}
