// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives on the world and on teams: all types and operations, long ones, several in flight, in
// an order of waiting that would hang if a collective needed its members' attention; teams by color
// and key, repeatedly.
#include <time.h>

#include "ex.h"

static void test_broadcast(gex_TM_t team)
{
    static char src[20000], dst[20000];
    uint32_t rank = gex_TM_QueryRank(team), size = gex_TM_QuerySize(team);
    const size_t lengths[] = {0, 1, 8, 1000, 1024, 1025, 20000};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        for (uint32_t root = 0; root<size; root += size> 2 ? size - 1 : 1) {
            for (size_t i = 0; i < lengths[k]; i++)
                src[i] = (char)(i * 3 + root + k);
            memset(dst, 0x55, sizeof dst);
            gex_Event_Wait(
                gex_Coll_BroadcastNB(team, root, dst, rank == root ? src : NULL, lengths[k], 0));
            CHECK(memcmp(dst, src, lengths[k]) == 0 &&
                  (lengths[k] == sizeof dst || dst[lengths[k]] == 0x55));
        }
}

#define TEST_REDUCE(team, DT, type, count)                                                       \
    do {                                                                                         \
        const gex_OP_t ops[] = {GEX_OP_ADD, GEX_OP_MULT, GEX_OP_MIN, GEX_OP_MAX};                \
        uint32_t rank = gex_TM_QueryRank(team), size = gex_TM_QuerySize(team);                   \
        static type in[count], out[count], want[count];                                          \
        for (int k = 0; k < 4; k++) {                                                            \
            for (int i = 0; i < count; i++) {                                                    \
                in[i] = (type)((rank + (uint32_t)i) % 3 + 1);                                    \
                want[i] = (type)((uint32_t)i % 3 + 1);                                           \
                for (uint32_t r = 1; r < size; r++) {                                            \
                    type v = (type)((r + (uint32_t)i) % 3 + 1), w = want[i];                     \
                    want[i] = k == 0 ? (type)(w + v) : k == 1 ? (type)(w * v)                    \
                        : (k == 2) == (w < v) ? w : v;                                           \
                }                                                                                \
                out[i] = 0;                                                                      \
            }                                                                                    \
            gex_Event_Wait(gex_Coll_ReduceToAllNB(team, out, in, GEX_DT_##DT, sizeof *in, count, \
                                                  ops[k], NULL, NULL, 0));                       \
            CHECK(memcmp(out, want, sizeof out) == 0);                                           \
            memset(out, 0, sizeof out);                                                          \
            gex_Event_Wait(gex_Coll_ReduceToOneNB(team, size - 1, out, in, GEX_DT_##DT,          \
                                                  sizeof *in, count, ops[k], NULL, NULL, 0));    \
            CHECK(rank == size - 1 ? memcmp(out, want, sizeof out) == 0 : out[0] == 0);          \
        }                                                                                        \
    } while (0)

static void test_bits(gex_TM_t team)
{
    uint32_t rank = gex_TM_QueryRank(team), size = gex_TM_QuerySize(team);
    uint64_t in = UINT64_C(1) << rank, out = 0;
    gex_Event_Wait(
        gex_Coll_ReduceToAllNB(team, &out, &in, GEX_DT_U64, 8, 1, GEX_OP_OR, NULL, NULL, 0));
    CHECK(out == (UINT64_C(1) << size) - 1);
    gex_Event_Wait(
        gex_Coll_ReduceToAllNB(team, &out, &in, GEX_DT_U64, 8, 1, GEX_OP_XOR, NULL, NULL, 0));
    CHECK(out == (UINT64_C(1) << size) - 1);
    in = ~in;
    gex_Event_Wait(
        gex_Coll_ReduceToAllNB(team, &out, &in, GEX_DT_U64, 8, 1, GEX_OP_AND, NULL, NULL, 0));
    CHECK(out == ~((UINT64_C(1) << size) - 1));
}

/** Does not commute: out = in * 10 + out in the order of ranks gives the ranks as digits, a
 *  thousand values at a time. */
typedef struct digits {
    uint64_t value, scale;
} digits_t;
static void append(const void *arg1, void *arg2_and_out, size_t count, const void *cdata)
{
    const digits_t *a = arg1;
    digits_t *b = arg2_and_out;
    for (size_t i = 0; i < count; i++) {
        b[i].value += a[i].value * b[i].scale;
        b[i].scale *= a[i].scale;
    }
    ++*(int *)(uintptr_t)cdata;
}

static void test_user(gex_TM_t team)
{
    static digits_t in[300], out[300];
    uint32_t rank = gex_TM_QueryRank(team), size = gex_TM_QuerySize(team);
    uint64_t want = 0;
    int calls = 0;
    for (uint32_t r = 0; r < size; r++)
        want = want * 10 + r + 1;
    for (int i = 0; i < 300; i++)
        in[i] = (digits_t){rank + 1, 10};
    gex_Event_Wait(gex_Coll_ReduceToAllNB(team, out, in, GEX_DT_USER, sizeof *in, 300,
                                          GEX_OP_USER_NC, append, &calls, 0));
    for (int i = 0; i < 300; i++)
        CHECK(out[i].value == want);
}

/** All ranks begin a barrier; then each waits for a message that the previous rank sends when its
 *  own wait is over. */
static uint32_t token_came;
static void take_token(gex_Token_t token)
{
    (void)token;
    token_came++;
}

static void test_no_attention(gex_AM_Index_t handler)
{
    barrier(tm);
    token_came = 0;
    gex_Event_t event = gex_Coll_BarrierNB(tm, 0);
    if (me > 0)
        GASNET_BLOCKUNTIL(token_came == 1);
    else
        gex_Event_Wait(event);
    if (me + 1 < n)
        gex_AM_RequestShort(tm, me + 1, handler, 0);
    if (me > 0)
        gex_Event_Wait(event);
    barrier(tm);
}

/** More collectives in flight than there is room for, waited for in reverse order. */
static void test_many(gex_TM_t team)
{
    enum { MANY = 11 };
    gex_Event_t events[MANY];
    int64_t in[MANY], out[MANY];
    int64_t size = gex_TM_QuerySize(team), rank = gex_TM_QueryRank(team);
    for (int i = 0; i < MANY; i++) {
        in[i] = rank + i;
        out[i] = -1;
        events[i] = i % 3 == 2 ? gex_Coll_BarrierNB(team, 0)
                               : gex_Coll_ReduceToAllNB(team, &out[i], &in[i], GEX_DT_I64, 8, 1,
                                                        GEX_OP_ADD, NULL, NULL, 0);
    }
    for (int i = MANY; i-- > 0;)
        gex_Event_Wait(events[i]);
    for (int i = 0; i < MANY; i++)
        CHECK(out[i] == (i % 3 == 2 ? -1 : size * (size - 1) / 2 + size * i));
}

static int64_t now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

/** The rank that comes last computes then, and delays no other one, whatever it has under way. */
static void test_last_computes(void)
{
    static char bytes[32768];
    const struct timespec moment = {.tv_nsec = 50000000}, computing = {.tv_nsec = 500000000};
    for (uint32_t round = 0; round < 6; round++) {
        uint32_t last = round % n;
        int64_t one = 1, sum = 0, end_ns = INT64_MAX, over_ns, ends_ns = 0, latest_ns = 0;
        barrier(tm);
        if (me == last) {
            nanosleep(&moment, NULL);
            for (uint32_t i = 0; round >= 3 && i < 100 * n; i++)
                if (i % n != me)
                    gex_RMA_PutNBI(tm, i % n, segment_of(i % n), bytes, sizeof bytes,
                                   GEX_EVENT_DEFER, 0);
        }
        gex_Event_Wait(round % 3 == 0   ? gex_Coll_BarrierNB(tm, 0)
                       : round % 3 == 1 ? gex_Coll_BroadcastNB(tm, last, &sum, &one, sizeof sum, 0)
                                        : gex_Coll_ReduceToAllNB(tm, &sum, &one, GEX_DT_I64, 8, 1,
                                                                 GEX_OP_ADD, NULL, NULL, 0));
        over_ns = now_ns();
        CHECK(sum == (round % 3 == 0 ? 0 : round % 3 == 1 ? 1 : n));
        if (me == last) {
            nanosleep(&computing, NULL);
            end_ns = now_ns();
            gex_NBI_Wait(GEX_EC_PUT, 0);
        }
        gex_Event_Wait(gex_Coll_ReduceToAllNB(tm, &ends_ns, &end_ns, GEX_DT_I64, 8, 1, GEX_OP_MIN,
                                              NULL, NULL, 0));
        gex_Event_Wait(gex_Coll_ReduceToAllNB(tm, &latest_ns, &over_ns, GEX_DT_I64, 8, 1,
                                              GEX_OP_MAX, NULL, NULL, 0));
        CHECK(latest_ns < ends_ns, "round %u: a rank waited %ld ms longer", round,
              (long)(latest_ns - ends_ns) / 1000000);
    }
}

static void test_team(gex_TM_t team)
{
    test_broadcast(team);
    TEST_REDUCE(team, I32, int32_t, 700);
    TEST_REDUCE(team, DBL, double, 5);
    test_bits(team);
    test_user(team);
    test_many(team);
}

static void test_splits(void)
{
    for (int round = 0; round < 3; round++) {
        gex_TM_t odd = GEX_TM_INVALID, back = GEX_TM_INVALID, most = GEX_TM_INVALID;
        size_t scratch_nbytes =
            gex_TM_Split(&odd, tm, 0, 0, NULL, 0, GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED);
        CHECK(scratch_nbytes > 0 && scratch_nbytes <= 65536 && odd == GEX_TM_INVALID);
        CHECK(gex_TM_Split(NULL, tm, 0, 0, NULL, 0, GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED) == 0);
        gex_TM_Split(&odd, tm, (int)me % 2, 0, gex_Segment_QueryAddr(segment), scratch_nbytes, 0);
        gex_TM_Split(&back, tm, 5, -(int)me, NULL, 0, 0);
        gex_TM_Split(me == 0 ? NULL : &most, tm, 1, 0, NULL, 0, 0);
        CHECK(gex_TM_QueryRank(odd) == me / 2 && gex_TM_QuerySize(odd) == (n + 1 - me % 2) / 2);
        CHECK(gex_TM_TranslateRankToJobrank(odd, gex_TM_QueryRank(odd)) == me);
        CHECK(gex_TM_QueryRank(back) == n - 1 - me &&
              gex_TM_TranslateJobrankToRank(back, 0) == n - 1);
        CHECK((most == GEX_TM_INVALID) == (me == 0));
        if (most) {
            CHECK(gex_TM_QueryRank(most) == me - 1 &&
                  gex_TM_TranslateJobrankToRank(most, 0) == GEX_RANK_INVALID);
            test_many(most);
        }
        test_team(odd);
        test_many(back);
        uint32_t peer = (gex_TM_QueryRank(odd) + 1) % gex_TM_QuerySize(odd),
                 job = gex_TM_TranslateRankToJobrank(odd, peer);
        barrier(odd);
        gex_RMA_PutBlockingVal(odd, peer, segment_of(job) + 64, me + 10u * (uint32_t)round, 4, 0);
        barrier(odd);
        uint32_t before =
            (gex_TM_QueryRank(odd) + gex_TM_QuerySize(odd) - 1) % gex_TM_QuerySize(odd);
        CHECK(*(uint32_t *)(void *)(segment_of(me) + 64) ==
              gex_TM_TranslateRankToJobrank(odd, before) + 10u * (uint32_t)round);
        gex_TM_t inner = GEX_TM_INVALID;
        gex_TM_Split(&inner, back, (int)me / 2, (int)me, NULL, 0, 0);
        CHECK(gex_TM_QuerySize(inner) == (me / 2 * 2 + 1 < n ? 2u : 1u));
        test_many(inner);
        gex_Memvec_t scratch = {&scratch, 1};
        CHECK(gex_TM_Destroy(inner, &scratch, 0) == 0 && scratch.gex_addr == &scratch);
        CHECK(gex_TM_Destroy(odd, &scratch, 0) != 0 && scratch.gex_len == scratch_nbytes);
        CHECK(scratch.gex_addr == gex_Segment_QueryAddr(segment));
        if (most)
            gex_TM_Destroy(most, NULL, 0);
        gex_TM_Destroy(back, NULL, GEX_FLAG_GLOBALLY_QUIESCED);
    }
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 65536);
    gex_AM_Entry_t entry = {0, take_token, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST,
                            0, NULL,       "take_token"};
    CHECK(gex_EP_RegisterHandlers(ep, &entry, 1) == GASNET_OK);
    test_team(tm);
    TEST_REDUCE(tm, U32, uint32_t, 3);
    TEST_REDUCE(tm, I64, int64_t, 300);
    TEST_REDUCE(tm, U64, uint64_t, 3);
    TEST_REDUCE(tm, FLT, float, 3);
    for (int i = 0; i < 20; i++)
        test_no_attention(entry.gex_index);
    test_last_computes();
    test_splits();
    for (int i = 0; i < 200; i++)
        barrier(tm);
    end();
    return 1;
}
