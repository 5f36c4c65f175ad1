// SPDX-License-Identifier: BSD-3-Clause
/*
 * How many instructions does an operation from PE 0 to PE 1 take: in all, and from the API's entry
 * to the first instruction of the network library (libfabric; UCX for those who use it)? In the
 * steady state: everything is warm and bound (run with LD_BIND_NOW=1), "first" is the first call
 * after a quiet, "next" the ones that follow without one.
 * --mode 1 asks for SHMEM_THREAD_MULTIPLE; --trace FILE writes the instruction stream of one call
 * of each for annotate.py. "collected" is a call in a flood that does not reach the network: it
 * waits there for others that travel with it.
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
static FILE *trace;
static shmem_ctx_t ctx;  // a private one, if there are any

// Function pointers the compiler cannot see through: no PLT stub, no inlining.
static void (*volatile int_p)(int *, int, int) = shmem_int_p;
static int (*volatile int_g)(const int *, int) = shmem_int_g;
static void (*volatile putmem)(void *, const void *, size_t, int) = shmem_putmem;
static long (*volatile fetch_add)(long *, long, int) = shmem_long_atomic_fetch_add;
static void (*volatile ctx_int_p)(shmem_ctx_t, int *, int, int) = shmem_ctx_int_p;
static int (*volatile ctx_int_g)(shmem_ctx_t, const int *, int) = shmem_ctx_int_g;
static void (*volatile ctx_quiet)(shmem_ctx_t) = shmem_ctx_quiet;
static void (*volatile ctx_fence)(shmem_ctx_t) = shmem_ctx_fence;
static void (*volatile add)(long *, long, int) = shmem_long_atomic_add;
static void (*volatile quiet)(void) = shmem_quiet;
static void (*volatile fence)(void) = shmem_fence;

STEP_CALLER static void do_int_p(void)
{
    void (*fn)(int *, int, int) = int_p;
    step_begin();
    fn((int *)dst, 7, 1);
    step_end();
}

STEP_CALLER static void do_int_g(void)
{
    int (*fn)(const int *, int) = int_g;
    step_begin();
    fn((int *)dst, 1);
    step_end();
}

STEP_CALLER static void do_putmem(void)
{
    void (*fn)(void *, const void *, size_t, int) = putmem;
    step_begin();
    fn(dst, src, 8, 1);
    step_end();
}

STEP_CALLER static void do_fetch_add(void)
{
    long (*fn)(long *, long, int) = fetch_add;
    step_begin();
    fn((long *)dst, 1, 1);
    step_end();
}

STEP_CALLER static void do_add(void)
{
    void (*fn)(long *, long, int) = add;
    step_begin();
    fn((long *)dst, 1, 1);
    step_end();
}

STEP_CALLER static void do_quiet(void)
{
    void (*fn)(void) = quiet;
    step_begin();
    fn();
    step_end();
}

STEP_CALLER static void do_fence(void)
{
    void (*fn)(void) = fence;
    step_begin();
    fn();
    step_end();
}

STEP_CALLER static void do_ctx_int_p(void)
{
    void (*fn)(shmem_ctx_t, int *, int, int) = ctx_int_p;
    shmem_ctx_t c = ctx;
    step_begin();
    fn(c, (int *)dst, 7, 1);
    step_end();
}

STEP_CALLER static void do_ctx_int_g(void)
{
    int (*fn)(shmem_ctx_t, const int *, int) = ctx_int_g;
    shmem_ctx_t c = ctx;
    step_begin();
    fn(c, (int *)dst, 1);
    step_end();
}

STEP_CALLER static void do_ctx_quiet(void)
{
    void (*fn)(shmem_ctx_t) = ctx_quiet;
    shmem_ctx_t c = ctx;
    step_begin();
    fn(c);
    step_end();
}

STEP_CALLER static void do_ctx_fence(void)
{
    void (*fn)(shmem_ctx_t) = ctx_fence;
    shmem_ctx_t c = ctx;
    step_begin();
    fn(c);
    step_end();
}

static const struct {
    const char *name;
    void (*call)(void);
} OPS[] = {
    {"int_p", do_int_p},
    {"int_g", do_int_g},
    {"putmem", do_putmem},
    {"fetch_add", do_fetch_add},
    {"add", do_add},
    {"quiet", do_quiet},
    {"fence", do_fence},
    {"ctx_int_p", do_ctx_int_p},
    {"ctx_int_g", do_ctx_int_g},
    {"ctx_quiet", do_ctx_quiet},
    {"ctx_fence", do_ctx_fence},
};

static void flood_p(void)
{
    shmem_int_p((int *)dst, 7, 1);
}

static void flood_put(void)
{
    shmem_putmem(dst, src, 8, 1);
}

static void flood_add(void)
{
    shmem_long_atomic_add((long *)dst, 1, 1);
}

static const struct {
    const char *name;
    void (*call)(void), (*plain)(void);  // counted; the same, of the flood before it
} FLOODS[] = {
    {"int_p", do_int_p, flood_p}, {"putmem", do_putmem, flood_put}, {"add", do_add, flood_add}};

static long steps_to_provider(void)
{
    return step_first_in(PROVIDERS, sizeof PROVIDERS / sizeof PROVIDERS[0]);
}

static void emit(const struct bench_opts *opts, const char *name, const char *what,
                 struct bench_series *series)
{
    char op[64];
    snprintf(op, sizeof op, "%s.%s", name, what);
    bench_emit(opts, "insn", op, 0, "instructions", series);
}

static void count(const struct bench_opts *opts, const char *name, void (*call)(void))
{
    struct bench_series total[2] = {{0}}, entry[2] = {{0}};
    for (int i = 0; i < WARM; i++)
        call();
    step_clear();
    for (int round = 0; round < COUNTED; round++) {
        shmem_ctx_quiet(ctx);
        shmem_quiet();
        shmem_quiet();  // idle now, whatever the first one found
        for (int nth = 0; nth < 2; nth++) {
            step_clear();
            call();
            long before = steps_to_provider();
            if (before >= 0)
                bench_series_add(&entry[nth], (double)before);
            if (!step_truncated())
                bench_series_add(&total[nth], (double)step_log->n);
            if (trace && round == COUNTED - 1)
                step_write(trace, name, nth ? "next" : "first");
        }
    }
    emit(opts, name, "total.first", &total[0]);
    emit(opts, name, "total.next", &total[1]);
    emit(opts, name, "to_provider.first", &entry[0]);
    emit(opts, name, "to_provider.next", &entry[1]);
}

/** If the library collects. */
static void count_collected(const struct bench_opts *opts, const char *name, void (*call)(void),
                            void (*plain)(void))
{
    struct bench_series total = {0};
    for (int round = 0; round < COUNTED; round++) {
        shmem_quiet();
        for (int i = 0; i < FLOOD; i++)
            plain();
        step_clear();
        atomic_store(&is_counting, true);
        call();
        atomic_store(&is_counting, false);
        if (steps_to_provider() >= 0 || step_truncated())
            continue;
        bench_series_add(&total, (double)step_log->n);
        if (trace && total.n == 1)
            step_write(trace, name, "collected");
    }
    if (total.n > 0)
        emit(opts, name, "total.collected", &total);
}

static void open_trace(const struct bench_opts *opts)
{
    if (!opts->trace)
        return;
    trace = fopen(opts->trace, "w");
    if (!trace) {
        perror(opts->trace);
        shmem_global_exit(1);
    }
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
    if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx))
        ctx = SHMEM_CTX_DEFAULT;
    if (pair_is_origin()) {
        open_trace(&opts);
        for (size_t i = 0; i < sizeof OPS / sizeof OPS[0]; i++)
            if (bench_wants(&opts, OPS[i].name))
                count(&opts, OPS[i].name, OPS[i].call);
        int far = !shmem_ptr(dst, 1);
        for (size_t i = 0; far && i < sizeof FLOODS / sizeof FLOODS[0]; i++)
            if (bench_wants(&opts, FLOODS[i].name))
                count_collected(&opts, FLOODS[i].name, FLOODS[i].call, FLOODS[i].plain);
        if (trace)
            fclose(trace);
    }
    if (ctx != SHMEM_CTX_DEFAULT)
        shmem_ctx_destroy(ctx);
    pair_finish(&opts);
    return 0;
}
