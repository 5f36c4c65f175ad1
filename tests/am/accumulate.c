// SPDX-License-Identifier: BSD-3-Clause
//
// accumulate ROUNDS: all PEs accumulate into the same elements of every PE, each round in other
// pieces, and to a few of PE 0 as fast as they can; no sum may be wrong. A source changes behind
// each call. Then a PE that sleeps on an element is woken, and a quiet completes.
#include <unistd.h>

#include "am_test.h"
#include "base/env.h"
#include "core/bulk/accumulate.h"
#include "core/mem/segment.h"
#include "core/port/ctx.h"
#include "core/port/port.h"
#include "frame/random.h"

enum { HOT = 40, ELEMENTS = 1500, BELLS = 20 };

/** In every PE; three types, longer than blocks. */
typedef struct sums {
    double hot[HOT];  // of PE 0: all add there in every piece
    _Atomic int64_t bell;
    double d[2 * ELEMENTS];
    int32_t i[ELEMENTS];
    float z[2 * ELEMENTS];
} sums_t;

static sums_t *sums;
static int rounds;

static void add(cwu_number_t type, const void *scale, void *dest, const void *src, size_t nbytes,
                int pe)
{
    cw_accumulate(&cw_ctx_default, type, scale, dest, src, nbytes, pe);
}

/** n numbers in random pieces, and a second source that changes behind each call. */
static void add_pieces(cwu_number_t type, const void *scale, void *dest, const void *src, size_t n,
                       int pe)
{
    static char copy[2 * ELEMENTS * sizeof(double)];
    size_t size = cwu_number_size(type), done = 0, piece;
    cw_accumulate_t a;
    cw_accumulate_begin(&a, &cw_ctx_default, type, scale, pe, draw(2) ? n * size : 0);
    for (; done < n; done += piece) {
        piece = draw(2) ? 1 + draw(draw(4) ? 40 : 700) : 8 * (1 + draw(90));
        piece = piece < n - done ? piece : n - done;
        memcpy(copy, (const char *)src + done * size, piece * size);
        size_t row = piece % 8 ? piece : piece / 8;
        cw_accumulate_add_rows(&a, (char *)dest + done * size, (ptrdiff_t)(row * size), copy,
                               (ptrdiff_t)(row * size), row * size, piece / row);
        memset(copy, 0x55, piece * size);
    }
    cw_accumulate_end(&a);
}

static void one_round(int round)
{
    static double ones[2 * ELEMENTS];
    static int32_t i[ELEMENTS];
    static float z[2 * ELEMENTS];
    double scale = cw_world.pe + 1;
    int32_t minus = -1;
    float iz[2] = {0, 1};
    for (int k = 0; k < 2 * ELEMENTS; k++) {
        ones[k] = 1 + k % 3;
        z[k] = (float)(k % 2 + 1);  // 1 + 2i; times i: -2 + i
        i[k / 2] = k / 2;
    }
    for (int n = 0; n < cw_world.npes; n++) {
        int pe = (cw_world.pe + n + round) % cw_world.npes;
        add_pieces(CW_DOUBLE, &scale, sums->d, ones, 2 * ELEMENTS, pe);
        add_pieces(CW_INT32, &minus, sums->i, i, ELEMENTS, pe);
        add_pieces(CW_COMPLEX_FLOAT, iz, sums->z, z, ELEMENTS, pe);
    }
}

/** How often a PE adds to the hot elements: as many of one node collide, as the server adds. */
static int turns_of(int pe)
{
    return (cw_world.node_of_pe[pe] == cw_world.node_of_pe[0] ? 10000 : 200) * rounds;
}

static void hot_spot(void)
{
    double hot[HOT], one = 1;
    for (int k = 0; k < HOT; k++)
        hot[k] = k;
    for (int n = turns_of(cw_world.pe); n > 0; n--)
        add(CW_DOUBLE, &one, sums->hot, hot, sizeof hot, 0);
}

static void check_sums(void)
{
    double pes = cw_world.npes, all = pes * (pes + 1) / 2 * rounds, turns = 0;
    int wrong = 0;
    for (int pe = 0; pe < cw_world.npes; pe++)
        turns += turns_of(pe);
    for (int k = 0; k < 2 * ELEMENTS; k++)
        wrong += sums->d[k] != all * (1 + k % 3);
    for (int k = 0; k < ELEMENTS; k++) {
        wrong += sums->i[k] != -cw_world.npes * rounds * k;
        wrong += sums->z[2 * k] != -2.0F * (float)(cw_world.npes * rounds);
        wrong += sums->z[2 * k + 1] != (float)(cw_world.npes * rounds);
    }
    for (int k = 0; k < HOT && cw_world.pe == 0; k++)
        wrong += sums->hot[k] != turns * k;
    CHECK(wrong == 0, "%d wrong sums", wrong);
}

static cw_slot_t *slot_of(int pe)
{
    return &cw_segment.slots[cw_world.slot_of_pe[pe]];
}

/** PE 0 has announced that it sleeps on the bell. Only PEs of its node see that. */
static void await_sleeper(void)
{
    uint64_t at = cw_slice_offset((uint32_t)cw_world.slot_of_pe[0]) +
                  ((uintptr_t)&sums->bell - cw_segment.origin);
    while (cw_world.node == cw_world.node_of_pe[0] && atomic_load(&slot_of(0)->watched) != at)
        usleep(100);
}

/** The second PE changes the word that PE 0 sleeps on. */
static void wake_sleeper(void)
{
    int rung = 0;
    int64_t one = 1;
    bool sees = cw_world.pe == 1 && cw_world.node == cw_world.node_of_pe[0];
    for (int n = 1; n <= BELLS && cw_world.npes > 1; n++) {
        cw_barrier(cw_group_world);
        if (cw_world.pe == 1) {
            await_sleeper();
            uint32_t before = sees ? atomic_load(&slot_of(0)->doorbell) : 0;
            add(CW_INT64, &one, &sums->bell, &one, sizeof one, 0);
            rung += sees && atomic_load(&slot_of(0)->doorbell) != before;
        } else if (cw_world.pe == 0) {
            cw_wait_t w = CW_WAIT_FOR("bell", &sums->bell, sizeof sums->bell);
            while (atomic_load_explicit(&sums->bell, memory_order_acquire) < n)
                cw_wait_round(&w);
            cw_wait_done(&w);
        }
        cw_quiet_default();
    }
    CHECK(rung >= (sees ? BELLS / 2 : 0), "rang %d times of %d", rung, BELLS);
}

/** What quiet promises: a get behind it sees the sum. */
static void quiet_completes(void)
{
    double *mine = &sums->d[cw_world.pe], three = 3, was, is;
    int pe = (cw_world.pe + 1) % cw_world.npes;
    cw_barrier(cw_group_world);
    for (int n = 0; n < rounds; n++) {
        cw_get(&cw_ctx_default, &was, mine, sizeof was, pe);
        add(CW_DOUBLE, &three, mine, &three, sizeof three, pe);
        cw_quiet_default();
        cw_get(&cw_ctx_default, &is, mine, sizeof is, pe);
        CHECK(is == was + 9, "%g after %g", is, was);
    }
}

/** A single accumulate and a quiet take one message once the transport has seen it; the delaying
 *  transport may send others. */
static void one_message(void)
{
    enum { TURNS = 20 };
    double one = 1;
    cwt_stats_t before = {0}, after = {0};
    int pe = cw_world.npes - 1;
    cw_barrier(cw_group_world);
    if (cw_world.pe != 0 || cw_world.node_of_pe[pe] == cw_world.node || cwu_env.delay ||
        !cw_world.plain)
        return;
    for (int n = 0; n < TURNS; n++) {
        if (n == 2)
            cw_port_stats(&before);
        add(CW_DOUBLE, &one, &sums->d[0], &one, sizeof one, pe);
        cw_quiet_default();
    }
    cw_port_stats(&after);
    CHECK(after.requests - before.requests <= TURNS, "%d requests",
          (int)(after.requests - before.requests));
}

int main(int argc, char **argv)
{
    rounds = argc > 1 ? atoi(argv[1]) : 0;
    test_begin(CW_THREAD_SINGLE);
    check_as("PE", cw_world.pe, cw_world.npes);
    random_state += (uint64_t)cw_world.pe * 7919;
    sums = cw_heap_malloc(64, sizeof *sums);
    REQUIRE(sums);
    memset(sums, 0, sizeof *sums);
    cw_barrier(cw_group_world);
    for (int r = 0; r < rounds; r++)
        one_round(r);
    hot_spot();
    cw_quiet_default();
    cw_barrier(cw_group_world);
    check_sums();
    wake_sleeper();
    quiet_completes();
    one_message();
    return test_finish();
}
