// SPDX-License-Identifier: BSD-3-Clause
//
// Implicit operations are complete when a test says so: rank 0 sends them to rank 2 and tests, then
// rank 1, which has a connection of its own, must see them there.
#include <stdbool.h>

#include "ex.h"

enum { ROUNDS = 300, WORDS = 8 };

static gex_AD_t ad;
static uint64_t *words;         // in rank 2
static uint64_t *turn_of[2];    // in ranks 0 and 1
static volatile uint64_t *turn;  // in this rank
static uint64_t model[WORDS];

static void await(uint64_t round)
{
    GASNET_BLOCKUNTIL(*turn == round);
}

static void pass(gex_Rank_t to, uint64_t round)
{
    gex_RMA_PutBlockingVal(tm, to, turn_of[to], round, sizeof round, 0);
}

/** The operation number `kind` on its word. */
static void issue(int kind, uint64_t value)
{
    uint64_t *word = &words[kind];
    switch (kind) {
    case 0:
        gex_AD_OpNBI_U64(ad, NULL, 2, word, GEX_OP_ADD, 3, 0, 0);
        break;
    case 1:
        gex_AD_OpNBI_U64(ad, NULL, 2, word, GEX_OP_SET, value, 0, 0);
        break;
    case 2:
        gex_AD_OpNBI_U64(ad, NULL, 2, word, GEX_OP_XOR, value, 0, 0);
        break;
    case 3:
        gex_AD_OpNBI_U64(ad, NULL, 2, word, GEX_OP_MAX, value, 0, 0);
        break;
    case 4:
        gex_RMA_PutNBIVal(tm, 2, word, value, sizeof value, 0);
        break;
    case 5:
        gex_RMA_PutNBI(tm, 2, word, &value, sizeof value, GEX_EVENT_NOW, 0);
        break;
    case 6:
        gasnet_put_nbi_val(2, word, value, sizeof value);
        break;
    default:
        gasnet_put_nbi(2, word, &value, sizeof value);
    }
}

static void apply(int kind, uint64_t value)
{
    model[kind] = kind == 0 ? model[0] + 3 : kind == 2 ? model[2] ^ value : value;
}

/** As rank 0 does it and rank 1 expects it: one operation, or all; a region, or none. */
static void send(uint64_t round)
{
    int only = round % 3 ? (int)(round / 3 % WORDS) : -1;
    bool region = me == 0 && round % 2;
    if (region)
        gex_NBI_BeginAccessRegion(0);
    for (int kind = 0; kind < WORDS; kind++) {
        if (only >= 0 && kind != only)
            continue;
        if (me == 0)
            issue(kind, round);
        apply(kind, round);
    }
    if (region) {
        gex_Event_t event = gex_NBI_EndAccessRegion(0);
        while (gex_Event_Test(event) != GASNET_OK)
            ;
    } else if (me == 0) {
        while (gex_NBI_Test(GEX_EC_PUT | GEX_EC_RMW, 0) != GASNET_OK)
            ;
    }
}

static void look(uint64_t round)
{
    uint64_t seen[WORDS];
    gex_RMA_GetBlocking(tm, seen, 2, words, sizeof seen, 0);
    for (int kind = 0; kind < WORDS; kind++)
        CHECK(seen[kind] == model[kind], "round %lu, operation %d: %lu is there, not %lu",
              (unsigned long)round, kind, (unsigned long)seen[kind], (unsigned long)model[kind]);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 65536);
    words = (uint64_t *)(void *)segment_of(2);
    turn_of[0] = (uint64_t *)(void *)segment_of(0);
    turn_of[1] = (uint64_t *)(void *)segment_of(1);
    turn = (volatile uint64_t *)(void *)segment_of(me);
    gex_AD_Create(&ad, tm, GEX_DT_U64, GEX_OP_ADD | GEX_OP_SET | GEX_OP_XOR | GEX_OP_MAX, 0);
    barrier(tm);
    for (uint64_t round = 1; round <= ROUNDS && me < 2; round++) {
        if (me == 1)
            await(round);
        send(round);
        if (me == 1)
            look(round);
        pass(1 - me, round);
        if (me == 0)
            await(round);
    }
    barrier(tm);
    gex_AD_Destroy(ad);
    end();
    return 1;
}
