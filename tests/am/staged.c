// SPDX-License-Identifier: BSD-3-Clause
//
// staged ROUNDS THREADS: large strided, scattered and accumulated transfers between random PEs, by
// several threads of each, onto what was put before and under what is put behind, and gets of it:
// whatever way they go, they take effect in the order of the calls, change nothing beside what they
// write, and leave their sources free. At the end PE 0 alone counts its requests: no cell was lost.
#include <pthread.h>

#include "am_test.h"
#include "base/env.h"
#include "core/bulk/accumulate.h"
#include "core/bulk/pieces.h"
#include "core/bulk/strided.h"
#include "core/port/ctx.h"
#include "core/port/port.h"
#include "core/rma/rma.h"

enum { STRIP = 600 << 10, THREADS_MOST = 2, MEBIBYTE = 1 << 20, AGAIN = 20 };

static int rounds, threads;
static char *strips;  // symmetric: one for each thread of each PE, which alone writes there

/** What a thread knows of its strip in the target of this round. */
typedef struct writer {
    int number;
    uint64_t random;
    char *strip, *model, *source, *got;
} writer_t;

/** 0 to bound - 1. */
static uint64_t pick(writer_t *w, uint64_t bound)
{
    w->random ^= w->random << 13;  // xorshift64
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return (w->random >> 8) % bound;
}

static uint64_t *words(char *at)
{
    return (uint64_t *)(void *)at;
}

static void new_source(writer_t *w)
{
    uint64_t first = pick(w, UINT64_MAX);
    for (size_t i = 0; i < STRIP / sizeof first; i++)
        words(w->source)[i] = first + i * 0x0102030405060708u;
}

static size_t some_row(writer_t *w)
{
    static const size_t rows[] = {8, 64, 248, 1024, 1032, 4096, 20000, 32768, 40000};
    return rows[pick(w, sizeof rows / sizeof *rows)];
}

static void put_rows(writer_t *w, int pe, size_t most)
{
    size_t row = some_row(w), stride = row + 8 * pick(w, 9), n = most / stride;
    new_source(w);
    if (row >= CW_PIECE_MAX)  // may go as puts, which may overtake requests
        cw_fence_default();
    cw_put_strided(&cw_ctx_default, w->strip, w->source, (ptrdiff_t)stride, (ptrdiff_t)row, row, n,
                   pe);
    for (size_t i = 0; i < n; i++)
        memcpy(w->model + i * stride, w->source + i * row, row);
}

static void put_pieces(writer_t *w, int pe, size_t most)
{
    cw_pieces_t p;
    new_source(w);
    cw_pieces_begin(&p, &cw_ctx_default, pe, true, most);
    for (size_t at = 0, n; at < most; at += n + pick(w, 40)) {
        n = 1 + pick(w, pick(w, 3) ? 900 : p.most);
        n = n < most - at ? n : most - at;
        cw_pieces_add(&p, w->strip + at, w->source + at, n);
        memcpy(w->model + at, w->source + at, n);
    }
    cw_pieces_end(&p);
}

static void accumulate(writer_t *w, int pe, size_t most)
{
    uint64_t scale = 1 + pick(w, 2);
    new_source(w);
    cw_accumulate(&cw_ctx_default, CW_INT64, &scale, w->strip, w->source, most & ~(size_t)7, pe);
    for (size_t i = 0; i < most / sizeof scale; i++)
        words(w->model)[i] += scale * words(w->source)[i];
}

/** Rows with little or much between them. Staged ones are in order behind what was put. */
static void get_rows(writer_t *w, int pe, size_t most)
{
    size_t row = some_row(w), stride = row + 8 * pick(w, pick(w, 2) ? 3 : 2 + row / 8);
    size_t n = most / stride;
    memset(w->got, 0x55, n * row);
    if (!cw_strided_staged(&cw_ctx_default, false, w->got, w->strip, (ptrdiff_t)row,
                           (ptrdiff_t)stride, row, n, pe) ||
        pick(w, 2)) {
        cw_quiet_default();
        memset(w->got, 0x55, n * row);
        cw_get_strided(&cw_ctx_default, w->got, w->strip, (ptrdiff_t)row, (ptrdiff_t)stride, row, n,
                       pe);
    }
    for (size_t i = 0; i < n; i++)
        if (memcmp(w->got + i * row, w->model + i * stride, row)) {
            CHECK(false, "row %zu of %zu, %zu bytes by %zu, PE %d", i, n, row, stride, pe);
            return;
        }
}

static void get_pieces(writer_t *w, int pe, size_t most)
{
    cw_pieces_t p;
    uint64_t again = w->random;
    bool small = pick(w, 2);
    cw_pieces_begin(&p, &cw_ctx_default, pe, false, most);
    for (size_t at = 0, n; at < most; at += n + pick(w, 40)) {
        n = 1 + pick(w, small ? 40 : p.most);
        n = n < most - at ? n : most - at;
        memset(w->got + at, 0x55, n);
        cw_pieces_add(&p, w->strip + at, w->got + at, n);
    }
    cw_pieces_end(&p);
    cw_quiet_default();
    w->random = again;
    small = pick(w, 2);
    for (size_t at = 0, n; at < most; at += n + pick(w, 40)) {
        n = 1 + pick(w, small ? 40 : p.most);
        n = n < most - at ? n : most - at;
        if (memcmp(w->got + at, w->model + at, n)) {
            CHECK(false, "%zu bytes at %zu, PE %d", n, at, pe);
            return;
        }
    }
}

/** Operations on one strip, in order, and what it holds then. */
static void one_round(writer_t *w)
{
    static void (*const ops[])(writer_t * w, int pe, size_t most) = {
        put_rows, put_pieces, accumulate, get_rows, get_pieces};
    int pe = (cw_world.pe + (int)pick(w, (uint64_t)cw_world.npes)) % cw_world.npes;
    memset(w->source, 0, STRIP);
    memset(w->model, 0, STRIP);
    cw_put(&cw_ctx_default, w->strip, w->source, STRIP, pe);
    cw_quiet_default();
    for (int i = 0; i < 6; i++) {
        void (*op)(writer_t * w, int pe, size_t most) = ops[pick(w, sizeof ops / sizeof *ops)];
        op(w, pe, pick(w, 3) ? (size_t)STRIP : 100 + pick(w, 60000));
        memset(w->source, 0x55, STRIP);
    }
    cw_quiet_default();
    memset(w->got, 0, STRIP);
    cw_get(&cw_ctx_default, w->got, w->strip, STRIP, pe);
    CHECK(memcmp(w->got, w->model, STRIP) == 0, "writer %d, PE %d", w->number, pe);
}

static void *write_rounds(void *arg)
{
    writer_t *w = arg;
    w->strip = strips + (size_t)(cw_world.pe * threads + w->number) * STRIP;
    w->random = 88172645463325252u + (uint64_t)(w->number + threads * cw_world.pe) * 7919;
    w->model = malloc(STRIP);
    w->source = malloc(STRIP);
    w->got = malloc(STRIP);
    REQUIRE(w->model && w->source && w->got);
    for (int i = 0; i < rounds; i++)
        one_round(w);
    free(w->model);
    free(w->source);
    free(w->got);
    return NULL;
}

/** The requests of half a megabyte by rows of half a kilobyte. */
static uint64_t count_requests(int pe, bool put)
{
    static char local[MEBIBYTE / 2];
    cwt_stats_t before, after;
    cw_port_stats(&before);
    if (put)
        cw_put_strided(&cw_ctx_default, strips, local, 1024, 512, 512, MEBIBYTE / 1024, pe);
    else
        cw_get_strided(&cw_ctx_default, local, strips, 512, 1024, 512, MEBIBYTE / 1024, pe);
    cw_port_stats(&after);
    cw_quiet_default();
    return after.requests - before.requests;
}

/** A get of rows with little between them needs none. */
static uint64_t close_rows(int pe)
{
    static char local[MEBIBYTE / 2];
    cwt_stats_t before, after;
    cw_port_stats(&before);
    cw_get_strided(&cw_ctx_default, local, strips, 500, 600, 500, MEBIBYTE / 1024, pe);
    cw_port_stats(&after);
    return after.requests - before.requests;
}

/** A PE that was refused goes by messages for some transfers; then, with no other PE about, there
 *  must be cells for it. */
static void cells_are_left(void)
{
    int pe = cw_world.npes - 1;
    uint64_t requests[2] = {0};
    if (cw_world.node_of_pe[pe] == cw_world.node)
        return;
    for (int i = 0; i < AGAIN; i++)
        requests[i % 2] = count_requests(pe, i % 2);
    for (int put = 0; put < 2; put++)
        CHECK(cwu_env.staging > 0 ? requests[put] <= 8 : requests[put] > 100, "%llu requests of %s",
              (unsigned long long)requests[put], put ? "a put" : "a get");
    uint64_t close = close_rows(pe);
    CHECK(close == 0, "%llu requests of a get of close rows", (unsigned long long)close);
}

int main(int argc, char **argv)
{
    writer_t writer[THREADS_MOST] = {{0}};
    pthread_t thread[THREADS_MOST];
    rounds = argc > 1 ? atoi(argv[1]) : 1;
    threads = argc > 2 ? atoi(argv[2]) : 1;
    test_begin(threads > 1 ? CW_THREAD_MULTIPLE : CW_THREAD_SINGLE);
    check_as("PE", cw_world.pe, cw_world.npes);
    size_t all = (size_t)(cw_world.npes * threads) * STRIP;
    strips = cw_heap_malloc(64, all > MEBIBYTE ? all : MEBIBYTE);
    REQUIRE(strips && threads <= THREADS_MOST);
    cw_barrier(cw_group_world);
    for (int i = 0; i < threads; i++) {
        writer[i].number = i;
        if (i > 0)
            REQUIRE(pthread_create(&thread[i], NULL, write_rounds, &writer[i]) == 0);
    }
    write_rounds(&writer[0]);
    for (int i = 1; i < threads; i++)
        pthread_join(thread[i], NULL);
    cw_quiet_default();
    cw_barrier(cw_group_world);
    if (cw_world.pe == 0)
        cells_are_left();
    cw_barrier(cw_group_world);
    return test_finish();
}
