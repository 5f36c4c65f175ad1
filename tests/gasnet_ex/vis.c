// SPDX-License-Identifier: BSD-3-Clause
//
// Vector, indexed and strided transfers in each way of completion: lists of different shapes pair
// off in order; strides run backwards and transpose; empty ones do nothing; peer completion runs
// after the data is there.
#include "ex.h"

enum { NB = 0, NBI, BLOCKING, WAYS, CELLS = 4096 };

// Each rank's segment: [0, CELLS) words are written by the previous rank, [CELLS, 2 CELLS) are read
// by it.
static uint32_t to, from;
static uint32_t *here, *there;

static void clear(void)
{
    barrier(tm);
    memset(here, 0xff, CELLS * sizeof *here);
    for (uint32_t i = 0; i < CELLS; i++)
        here[CELLS + i] = me << 16 | i;
    barrier(tm);
}

static void complete(int way, gex_Event_t event)
{
    if (way == NB) {
        gex_Event_Wait(gex_Event_QueryLeaf(event, GEX_EC_LC));
        gex_Event_Wait(event);
    } else if (way == NBI) {
        gex_NBI_Wait(GEX_EC_PUT | GEX_EC_GET, 0);
    }
}

// ---------------------------------------------------------------- lists
static uint32_t mine[CELLS];

static void test_vector(int way)
{
    // 3 + 0 + 5 + 2 words there, 4 + 6 here.
    gex_Memvec_t far[] = {{there + 10, 12}, {there, 0}, {there + 20, 20}, {there + 40, 8}};
    gex_Memvec_t near[] = {{mine + 100, 16}, {mine + 200, 24}};
    const uint32_t at[] = {10, 11, 12, 20, 21, 22, 23, 24, 40, 41};
    gex_Event_t event = GEX_EVENT_INVALID;
    clear();
    if (way == NB)
        event = gex_VIS_VectorPutNB(tm, to, 4, far, 2, near, GEX_FLAG_ENABLE_LEAF_LC);
    else if (way == NBI)
        CHECK(gex_VIS_VectorPutNBI(tm, to, 4, far, 2, near, 0) == 0);
    else
        CHECK(gex_VIS_VectorPutBlocking(tm, to, 4, far, 2, near, 0) == 0);
    complete(way, event);
    barrier(tm);
    for (uint32_t i = 0, next = 0; i < CELLS; i++) {
        if (next < 10 && at[next] == i) {
            CHECK(here[i] == (from << 20 | (next < 4 ? 100 + next : 196 + next)));
            next++;
        } else {
            CHECK(here[i] == UINT32_MAX);
        }
    }
    uint32_t got[10];
    gex_Memvec_t back = {got, sizeof got};
    for (int i = 0; i < 4; i++)
        far[i].gex_addr = (uint32_t *)far[i].gex_addr + CELLS;
    event = GEX_EVENT_INVALID;
    if (way == NB)
        event = gex_VIS_VectorGetNB(tm, 1, &back, to, 4, far, 0);
    else if (way == NBI)
        CHECK(gex_VIS_VectorGetNBI(tm, 1, &back, to, 4, far, 0) == 0);
    else
        CHECK(gex_VIS_VectorGetBlocking(tm, 1, &back, to, 4, far, 0) == 0);
    complete(way, event);
    for (int i = 0; i < 10; i++)
        CHECK(got[i] == (to << 16 | at[i]));
}

static void test_indexed(int way)
{
    // 6 pieces of 2 words there, 4 of 3 here.
    const uint32_t at[] = {7, 3, 30, 50, 41, 9};
    void *far[6], *near[] = {mine + 3, mine + 60, mine + 33, mine};
    gex_Event_t event = GEX_EVENT_INVALID;
    clear();
    for (int i = 0; i < 6; i++)
        far[i] = there + at[i];
    if (way == NB)
        event = gex_VIS_IndexedPutNB(tm, to, 6, far, 8, 4, near, 12, 0);
    else if (way == NBI)
        CHECK(gex_VIS_IndexedPutNBI(tm, to, 6, far, 8, 4, near, 12, GEX_FLAG_ENABLE_LEAF_LC) == 0);
    else
        CHECK(gex_VIS_IndexedPutBlocking(tm, to, 6, far, 8, 4, near, 12, 0) == 0);
    complete(way, event);
    barrier(tm);
    const uint32_t sent[] = {3, 4, 5, 60, 61, 62, 33, 34, 35, 0, 1, 2};
    for (int i = 0; i < 12; i++)
        CHECK(here[at[i / 2] + (unsigned)i % 2] == (from << 20 | sent[i]));
    uint32_t got[12];
    void *back[] = {got, got + 4, got + 8};
    for (int i = 0; i < 6; i++)
        far[i] = there + CELLS + at[i];
    event = GEX_EVENT_INVALID;
    if (way == NB)
        event = gex_VIS_IndexedGetNB(tm, 3, back, 16, to, 6, far, 8, 0);
    else if (way == NBI)
        CHECK(gex_VIS_IndexedGetNBI(tm, 3, back, 16, to, 6, far, 8, 0) == 0);
    else
        CHECK(gex_VIS_IndexedGetBlocking(tm, 3, back, 16, to, 6, far, 8, 0) == 0);
    complete(way, event);
    for (int i = 0; i < 12; i++)
        CHECK(got[i] == (to << 16 | (at[i / 2] + (unsigned)i % 2)));
}

/** 5 rows of 6 elements of 2 words: transposed at the target, and rows upside down. */
static void test_strided(int way)
{
    enum { COLS = 6, ROWS = 5, WORDS = 2 };
    const size_t count[] = {COLS, ROWS};
    const ptrdiff_t near[] = {4 * WORDS, 4 * WORDS * COLS}, far[] = {4 * WORDS * ROWS, -4 * WORDS};
    uint32_t *last_row = there + WORDS * (ROWS - 1);
    gex_Event_t event = GEX_EVENT_INVALID;
    clear();
    if (way == NB)
        event = gex_VIS_StridedPutNB(tm, to, last_row, far, mine, near, 4 * WORDS, count, 2, 0);
    else if (way == NBI)
        CHECK(gex_VIS_StridedPutNBI(tm, to, last_row, far, mine, near, 4 * WORDS, count, 2, 0) ==
              0);
    else
        CHECK(gex_VIS_StridedPutBlocking(tm, to, last_row, far, mine, near, 4 * WORDS, count, 2,
                                         0) == 0);
    complete(way, event);
    barrier(tm);
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t col = 0; col < COLS; col++)
            for (uint32_t w = 0; w < WORDS; w++)
                CHECK(here[WORDS * (col * ROWS + ROWS - 1 - row) + w] ==
                      (from << 20 | (WORDS * (row * COLS + col) + w)));
    CHECK(here[WORDS * ROWS * COLS] == UINT32_MAX);
    uint32_t got[WORDS * COLS * ROWS];
    event = GEX_EVENT_INVALID;
    if (way == NB)
        event =
            gex_VIS_StridedGetNB(tm, got, near, to, last_row + CELLS, far, 4 * WORDS, count, 2, 0);
    else if (way == NBI)
        CHECK(gex_VIS_StridedGetNBI(tm, got, near, to, last_row + CELLS, far, 4 * WORDS, count, 2,
                                    0) == 0);
    else
        CHECK(gex_VIS_StridedGetBlocking(tm, got, near, to, last_row + CELLS, far, 4 * WORDS, count,
                                         2, 0) == 0);
    complete(way, event);
    for (uint32_t i = 0; i < WORDS * COLS * ROWS; i++) {
        uint32_t row = i / WORDS / COLS, col = i / WORDS % COLS;
        CHECK(got[i] == (to << 16 | (WORDS * (col * ROWS + ROWS - 1 - row) + i % WORDS)));
    }
}

static void test_empty(void)
{
    const size_t none[] = {3, 0};
    const ptrdiff_t strides[] = {4, 4};
    clear();
    CHECK(gex_VIS_StridedPutBlocking(tm, to, NULL, strides, NULL, strides, 4, none, 2, 0) == 0);
    CHECK(gex_VIS_StridedGetBlocking(tm, NULL, NULL, to, NULL, NULL, 0, NULL, 7, 0) == 0);
    CHECK(gex_VIS_StridedGetNB(tm, NULL, NULL, to, NULL, NULL, 0, NULL, 7, 0) == GEX_EVENT_INVALID);
    gex_Event_Wait(gex_VIS_VectorPutNB(tm, to, 0, NULL, 0, NULL, 0));
    gex_Event_Wait(gex_VIS_IndexedPutNB(tm, to, 0, NULL, 8, 0, NULL, 12, 0));
    barrier(tm);
    for (uint32_t i = 0; i < CELLS; i++)
        CHECK(here[i] == UINT32_MAX);
}

// ---------------------------------------------------------------- peer completion
static int notified;

static void on_complete(gex_Token_t token, void *buf, size_t nbytes)
{
    gex_Token_Info_t info;
    gex_Token_Info(token, &info, GEX_TI_ALL);
    CHECK(info.gex_srcrank == from && info.gex_is_req == 0 && info.gex_is_long == 0);
    CHECK(nbytes == 127 && ((char *)buf)[126] == (char)from);
    for (uint32_t i = 0; i < 1000; i++)
        CHECK(here[2 * i] == (from << 20 | i));
    __atomic_add_fetch(&notified, 1, __ATOMIC_RELEASE);
}

/** The first n words, into every second one of the next rank. */
static void put_words(int way, size_t n)
{
    const size_t count[] = {n};
    const ptrdiff_t near[] = {4}, far[] = {8};
    gex_Event_t event = GEX_EVENT_INVALID;
    if (way == NB)
        event = gex_VIS_StridedPutNB(tm, to, there, far, mine, near, 4, count, 1, 0);
    else if (way == NBI)
        gex_VIS_StridedPutNBI(tm, to, there, far, mine, near, 4, count, 1, 0);
    else
        gex_VIS_StridedPutBlocking(tm, to, there, far, mine, near, 4, count, 1, 0);
    complete(way, event);
}

static void test_peer_completion(int way, gex_AM_Index_t handler)
{
    char payload[127];
    memset(payload, (int)me, sizeof payload);
    clear();
    notified = 0;
    barrier(tm);
    gex_VIS_SetPeerCompletionHandler(handler, payload, sizeof payload, 0);
    gex_VIS_SetPeerCompletionHandler(0, NULL, 0, 0);  // taken back
    put_words(NB, 1000);
    gex_VIS_SetPeerCompletionHandler(handler, payload, sizeof payload, 0);
    put_words(way, 1000);
    GASNET_BLOCKUNTIL(__atomic_load_n(&notified, __ATOMIC_ACQUIRE) == 1);
    put_words(BLOCKING, 1000);  // notifies no rank
    barrier(tm);
    CHECK(notified == 1 && GEX_VIS_MAX_PEERCOMPLETION >= 127);
    barrier(tm);
    // one without data, too, and it is used up
    gex_VIS_SetPeerCompletionHandler(handler, payload, sizeof payload, 0);
    put_words(way, 0);
    GASNET_BLOCKUNTIL(__atomic_load_n(&notified, __ATOMIC_ACQUIRE) == 2);
    put_words(BLOCKING, 1000);
    barrier(tm);
    CHECK(notified == 2);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 65536);
    gex_AM_Entry_t entry = {0,
                            (gex_AM_Fn_t)on_complete,
                            GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY,
                            0,
                            NULL,
                            "on_complete"};
    CHECK(gex_EP_RegisterHandlers(ep, &entry, 1) == GASNET_OK);
    to = (me + 1) % n;
    from = (me + n - 1) % n;
    here = gex_Segment_QueryAddr(segment);
    there = (uint32_t *)(void *)segment_of(to);
    for (uint32_t i = 0; i < CELLS; i++)
        mine[i] = me << 20 | i;
    for (int way = 0; way < WAYS; way++) {
        test_vector(way);
        test_indexed(way);
        test_strided(way);
        test_peer_completion(way, entry.gex_index);
    }
    test_empty();
    end();
    return 1;
}
