// SPDX-License-Identifier: BSD-3-Clause
//
// Local completion of vectors (GEX_FLAG_ENABLE_LEAF_LC): once it is said, the source may change.
#include "ex.h"

enum { PARTS = 4, PART = 2 << 20, ROUNDS = 4 };

static char *here, *there, *source;
static gex_Memvec_t from[PARTS], to[PARTS];
static void *from_at[PARTS], *to_at[PARTS];

static char value(uint32_t rank, int round, size_t i)
{
    return (char)(i * 7 + (size_t)round * 3 + rank);
}

static void wait_leaf(gex_Event_t root)
{
    gex_Event_Wait(gex_Event_QueryLeaf(root, GEX_EC_LC));
}

/** Puts, and returns when the source may change; the event of the whole, if there is one. */
static gex_Event_t put(int way, uint32_t next)
{
    static const ptrdiff_t stride[] = {PART};
    static const size_t count[] = {PARTS};
    const gex_Flags_t flags = GEX_FLAG_ENABLE_LEAF_LC;
    gex_Event_t event = GEX_EVENT_INVALID;
    switch (way) {
    case 0:
        gex_VIS_VectorPutNBI(tm, next, PARTS, to, PARTS, from, flags);
        gex_NBI_Wait(GEX_EC_LC, 0);
        break;
    case 1:
        gex_VIS_IndexedPutNBI(tm, next, PARTS, to_at, PART, PARTS, from_at, PART, flags);
        while (gex_NBI_Test(GEX_EC_LC, 0) != GASNET_OK)
            ;
        break;
    case 2:
        gex_VIS_StridedPutNBI(tm, next, there, stride, source, stride, PART, count, 1, flags);
        gex_NBI_Wait(GEX_EC_LC, 0);
        break;
    case 3:
        event = gex_VIS_VectorPutNB(tm, next, PARTS, to, PARTS, from, flags);
        wait_leaf(event);
        break;
    default:
        gex_NBI_BeginAccessRegion(0);
        gex_VIS_VectorPutNBI(tm, next, PARTS, to, PARTS, from, flags);
        event = gex_NBI_EndAccessRegion(0);
        wait_leaf(event);
    }
    return event;
}

static void check(int way, int round)
{
    uint32_t before = (me + n - 1) % n;
    size_t i = 0;
    while (i < (size_t)PARTS * PART && here[i] == value(before, round, i))
        i++;
    CHECK(i == (size_t)PARTS * PART, "way %d, round %d: byte %zu is %02x", way, round, i,
          (unsigned char)here[i]);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, (uintptr_t)PARTS * PART);
    uint32_t next = (me + 1) % n;
    here = segment_of(me);
    there = segment_of(next);
    source = malloc((size_t)PARTS * PART);
    for (size_t i = 0; i < PARTS; i++) {
        from[i] = (gex_Memvec_t){from_at[i] = source + i * PART, PART};
        to[i] = (gex_Memvec_t){to_at[i] = there + i * PART, PART};
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int way = 0; way < 5; way++) {
            for (size_t i = 0; i < (size_t)PARTS * PART; i++)
                source[i] = value(me, round, i);
            gex_Event_t event = put(way, next);
            memset(source, 0xee, (size_t)PARTS * PART);
            gex_Event_Wait(event);
            gex_NBI_Wait(GEX_EC_ALL, 0);
            barrier(tm);
            check(way, round);
            barrier(tm);
        }
    }
    free(source);
    end();
    return 1;
}
