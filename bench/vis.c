// SPDX-License-Identifier: BSD-3-Clause
/*
 * Strided, indexed and vector transfers of GASNet, Causeway's or another: node 0 moves ROWS regions
 * to and from node 1, which waits in GASNET_BLOCKUNTIL for the end. Regions follow each other
 * (dense), are rows of a matrix (strided), of a block of a cube whose planes follow each other
 * (planes), or lie anywhere (indexed, vector). --mode 1: what the same costs in plain C in one
 * process, as a loop of memcpy of a constant size, under the same names.
 */
#include "common.h"

#define GASNET_SEQ 1
#include <gasnet.h>
#include <gasnet_vis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { END = 128, ROWS = 64, ROOM = 1 << 18, APART = 1 << 17, SIDE = 8 };

static volatile int ended;  // changed by the handler, which runs only inside our own calls

/** The same regions in each way of naming them; those here are as far apart as those there. */
struct shape {
    size_t row, count[3], stride[2], levels;
    void *near[ROWS], *far[ROWS];
    gasnet_memvec_t near_list[ROWS], far_list[ROWS];
};

static void end(gasnet_token_t token)
{
    (void)token;
    ended = 1;
}

static void must(int rc)
{
    if (rc != GASNET_OK) {
        fprintf(stderr, "vis: %s\n", gasnet_ErrorDesc(rc));
        gasnet_exit(1);
    }
}

static void barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

// ---------------------------------------------------------------- transfers
static void put_strided(void *ctx, size_t count)
{
    struct shape *s = ctx;
    while (count--)
        gasnet_puts_bulk(1, s->far[0], s->stride, s->near[0], s->stride, s->count, s->levels);
}

static void get_strided(void *ctx, size_t count)
{
    struct shape *s = ctx;
    while (count--)
        gasnet_gets_bulk(s->near[0], s->stride, 1, s->far[0], s->stride, s->count, s->levels);
}

static void put_indexed(void *ctx, size_t count)
{
    struct shape *s = ctx;
    while (count--)
        gasnet_puti_bulk(1, ROWS, s->far, s->row, ROWS, s->near, s->row);
}

static void get_indexed(void *ctx, size_t count)
{
    struct shape *s = ctx;
    while (count--)
        gasnet_geti_bulk(ROWS, s->near, s->row, 1, ROWS, s->far, s->row);
}

static void put_vector(void *ctx, size_t count)
{
    struct shape *s = ctx;
    while (count--)
        gasnet_putv_bulk(1, ROWS, s->far_list, ROWS, s->near_list);
}

static void get_vector(void *ctx, size_t count)
{
    struct shape *s = ctx;
    while (count--)
        gasnet_getv_bulk(ROWS, s->near_list, 1, ROWS, s->far_list);
}

// ---------------------------------------------------------------- the same in plain C
static inline void listed(void *const *to, void *const *from, size_t step, size_t row)
{
    (void)step;
    for (size_t i = 0; i < ROWS; i++)
        memcpy(to[i], from[i], row);
}

static inline void stepped(void *const *to, void *const *from, size_t step, size_t row)
{
    char *dest = to[0], *src = from[0];
    for (size_t i = 0; i < ROWS; i++)
        memcpy(dest + i * step, src + i * step, row);
}

/** The compiler knows the size, as in a program that moves elements of one type. */
#define OF_SIZE(way, to, from, step, row)  \
    do {                                   \
        switch (row) {                     \
        case 8:                            \
            way(to, from, step, 8);        \
            break;                         \
        case 32:                           \
            way(to, from, step, 32);       \
            break;                         \
        case 64:                           \
            way(to, from, step, 64);       \
            break;                         \
        default:                           \
            way(to, from, step, row);      \
        }                                  \
        __asm__ volatile("" ::: "memory"); \
    } while (0)

#define PLAIN(way)                                               \
    static void put_##way(void *ctx, size_t count)               \
    {                                                            \
        struct shape *s = ctx;                                   \
        while (count--)                                          \
            OF_SIZE(way, s->far, s->near, s->stride[0], s->row); \
    }                                                            \
    static void get_##way(void *ctx, size_t count)               \
    {                                                            \
        struct shape *s = ctx;                                   \
        while (count--)                                          \
            OF_SIZE(way, s->near, s->far, s->stride[0], s->row); \
    }
PLAIN(listed)
PLAIN(stepped)

static void put_block(void *ctx, size_t count)
{
    struct shape *s = ctx;
    while (count--) {
        memcpy(s->far[0], s->near[0], ROWS * s->row);
        __asm__ volatile("" ::: "memory");
    }
}

static void get_block(void *ctx, size_t count)
{
    struct shape *s = ctx;
    while (count--) {
        memcpy(s->near[0], s->far[0], ROWS * s->row);
        __asm__ volatile("" ::: "memory");
    }
}

// ---------------------------------------------------------------- what is measured
enum kind { DENSE, STRIDED, PLANES, INDEXED, VECTOR };

static const struct {
    const char *put, *get;
    bench_fn puts, gets, plain_put, plain_get;
} KINDS[] = {
    {"put_dense", "get_dense", put_strided, get_strided, put_block, get_block},
    {"put_strided", "get_strided", put_strided, get_strided, put_stepped, get_stepped},
    {"put_planes", "get_planes", put_strided, get_strided, put_stepped, get_stepped},
    {"put_indexed", "get_indexed", put_indexed, get_indexed, put_listed, get_listed},
    {"put_vector", "get_vector", put_vector, get_vector, put_listed, get_listed},
};

/** A row and what lies between two of them. */
static size_t step_of(enum kind kind, size_t row)
{
    return kind == DENSE ? row : row + 64;
}

/** Lists name every other row, those at odd places first. */
static size_t place_of(enum kind kind, size_t i)
{
    return kind < INDEXED ? i : (i % 2 ? ROWS : 0) + i;
}

static void make(struct shape *s, enum kind kind, size_t row, char *near, char *far)
{
    size_t step = step_of(kind, row);
    *s = (struct shape){.row = row, .count = {row, ROWS}, .stride = {step}, .levels = 1};
    if (kind == PLANES) {
        s->count[1] = SIDE;
        s->count[2] = ROWS / SIDE;
        s->stride[1] = SIDE * step;
        s->levels = 2;
    }
    for (size_t i = 0; i < ROWS; i++) {
        s->near[i] = near + place_of(kind, i) * step;
        s->far[i] = far + place_of(kind, i) * step;
        s->near_list[i] = (gasnet_memvec_t){s->near[i], row};
        s->far_list[i] = (gasnet_memvec_t){s->far[i], row};
    }
}

static void measure(struct bench_opts *opts, char *near, char *far)
{
    static const size_t rows[] = {8, 32, 64, 512};
    static struct shape s;
    struct bench_series series = {0};
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++)
        for (size_t n = 0; n < sizeof rows / sizeof rows[0]; n++) {
            make(&s, (enum kind)i, rows[n], near, far);
            if (bench_wants(opts, KINDS[i].put)) {
                bench_measure(opts, opts->mode ? KINDS[i].plain_put : KINDS[i].puts, NULL, &s,
                              &series);
                bench_emit(opts, "vis", KINDS[i].put, rows[n], "ns", &series);
            }
            if (bench_wants(opts, KINDS[i].get)) {
                bench_measure(opts, opts->mode ? KINDS[i].plain_get : KINDS[i].gets, NULL, &s,
                              &series);
                bench_emit(opts, "vis", KINDS[i].get, rows[n], "ns", &series);
            }
        }
    free(series.v);
}

static int plain(struct bench_opts *opts)
{
    char *memory = aligned_alloc(4096, ROOM);
    if (!memory) {
        fprintf(stderr, "vis: no memory for %d bytes\n", ROOM);
        return 1;
    }
    memset(memory, 1, ROOM);
    bench_pin(0);
    measure(opts, memory, memory + APART);
    free(memory);
    return 0;
}

int main(int argc, char **argv)
{
    static gasnet_handlerentry_t handlers[] = {{END, (void (*)())end}};
    struct bench_opts opts;
    gasnet_seginfo_t segments[2];
    bench_parse(argc, argv, &opts);
    if (opts.mode == 1)
        return plain(&opts);
    must(gasnet_init(&argc, &argv));
    must(gasnet_attach(handlers, 1, ROOM, 0));
    if (gasnet_nodes() != 2) {
        fprintf(stderr, "vis: needs 2 nodes\n");
        gasnet_exit(2);
    }
    must(gasnet_getSegmentInfo(segments, 2));
    bench_pin((int)gasnet_mynode());
    memset(segments[gasnet_mynode()].addr, 1, ROOM);
    barrier();
    if (gasnet_mynode() == 0) {
        measure(&opts, segments[0].addr, (char *)segments[1].addr + APART);
        gasnet_AMRequestShort0(1, END);
    } else {
        GASNET_BLOCKUNTIL(ended);
    }
    barrier();
    gasnet_exit(0);
    return 0;
}
