// SPDX-License-Identifier: BSD-3-Clause
/*
 * The limits of one node: memcpy, plain load and store and CPU atomics on memory shared by two
 * processes, and a ping-pong between them over two flags. Lines carry the names of the OpenSHMEM
 * lines they stand beside.
 */
#define _GNU_SOURCE
#include "../common.h"
#include "kernels.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct transfer {
    char *src, *dst;
    size_t nbytes;
    long turn;
};

static void store(void *ctx, size_t count)
{
    struct transfer *t = ctx;
    for (size_t i = 0; i < count; i++)
        kernel_store((long *)t->dst, (long)i);
}

static void load(void *ctx, size_t count)
{
    struct transfer *t = ctx;
    long sum = 0;
    while (count--)
        sum += kernel_load((long *)t->dst);
    *(volatile long *)t->src = sum;
}

static void copy(void *ctx, size_t count)
{
    struct transfer *t = ctx;
    while (count--)
        kernel_copy(t->dst, t->src, t->nbytes);
}

static void copy_fence(void *ctx, size_t count)
{
    struct transfer *t = ctx;
    while (count--) {
        kernel_copy(t->dst, t->src, t->nbytes);
        kernel_fence();
    }
}

static void copy_back(void *ctx, size_t count)
{
    struct transfer *t = ctx;
    while (count--)
        kernel_copy(t->src, t->dst, t->nbytes);
}

static void stream(void *ctx, size_t count)
{
    struct transfer *t = ctx;
    while (count--)
        kernel_stream(t->dst, t->src, t->nbytes);
}

static void fetch_add(void *ctx, size_t count)
{
    struct transfer *t = ctx;
    while (count--)
        kernel_fetch_add((long *)t->dst, 1);
}

static void cswap(void *ctx, size_t count)
{
    struct transfer *t = ctx;
    long seen = 0;
    while (count--)
        seen = kernel_cswap((long *)t->dst, seen, seen + 1);
}

static void swap(void *ctx, size_t count)
{
    struct transfer *t = ctx;
    for (size_t i = 0; i < count; i++)
        kernel_swap((long *)t->dst, (long)i);
}

// One flag a process, each on a page of its owner, as in the OpenSHMEM ping-pong.
static void round_trips(void *ctx, size_t count)
{
    struct transfer *t = ctx;
    while (count--) {
        __atomic_store_n((long *)t->dst, ++t->turn, __ATOMIC_RELEASE);
        while (__atomic_load_n((long *)t->src, __ATOMIC_ACQUIRE) < t->turn)
            ;
    }
}

static void echo(struct transfer *t)
{
    for (long turn = 1;; turn++) {
        long seen;
        while ((seen = __atomic_load_n((long *)t->dst, __ATOMIC_ACQUIRE)) < turn)
            ;
        if (seen == LONG_MAX)
            return;
        __atomic_store_n((long *)t->src, turn, __ATOMIC_RELEASE);
    }
}

static const struct {
    const char *bench, *name;
    bench_fn op;
    int sweep;
} OPS[] = {
    {"latency", "p", store, 0},
    {"latency", "g", load, 0},
    {"latency", "put", copy, 1},
    {"latency", "put_quiet", copy_fence, 1},
    {"latency", "get", copy_back, 1},
    {"latency", "stream", stream, 1},
    {"atomics", "cswap", cswap, 0},
    {"atomics", "fetch_add", fetch_add, 0},
    {"atomics", "swap", swap, 0},
    {"atomics", "add", fetch_add, 0},
    {"atomics", "add_quiet", fetch_add, 0},
};

static void one_sided(const struct bench_opts *opts, const char *bench, struct transfer *t)
{
    struct bench_series series = {0};
    for (size_t i = 0; i < sizeof OPS / sizeof OPS[0]; i++) {
        if (strcmp(OPS[i].bench, bench) || !bench_wants(opts, OPS[i].name))
            continue;
        t->nbytes = 0;
        while ((t->nbytes = bench_next_size(opts, t->nbytes)) && (OPS[i].sweep || t->nbytes == 8)) {
            bench_measure(opts, OPS[i].op, NULL, t, &series);
            bench_emit(opts, OPS[i].bench, OPS[i].name, t->nbytes, "ns", &series);
        }
    }
}

static void windows(const struct bench_opts *opts, struct transfer *t)
{
    static const struct {
        const char *name;
        bench_fn op;
    } RATES[] = {{"put_nbi", copy}, {"get_nbi", copy_back}};
    struct bench_series series = {0};
    for (size_t i = 0; i < sizeof RATES / sizeof RATES[0]; i++) {
        if (!bench_wants(opts, RATES[i].name))
            continue;
        t->nbytes = 0;
        while ((t->nbytes = bench_next_size(opts, t->nbytes))) {
            size_t count = ((size_t)64 << 20) / t->nbytes;
            bench_measure_batch(opts, RATES[i].op, NULL, t, count < 256 ? count : 256, &series);
            bench_emit_rate(opts, "rate", RATES[i].name, t->nbytes, &series);
        }
    }
}

static void ping_pong(struct bench_opts *opts, struct transfer *t)
{
    struct bench_series series = {0};
    *(long *)t->src = *(long *)t->dst = t->turn = 0;
    pid_t child = fork();
    if (child < 0) {
        perror("fork");
        exit(1);
    }
    if (child == 0) {
        bench_pin(1);
        echo(t);
        _exit(0);
    }
    bench_pin(0);
    opts->budget_ms *= 4;
    bench_measure(opts, round_trips, NULL, t, &series);
    opts->budget_ms /= 4;
    for (size_t i = 0; i < series.n; i++)
        series.v[i] /= 2;
    bench_emit(opts, "pingpong", "p_wait", 8, "ns", &series);
    __atomic_store_n((long *)t->dst, LONG_MAX, __ATOMIC_RELEASE);
    waitpid(child, NULL, 0);
}

// A shared mapping whose second half is first touched by another process.
static pid_t share(struct transfer *t)
{
    char *mem =
        mmap(NULL, 2 * BENCH_MAX_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int ready[2];
    char c;
    if (mem == MAP_FAILED || pipe(ready) < 0) {
        perror("local");
        exit(1);
    }
    t->src = mem;
    t->dst = mem + BENCH_MAX_BYTES;
    memset(t->src, 1, BENCH_MAX_BYTES);
    pid_t owner = fork();
    if (owner == 0) {
        memset(t->dst, 1, BENCH_MAX_BYTES);
        close(ready[0]);
        _exit(write(ready[1], "r", 1) != 1);
    }
    close(ready[1]);
    if (read(ready[0], &c, 1) != 1)
        exit(1);
    return owner;
}

int main(int argc, char **argv)
{
    struct bench_opts opts;
    struct transfer t = {0};
    bench_parse(argc, argv, &opts);
    pid_t owner = share(&t);
    waitpid(owner, NULL, 0);
    if (opts.mode == 0)
        one_sided(&opts, "latency", &t);
    if (opts.mode == 1)
        windows(&opts, &t);
    if (opts.mode == 2)
        ping_pong(&opts, &t);
    if (opts.mode == 3)
        one_sided(&opts, "atomics", &t);
    return 0;
}
