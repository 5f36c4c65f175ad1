// SPDX-License-Identifier: BSD-3-Clause
//
// The segment of the first endpoint is memory of the client: puts, gets, values, vectors and long
// messages reach it, as queries say, with contents of the sender, here and in the next rank.
#include "ex.h"

enum { WORDS = 4096, HANDLER = 200 };

static uint64_t memory[WORDS] __attribute__((aligned(4096)));
static volatile int handled;

static void on_long(gex_Token_t token, void *payload, size_t nbytes, gex_AM_Arg_t from)
{
    (void)token;
    handled += nbytes == 80 && payload == memory + 2000 && memory[2009] == (uint64_t)from;
}

static uint64_t *there(uint32_t rank)
{
    return (uint64_t *)(void *)segment_of(rank);
}

static void bind_memory(void)
{
    gex_Segment_t bound;
    uintptr_t size = 0;
    void *owner = NULL, *local = NULL;
    CHECK(gex_Segment_Create(&bound, client, memory, sizeof memory, GEX_MK_HOST, 0) == GASNET_OK);
    CHECK(gex_EP_BindSegment(ep, bound, 0) == GASNET_OK);
    CHECK(gex_EP_PublishBoundSegment(tm, &ep, 1, 0) == GASNET_OK);
    CHECK(gex_Segment_QueryBound(tm, me, &owner, &local, &size) == 0);
    CHECK(owner == memory && local == memory && size == sizeof memory);
}

static void fill(uint64_t *at, int nwords, uint64_t first)
{
    for (int i = 0; i < nwords; i++)
        at[i] = first + (uint64_t)i;
}

/** Is what the rank before put there in place? */
static int holds(int at, int nwords, uint64_t first)
{
    int wrong = 0;
    for (int i = 0; i < nwords; i++)
        wrong += memory[at + i] != first + (uint64_t)i;
    return wrong == 0;
}

static void test_puts(uint32_t to, uint32_t from)
{
    uint64_t src[1000], back[1000] = {0}, seed = me * 10000;
    fill(src, 1000, seed);
    gex_RMA_PutBlocking(tm, to, there(to), src, 8, 0);
    gex_RMA_PutBlocking(tm, to, there(to) + 1, src + 1, 999 * 8, 0);
    gex_Event_Wait(gex_RMA_PutNB(tm, to, there(to) + 1000, src, 800, GEX_EVENT_DEFER, 0));
    gex_RMA_PutNBI(tm, to, there(to) + 1100, src, 800, GEX_EVENT_NOW, 0);
    gex_NBI_Wait(GEX_EC_PUT, 0);
    gex_RMA_PutBlockingVal(tm, to, there(to) + 1200, seed, 8, 0);
    gex_Memvec_t local[] = {{NULL, 0}, {src, 80}}, remote[] = {{NULL, 0}, {there(to) + 1300, 80}};
    gex_VIS_VectorPutBlocking(tm, to, 2, remote, 2, local, 0);
    barrier(tm);
    seed = from * 10000;
    CHECK(holds(0, 1000, seed) && holds(1000, 100, seed) && holds(1100, 100, seed) &&
          holds(1200, 1, seed) && holds(1300, 10, seed));
    gex_RMA_GetBlocking(tm, back, to, there(to), sizeof back, 0);
    CHECK(memcmp(back, src, sizeof back) == 0);
    gex_Event_Wait(gex_RMA_GetNB(tm, back, to, there(to) + 1, 80, 0));
    CHECK(memcmp(back, src + 1, 80) == 0);
    local[1].gex_addr = back;
    gex_Event_Wait(gex_VIS_VectorGetNB(tm, 2, local, to, 2, remote, 0));
    CHECK(memcmp(back, src, 80) == 0);
    CHECK(gex_RMA_GetBlockingVal(tm, to, there(to) + 5, 8, 0) == src[5]);
    barrier(tm);
}

static void test_messages(uint32_t to, uint32_t from)
{
    uint64_t src[10];
    fill(src, 10, me);
    src[9] = me;
    CHECK(gex_AM_MaxRequestLong(tm, to, GEX_EVENT_NOW, 0, 1) >= gex_AM_LUBRequestLong());
    gex_AM_RequestLong1(tm, to, HANDLER, src, sizeof src, there(to) + 2000, GEX_EVENT_NOW, 0,
                        (gex_AM_Arg_t)me);
    GASNET_BLOCKUNTIL(handled == 1);
    CHECK(memory[2000] == from);
    barrier(tm);
}

int main(int argc, char **argv)
{
    gex_AM_Entry_t table[] = {{HANDLER, (gex_AM_Fn_t)on_long, 0, 1, NULL, "on_long"}};
    begin(&argc, &argv, 0);
    CHECK(gex_EP_RegisterHandlers(ep, table, 1) == GASNET_OK);
    bind_memory();
    test_puts((me + 1) % n, (me + n - 1) % n);
    test_puts(me, me);
    test_messages((me + 1) % n, (me + n - 1) % n);
    end();
    return 1;
}
