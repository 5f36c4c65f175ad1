// SPDX-License-Identifier: BSD-3-Clause
/*
 * ARMCI from process 0 to process 1, which waits in a barrier: single transfers, a mutex, an idle
 * fence; sections of rows of 8 B to 1 MiB beside contiguous transfers of as many bytes, each window
 * closed by a fence inside the clock; accumulates. --mode 1: what the same costs in plain C in one
 * process, under the same names.
 */
#include "common.h"

#include <armci.h>
#include <message.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 20, WINDOW = 8, GAP = 64, LEVEL = 65536, ROW_OF_800 = 800, FLOOD = 256 };
// a row of 8 B needs 9 times as much room as its bytes
enum { ROOM = BLOCK * 9, WARM_UP_NS = 20000000 };

static char *mine, *theirs; // ROOM bytes each
static double one = 1.0, scale = 0.5;

struct section {
    size_t row;
    int stride[1], count[2];
};

static void fence(void)
{
    ARMCI_Fence(1);
}

// ---------------------------------------------------------------- single operations
static void put_8(void *ctx, size_t count)
{
    (void)ctx;
    while (count--)
        ARMCI_Put(mine, theirs, 8, 1);
}

static void put_8_fence(void *ctx, size_t count)
{
    (void)ctx;
    while (count--) {
        ARMCI_Put(mine, theirs, 8, 1);
        fence();
    }
}

static void get_8(void *ctx, size_t count)
{
    (void)ctx;
    while (count--)
        ARMCI_Get(theirs, mine, 8, 1);
}

static void fetch_add(void *ctx, size_t count)
{
    long old;
    (void)ctx;
    while (count--)
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, theirs, 1, 1);
}

static void mutex(void *ctx, size_t count)
{
    (void)ctx;
    while (count--) {
        ARMCI_Lock(0, 1);
        ARMCI_Unlock(0, 1);
    }
}

static void acc_8_fence(void *ctx, size_t count)
{
    (void)ctx;
    while (count--) {
        ARMCI_Acc(ARMCI_ACC_DBL, &scale, mine, theirs, 8, 1);
        fence();
    }
}

static void fence_idle(void *ctx, size_t count)
{
    (void)ctx;
    while (count--)
        fence();
}

static void then_fence(void *ctx, size_t count)
{
    (void)ctx, (void)count;
    fence();
}

// ---------------------------------------------------------------- windows
static void put_block(void *ctx, size_t count)
{
    (void)ctx;
    while (count--)
        ARMCI_Put(mine, theirs, BLOCK, 1);
    fence();
}

static void get_block(void *ctx, size_t count)
{
    (void)ctx;
    while (count--)
        ARMCI_Get(theirs, mine, BLOCK, 1);
}

static void put_rows(void *ctx, size_t count)
{
    struct section *s = ctx;
    while (count--)
        ARMCI_PutS(mine, s->stride, theirs, s->stride, s->count, 1, 1);
    fence();
}

static void get_rows(void *ctx, size_t count)
{
    struct section *s = ctx;
    while (count--)
        ARMCI_GetS(theirs, s->stride, mine, s->stride, s->count, 1, 1);
}

static void acc_64k(void *ctx, size_t count)
{
    (void)ctx;
    while (count--)
        ARMCI_Acc(ARMCI_ACC_DBL, &scale, mine, theirs, LEVEL, 1);
    fence();
}

static void acc_block(void *ctx, size_t count)
{
    (void)ctx;
    while (count--)
        ARMCI_Acc(ARMCI_ACC_DBL, &one, mine, theirs, BLOCK, 1);
    fence();
}

static void acc_rows(void *ctx, size_t count)
{
    struct section *s = ctx;
    while (count--)
        ARMCI_AccS(ARMCI_ACC_DBL, &scale, mine, s->stride, theirs, s->stride, s->count, 1, 1);
    fence();
}

// ---------------------------------------------------------------- small ones in windows
static void puts_window(void *ctx, size_t count)
{
    size_t nbytes = *(const size_t *)ctx;
    while (count--)
        ARMCI_NbPut(mine, theirs + count * nbytes, (armci_size_t)nbytes, 1, NULL);
    fence();
}

static void gets_window(void *ctx, size_t count)
{
    size_t nbytes = *(const size_t *)ctx;
    while (count--)
        ARMCI_NbGet(theirs, mine + count * nbytes, (armci_size_t)nbytes, 1, NULL);
    ARMCI_WaitAll();
}

static void accs_window(void *ctx, size_t count)
{
    size_t nbytes = *(const size_t *)ctx;
    while (count--)
        ARMCI_NbAcc(ARMCI_ACC_DBL, &scale, mine, theirs + count * nbytes, (armci_size_t)nbytes, 1,
                    NULL);
    fence();
}

static void floods(const struct bench_opts *opts)
{
    static const struct {
        const char *name;
        bench_fn op;
    } ops[] = {{"put_flood", puts_window}, {"get_flood", gets_window}, {"acc_flood", accs_window}};
    struct bench_series series = {0};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        for (size_t nbytes = 8; nbytes <= 256 && bench_wants(opts, ops[i].name); nbytes *= 32) {
            bench_measure_batch(opts, ops[i].op, NULL, &nbytes, FLOOD, &series);
            bench_emit(opts, "armci", ops[i].name, nbytes, "ns", &series);
        }
    free(series.v);
}

// ---------------------------------------------------------------- the same in plain C
static void plain_copy(void *ctx, size_t count)
{
    (void)ctx;
    while (count--) {
        memcpy(theirs, mine, BLOCK);
        __asm__ volatile("" ::: "memory");
    }
}

static void plain_rows(void *ctx, size_t count)
{
    struct section *s = ctx;
    size_t stride = (size_t)s->stride[0], n = (size_t)s->count[1], row = s->row;
    while (count--) {
        for (size_t i = 0; i < n; i++)
            memcpy(theirs + i * stride, mine + i * stride, row);
        __asm__ volatile("" ::: "memory");
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"), optimize("O3")))
#endif
static void
plain_add(double *restrict to, const double *restrict from, double a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] += a * from[i];
}

static void plain_acc(void *ctx, size_t count)
{
    size_t nbytes = *(const size_t *)ctx;
    while (count--) {
        plain_add((double *)(void *)theirs, (const double *)(const void *)mine, scale,
                  nbytes / sizeof(double));
        __asm__ volatile("" ::: "memory");
    }
}

static void plain_acc_rows(void *ctx, size_t count)
{
    struct section *s = ctx;
    size_t stride = (size_t)s->stride[0], n = (size_t)s->count[1];
    while (count--) {
        for (size_t i = 0; i < n; i++)
            plain_add((double *)(void *)(theirs + i * stride),
                      (const double *)(const void *)(mine + i * stride), scale,
                      s->row / sizeof(double));
        __asm__ volatile("" ::: "memory");
    }
}

// ---------------------------------------------------------------- what is measured
static struct section section_of(size_t row, size_t nbytes)
{
    struct section s = {.row = row, .stride = {(int)(row + GAP)}};
    s.count[0] = (int)row;
    s.count[1] = (int)(nbytes / row);
    return s;
}

static void rate(const struct bench_opts *opts, const char *name, bench_fn op, void *ctx,
                 size_t count, size_t nbytes, size_t label)
{
    struct bench_series series = {0}, out = {0};
    if (!bench_wants(opts, name))
        return;
    // the window of a new connection grows for some time
    for (uint64_t start = bench_now_ns(); bench_now_ns() - start < WARM_UP_NS;)
        op(ctx, count);
    bench_measure_batch(opts, op, NULL, ctx, count, &series);
    for (size_t i = 0; i < series.n; i++)
        bench_series_add(&out, (double)nbytes / series.v[i]);
    bench_emit(opts, "armci", name, label, "GB/s", &out);
    free(series.v);
    free(out.v);
}

static void sweeps(const struct bench_opts *opts, int plain)
{
    static const size_t rows[] = {8, 64, 512, 1024, 4096, 16384, 65536, 1048576};
    rate(opts, "put_block", plain ? plain_copy : put_block, NULL, WINDOW, BLOCK, BLOCK);
    rate(opts, "get_block", plain ? plain_copy : get_block, NULL, WINDOW, BLOCK, BLOCK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct section s = section_of(rows[i], BLOCK);
        rate(opts, "put_rows", plain ? plain_rows : put_rows, &s, WINDOW, BLOCK, rows[i]);
        rate(opts, "get_rows", plain ? plain_rows : get_rows, &s, WINDOW, BLOCK, rows[i]);
    }
    size_t level = LEVEL, block = BLOCK;
    struct section s = section_of(ROW_OF_800, LEVEL / ROW_OF_800 * ROW_OF_800);
    rate(opts, "acc", plain ? plain_acc : acc_64k, &level, 64, LEVEL, LEVEL);
    rate(opts, "acc", plain ? plain_acc : acc_block, &block, WINDOW, BLOCK, BLOCK);
    rate(opts, "acc_rows", plain ? plain_acc_rows : acc_rows, &s, 64, (size_t)s.count[1] * s.row,
         ROW_OF_800);
}

static void singles(const struct bench_opts *opts)
{
    static const struct {
        const char *name;
        bench_fn op, after;
    } ops[] = {
        {"put", put_8, then_fence},      {"put_fence", put_8_fence, NULL}, {"get", get_8, NULL},
        {"fetch_add", fetch_add, NULL},  {"acc_fence", acc_8_fence, NULL}, {"mutex", mutex, NULL},
        {"fence_idle", fence_idle, NULL}};
    struct bench_series series = {0};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (!bench_wants(opts, ops[i].name))
            continue;
        bench_measure(opts, ops[i].op, ops[i].after, NULL, &series);
        bench_emit(opts, "armci", ops[i].name, 8, "ns", &series);
    }
    free(series.v);
}

static void *memory(size_t nbytes)
{
    void *p = aligned_alloc(4096, nbytes);
    if (!p) {
        fprintf(stderr, "armci: no memory for %zu bytes\n", nbytes);
        exit(1);
    }
    memset(p, 0, nbytes);
    return p;
}

static int plain(const struct bench_opts *opts)
{
    theirs = memory(ROOM);
    sweeps(opts, 1);
    return 0;
}

int main(int argc, char **argv)
{
    struct bench_opts opts;
    void *segment[2];
    bench_parse(argc, argv, &opts);
    mine = memory(ROOM);
    if (opts.mode == 1)
        return plain(&opts);
    ARMCI_Init_args(&argc, &argv);
    if (armci_msg_nproc() != 2 || ARMCI_Malloc(segment, ROOM) || ARMCI_Create_mutexes(1))
        ARMCI_Error("armci: needs two processes and memory", 1);
    bench_pin(armci_msg_me());
    theirs = segment[1];
    memset(segment[armci_msg_me()], 0, ROOM);
    ARMCI_Barrier();
    if (armci_msg_me() == 0) {
        singles(&opts);
        floods(&opts);
        sweeps(&opts, 0);
    }
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
    ARMCI_Free(segment[armci_msg_me()]);
    ARMCI_Finalize();
    return 0;
}
