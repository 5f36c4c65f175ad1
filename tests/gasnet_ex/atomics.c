// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics domains: every operation of every type, values and results; then all ranks on one word.
// In the attached segment; in memory of the client, which is the first endpoint's segment
// (-DBOUND); in static memory (GASNET_SEGMENT_EVERYTHING).
#include "ex.h"

__attribute__((unused)) static uint64_t words[512];
static uintptr_t places[16];

/** Where each rank has its words. */
static void share_places(void)
{
#ifdef BOUND
    gex_Segment_t bound;
    CHECK(gex_Segment_Create(&bound, client, words, sizeof words, GEX_MK_HOST, 0) == GASNET_OK);
    CHECK(gex_EP_BindSegment(ep, bound, 0) == GASNET_OK);
    CHECK(gex_EP_PublishBoundSegment(tm, &ep, 1, 0) == GASNET_OK);
    CHECK(gex_EP_QuerySegment(ep) == bound && segment_of(me) == (char *)words);
#endif
    for (uint32_t rank = 0; rank < n; rank++) {
#ifdef GASNET_SEGMENT_EVERYTHING
        uintptr_t mine = (uintptr_t)words;
#else
        uintptr_t mine = (uintptr_t)segment_of(me);
#endif
        gex_Event_Wait(gex_Coll_BroadcastNB(tm, rank, &places[rank], &mine, sizeof mine, 0));
    }
}

#define ALL_OPS                                                                                \
    (GEX_OP_ADD | GEX_OP_SUB | GEX_OP_MULT | GEX_OP_MIN | GEX_OP_MAX | GEX_OP_INC | GEX_OP_DEC \
     | GEX_OP_SET | GEX_OP_CAS)
#define BIT_OPS (GEX_OP_AND | GEX_OP_OR | GEX_OP_XOR)
#define WITH_FETCHING(ops) ((ops) | GEX_OP_TO_FETCHING(ops) | GEX_OP_GET)

// Each rank works on a word of its own in the segment of the next one.
#define TEST_TYPE(DT, type, bits)                                                                \
    static void test_##DT(uint32_t to)                                                           \
    {                                                                                            \
        const struct {                                                                           \
            gex_OP_t op;                                                                         \
            type operand, expected; /* from 6 */                                                 \
        } plain[] = {{GEX_OP_ADD, 5, 11}, {GEX_OP_SUB, 4, 2},  {GEX_OP_MULT, 3, 18},             \
                     {GEX_OP_MIN, 2, 2}, {GEX_OP_MIN, 9, 6},                                     \
                     {GEX_OP_MAX, 9, 9},  {GEX_OP_MAX, 2, 6},  {GEX_OP_INC, 0, 7},               \
                           {GEX_OP_DEC, 0, 5}, {GEX_OP_SET, 3, 3},                               \
                     {GEX_OP_AND, 3, 2},  {GEX_OP_OR, 9, 15},  {GEX_OP_XOR, 3, 5}};              \
        const gex_OP_t ops = WITH_FETCHING(ALL_OPS | (bits ? BIT_OPS : 0));                      \
        gex_AD_t ad;                                                                             \
        gex_AD_Create(&ad, tm, GEX_DT_##DT, ops, 0);                                             \
        CHECK(gex_AD_QueryDT(ad) == GEX_DT_##DT && gex_AD_QueryOps(ad) == ops                    \
              && gex_AD_QueryTM(ad) == tm);                                                      \
        gex_AD_SetCData(ad, &ad);                                                                \
        CHECK(gex_AD_QueryCData(ad) == &ad && gex_AD_QueryFlags(ad) == 0);                       \
        void *word = (char *)places[to] + 8 * (1 + me);                                            \
        for (size_t k = 0; k < sizeof plain / sizeof *plain - (bits ? 0 : 3); k++)               \
            for (int how = 0; how < 4; how++) {                                                  \
                type old = 77, now = 77;                                                         \
                gex_Event_Wait(gex_AD_OpNB_##DT(ad, NULL, to, word, GEX_OP_SET, 6, 0, 0));       \
                gex_OP_t op = how < 2 ? plain[k].op : GEX_OP_TO_FETCHING(plain[k].op);           \
                gex_Flags_t flags = how % 2 ? GEX_FLAG_AD_ACQ | GEX_FLAG_AD_REL : 0;             \
                if (how % 2 == 0)                                                                \
                    gex_AD_OpNBI_##DT(ad, &old, to, word, op, plain[k].operand, 0, flags);       \
                else                                                                             \
                    gex_Event_Wait(gex_AD_OpNB_##DT(ad, &old, to, word, op, plain[k].operand, 0, \
                                                    flags));                                     \
                gex_NBI_Wait(GEX_EC_RMW, 0);                                                     \
                gex_Event_Wait(gex_AD_OpNB_##DT(ad, &now, to, word, GEX_OP_GET, 0, 0, 0));       \
                CHECK(now == plain[k].expected && old == (how < 2 ? 77 : 6),                     \
                      "%s operation %#x, way %d", #DT, plain[k].op, how);                        \
            }                                                                                    \
        type old = 0, now = 0;                                                                   \
        gex_Event_Wait(gex_AD_OpNB_##DT(ad, NULL, to, word, GEX_OP_SET, 6, 0, 0));               \
        gex_Event_Wait(gex_AD_OpNB_##DT(ad, &old, to, word, GEX_OP_FCAS, 5, 8, 0));              \
        CHECK(old == 6);                                                                         \
        gex_Event_Wait(gex_AD_OpNB_##DT(ad, &old, to, word, GEX_OP_FCAS, 6, 8, 0));              \
        CHECK(old == 6);                                                                         \
        gex_AD_OpNBI_##DT(ad, NULL, to, word, GEX_OP_CAS, 8, 9, 0);                              \
        gex_NBI_Wait(GEX_EC_RMW, 0);                                                             \
        gex_Event_Wait(gex_AD_OpNB_##DT(ad, &now, to, word, GEX_OP_SWAP, 4, 0, 0));              \
        CHECK(now == 9);                                                                         \
        gex_AD_Destroy(ad);                                                                      \
        /* all on one word of rank 0 */                                                          \
        word = (char *)places[0] + 8 * (2 + n);                                                   \
        gex_AD_Create(&ad, tm, GEX_DT_##DT, WITH_FETCHING(ALL_OPS), GEX_FLAG_AD_FAVOR_REMOTE);   \
        void *highest = (char *)word + 8;                                                        \
        if (me == 0) {                                                                           \
            gex_Event_Wait(gex_AD_OpNB_##DT(ad, NULL, 0, word, GEX_OP_SET, 0, 0, 0));            \
            gex_Event_Wait(gex_AD_OpNB_##DT(ad, NULL, 0, highest, GEX_OP_SET, 0, 0, 0));         \
        }                                                                                        \
        barrier(tm);                                                                             \
        for (int i = 0; i < 100; i++) {                                                          \
            gex_AD_OpNBI_##DT(ad, NULL, 0, word, GEX_OP_ADD, 2, 0, 0);                           \
            gex_Event_Wait(gex_AD_OpNB_##DT(ad, &old, 0, word, GEX_OP_FDEC, 0, 0,                \
                                            GEX_FLAG_RANK_IS_JOBRANK));                          \
            type mine = (type)((uint32_t)i * n + me);                                            \
            gex_AD_OpNBI_##DT(ad, &old, 0, highest, GEX_OP_FMAX, mine, 0, 0);                    \
            gex_NBI_Wait(GEX_EC_RMW, 0);                                                         \
            gex_Event_Wait(gex_AD_OpNB_##DT(ad, &now, 0, highest, GEX_OP_GET, 0, 0, 0));         \
            CHECK(now >= mine && now >= old);                                                    \
        }                                                                                        \
        gex_NBI_Wait(GEX_EC_ALL, 0);                                                             \
        barrier(tm);                                                                             \
        gex_Event_Wait(gex_AD_OpNB_##DT(ad, &now, 0, word, GEX_OP_GET, 0, 0, 0));                \
        CHECK(now == (type)(100 * n));                                                           \
        gex_Event_Wait(gex_AD_OpNB_##DT(ad, &now, 0, highest, GEX_OP_GET, 0, 0, 0));             \
        CHECK(now == (type)(100 * n - 1));                                                       \
        gex_AD_Destroy(ad);                                                                      \
    }

TEST_TYPE(I32, int32_t, 1)
TEST_TYPE(U32, uint32_t, 1)
TEST_TYPE(I64, int64_t, 1)
TEST_TYPE(U64, uint64_t, 1)
TEST_TYPE(FLT, float, 0)
TEST_TYPE(DBL, double, 0)

int main(int argc, char **argv)
{
#if defined(BOUND) || defined(GASNET_SEGMENT_EVERYTHING)
    begin(&argc, &argv, 0);
#else
    begin(&argc, &argv, 65536);
#endif
    share_places();
    uint32_t to = (me + 1) % n;
    test_I32(to);
    test_U32(to);
    test_I64(to);
    test_U64(to);
    test_FLT(to);
    test_DBL(to);
    end();
    return 1;
}
