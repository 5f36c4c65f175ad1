// SPDX-License-Identifier: BSD-3-Clause
//
// In the manner of Caffeine, a runtime of Fortran's coarrays: images are ranks of GASNet-EX, the
// client starts without arguments, one segment of one size is cut into a symmetric heap and a heap
// of its own, remote addresses are base addresses of segments and offsets, events and atomics are
// two domains, teams are split without scratch, and the end is gasnet_exit from wherever it is.
#include <gasnetex.h>
#include <gasnet_coll.h>
#include <gasnet_ratomic.h>
#include <gasnet_vis.h>

#include <gasnet_portable_platform.h>
#include <gasnet_tools.h>

#include "runtime.h"

static gex_Client_t client;
static gex_EP_t ep;
static gex_TM_t world;
static gex_Segment_t segment;
static gex_Rank_t me, n;
static gex_AD_t events = GEX_AD_INVALID, atomics = GEX_AD_INVALID;
static gasnett_mutex_t heap_lock = GASNETT_MUTEX_INITIALIZER;
static char *own_heap;

#define PAGES(nbytes) (((nbytes) + GASNET_PAGESIZE - 1) & ~(uintptr_t)(GASNET_PAGESIZE - 1))

static void start(void)
{
    SAFE(gex_Client_Init(&client, &ep, &world, "images", NULL, NULL, 0));
    me = gex_TM_QueryRank(world);
    n = gex_TM_QuerySize(world);
    uintptr_t most = gasnet_getMaxGlobalSegmentSize(), usual = (uintptr_t)4 << 20;
    uintptr_t nbytes = (uintptr_t)gasnett_getenv_int_withdefault(
        "IMAGES_HEAP_SIZE", (int64_t)(most < usual ? most : usual), 1024 * 1024);
    nbytes = PAGES(nbytes) < most ? PAGES(nbytes) : most;
    SAFE(gex_Segment_Attach(&segment, world, nbytes));
    EXPECT(gex_Segment_QuerySize(segment) == nbytes);
    double fraction = gasnett_getenv_dbl_withdefault("IMAGES_OWN_FRACTION", 0.1);
    own_heap = (char *)gex_Segment_QueryAddr(segment) + nbytes -
               PAGES((uintptr_t)((double)nbytes * fraction));
    gex_AD_Create(&atomics, world, GEX_DT_I64,
                  GEX_OP_GET | GEX_OP_SET | GEX_OP_ADD | GEX_OP_FADD | GEX_OP_AND | GEX_OP_FAND |
                      GEX_OP_OR | GEX_OP_FOR | GEX_OP_XOR | GEX_OP_FXOR | GEX_OP_FCAS,
                  0);
    gex_AD_Create(&events, world, GEX_DT_I64, GEX_OP_GET | GEX_OP_INC | GEX_OP_FSUB,
                  GEX_FLAG_AD_FAVOR_MY_RANK);
}

/** The same place in the segment of an image, which counts from 1. */
static void *on_image(const void *mine, int image)
{
    void *base = NULL;
    ptrdiff_t offset = (const char *)mine - (const char *)gex_Segment_QueryAddr(segment);
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, (gex_Rank_t)image - 1, &base, NULL, NULL, 0));
    return (char *)base + offset;
}

static void sync_team(gex_TM_t team)
{
    gex_NBI_Wait(GEX_EC_RMW, 0);
    gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
}

static int64_t atomic(gex_OP_t op, int image, void *mine, int64_t a, int64_t b)
{
    int64_t result = -1;
    gex_Event_Wait(gex_AD_OpNB_I64(atomics, &result, (gex_Rank_t)image - 1, on_image(mine, image),
                                   op, a, b, GEX_FLAG_RANK_IS_JOBRANK));
    return result;
}

static void post(int image, void *mine)
{
    gex_AD_OpNBI_I64(events, NULL, (gex_Rank_t)image - 1, on_image(mine, image), GEX_OP_INC, 0, 0,
                     GEX_FLAG_AD_REL);
}

static void wait_event(void *mine, int64_t threshold)
{
    int64_t count = 0;
    gasnett_local_wmb();
    for (;;) {
        gex_Event_Wait(gex_AD_OpNB_I64(events, &count, me, mine, GEX_OP_GET, 0, 0, 0));
        if (count >= threshold)
            break;
        gasnet_AMPoll();
    }
    gex_Event_Wait(
        gex_AD_OpNB_I64(events, &count, me, mine, GEX_OP_FSUB, threshold, 0, GEX_FLAG_AD_ACQ));
    EXPECT(count >= threshold);
}

static void add(const void *in, void *inout, size_t count, const void *cdata)
{
    const int64_t *left = in;
    int64_t *right = inout;
    EXPECT(cdata == &client);
    for (size_t i = 0; i < count; i++)
        right[i] = left[i] * 2 + right[i];
}

static void test_coarrays(char *heap)
{
    enum { NBYTES = 20000 };
    int to = (int)((me + 1) % n) + 1;
    unsigned from = (me + n - 1) % n;
    char *block = heap + 4096, *mine = malloc(NBYTES);
    fill(mine, me, 1, NBYTES);
    gex_RMA_PutBlocking(world, (gex_Rank_t)to - 1, on_image(block, to), mine, NBYTES, 0);
    sync_team(world);
    EXPECT(is_filled(block, from, 1, NBYTES));
    memset(mine, 0, NBYTES);
    gex_RMA_GetBlocking(world, mine, (gex_Rank_t)to - 1, on_image(block, to), NBYTES, 0);
    EXPECT(is_filled(mine, me, 1, NBYTES));
    sync_team(world);
    // a section: 6 rows of 5 elements of 8 bytes, of rows of 16 there and of 7 here
    int64_t matrix[6][7], back[6][7] = {{0}}, *far = (int64_t *)(void *)block;
    ptrdiff_t there[] = {8, 8 * 16}, here[] = {8, 8 * 7};
    size_t extent[] = {5, 6};
    for (int i = 0; i < 6 * 7; i++)
        matrix[i / 7][i % 7] = (int64_t)me * 1000 + i;
    gex_VIS_StridedPutBlocking(world, (gex_Rank_t)to - 1, on_image(far, to), there, matrix, here, 8,
                               extent, 2, 0);
    sync_team(world);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 5; k++)
            EXPECT(far[i * 16 + k] == (int64_t)from * 1000 + i * 7 + k);
    gex_VIS_StridedGetBlocking(world, back, here, (gex_Rank_t)to - 1, on_image(far, to), there, 8,
                               extent, 2, 0);
    for (int i = 0; i < 6; i++)
        EXPECT(memcmp(back[i], matrix[i], 5 * 8) == 0);
    sync_team(world);
    free(mine);
}

static void test_events_and_atomics(int64_t *words)
{
    int to = (int)((me + 1) % n) + 1;
    for (int round = 1; round <= 20; round++) {
        post(to, &words[0]);
        gex_NBI_Wait(GEX_EC_RMW, 0);
        wait_event(&words[0], 1);
    }
    post(1, &words[1]);
    sync_team(world);
    if (me == 0)
        wait_event(&words[1], n);
    EXPECT(atomic(GEX_OP_FADD, 1, &words[2], (int64_t)me + 1, 0) >= 0);
    atomic(GEX_OP_OR, 1, &words[3], (int64_t)1 << me, 0);
    int64_t before = atomic(GEX_OP_FCAS, 1, &words[4], 0, (int64_t)me + 1);
    EXPECT(before >= 0 && before <= (int64_t)n);
    sync_team(world);
    EXPECT(atomic(GEX_OP_GET, 1, &words[2], 0, 0) == (int64_t)n * (n + 1) / 2);
    EXPECT(atomic(GEX_OP_GET, 1, &words[3], 0, 0) == ((int64_t)1 << n) - 1);
    EXPECT(atomic(GEX_OP_GET, 1, &words[4], 0, 0) > 0);
    sync_team(world);
}

static void test_teams(void)
{
    gex_TM_t team;
    int64_t sum[3] = {me, 1, 2}, ordered[2] = {(int64_t)me + 1, 1}, all[2] = {0};
    gex_TM_Split(&team, world, (int)(me % 2), (int)(n - me), NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
    gex_Rank_t size = (n + 1 - me % 2) / 2;
    EXPECT(gex_TM_QuerySize(team) == size);
    EXPECT(gex_TM_TranslateRankToJobrank(team, gex_TM_QueryRank(team)) == me);
    gex_Event_Wait(
        gex_Coll_ReduceToAllNB(team, sum, sum, GEX_DT_I64, 8, 3, GEX_OP_ADD, NULL, NULL, 0));
    EXPECT(sum[1] == size && sum[2] == 2 * (int64_t)size);
    gex_Event_Wait(gex_Coll_ReduceToOneNB(world, 0, me == 0 ? all : NULL, ordered, GEX_DT_USER, 8,
                                          2, GEX_OP_USER, add, &client, 0));
    int64_t expected = n;
    for (int64_t r = (int64_t)n - 2; r >= 0; r--)
        expected = (r + 1) * 2 + expected;
    EXPECT(me != 0 || all[0] == expected);
    int64_t word = (int64_t)me + 7;
    gex_Event_Wait(gex_Coll_BroadcastNB(team, 0, &word, &word, sizeof word, 0));
    EXPECT(word == (int64_t)gex_TM_TranslateRankToJobrank(team, 0) + 7);
    sync_team(team);
    gex_TM_Destroy(team, NULL, 0);
}

int main(void)
{
    start();
    char *heap = gex_Segment_QueryAddr(segment);
    gasnett_mutex_lock(&heap_lock);
    memset(heap, 0, 4096);
    memset(own_heap, 1, 64);
    gasnett_mutex_unlock(&heap_lock);
    sync_team(world);
    test_coarrays(heap);
    test_events_and_atomics((int64_t *)(void *)heap);
    test_teams();
    sync_team(world);
    int status = report("caffeine", me);
    gasnett_flush_streams();
    gasnet_exit(status);
    return 1;
}
