// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet as Chapel's runtime uses it: it includes gasnet.h alone, begins with gex_Client_Init,
// registers handlers with gex_EP_RegisterHandlers and reaches them by GASNet-1's messages;
// transfers are GASNet-EX's, the barrier is GASNet-1's and is tried in a loop. A task of its own
// polls (where there are threads).
#include <gasnet.h>
#include <gasnet_coll.h>
#include <gasnet_ratomic.h>
#include <gasnet_tools.h>
#include <gasnet_vis.h>

#include <stddef.h>

#include "ex.h"

#ifdef GASNET_PAR
#include <pthread.h>
#endif

enum { FORK = 128, FORK_FAST, SIGNAL, SIGNAL_LONG, COPY, REPLY_PUT, SHUTDOWN };

typedef struct done {
    uint32_t count, target;
    int flag;  // Chapel's is volatile; ThreadSanitizer understands this one
} done_t;

static gasnet_seginfo_t *table;
static int hooked, forked, copied, shut_down;
static void *hooked_addr;
static uintptr_t hooked_nbytes;

#define LOW(p) ((gasnet_handlerarg_t)((uint64_t)(uintptr_t)(p)&0xffffffffu))
#define HIGH(p) ((gasnet_handlerarg_t)((uint64_t)(uintptr_t)(p) >> 32))
#define POINTER(low, high) \
    ((void *)(uintptr_t)((uint64_t)(uint32_t)(low) | (uint64_t)(uint32_t)(high) << 32))

static void on_attach(void *addr, uintptr_t nbytes)
{
    hooked++;
    hooked_addr = addr;
    hooked_nbytes = nbytes;
}

// ---------------------------------------------------------------- handlers
typedef struct bundle {
    void *ack;
    uint32_t caller;
    char data[100];
} bundle_t;

static void on_fork(gasnet_token_t token, void *buf, size_t nbytes)
{
    const bundle_t *b = buf;
    gasnet_node_t source;
    CHECK(nbytes == sizeof *b && gasnet_AMGetMsgSource(token, &source) == GASNET_OK &&
          source == b->caller);
    for (size_t i = 0; i < sizeof b->data; i++)
        CHECK(b->data[i] == (char)(b->caller + i));
    __atomic_add_fetch(&forked, 1, __ATOMIC_RELAXED);
    if (b->ack)
        CHECK(gasnet_AMReplyShort2(token, SIGNAL, LOW(b->ack), HIGH(b->ack)) == GASNET_OK);
}

/** Atomic: its order before the handler comes by way of another process, which ThreadSanitizer does
 *  not see. */
static void expect_one(done_t *done)
{
    __atomic_store_n(&done->count, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&done->target, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&done->flag, 0, __ATOMIC_RELAXED);
}

static void on_signal(gasnet_token_t token, gasnet_handlerarg_t a0, gasnet_handlerarg_t a1)
{
    done_t *done = POINTER(a0, a1);
    (void)token;
    if (__atomic_add_fetch(&done->count, 1, __ATOMIC_SEQ_CST) ==
        __atomic_load_n(&done->target, __ATOMIC_RELAXED))
        __atomic_store_n(&done->flag, 1, __ATOMIC_RELEASE);
}

static void on_signal_long(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t a0,
                           gasnet_handlerarg_t a1)
{
    CHECK(buf != NULL && nbytes > 0);
    on_signal(token, a0, a1);
}

static void on_copy(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t ack0,
                    gasnet_handlerarg_t ack1, gasnet_handlerarg_t dst0, gasnet_handlerarg_t dst1)
{
    memcpy(POINTER(dst0, dst1), buf, nbytes);
    __atomic_add_fetch(&copied, 1, __ATOMIC_RELEASE);
    CHECK(gasnet_AMReplyShort2(token, SIGNAL, ack0, ack1) == GASNET_OK);
}

typedef struct wish {
    void *ack, *tgt, *src;
    size_t nbytes;
} wish_t;

static void on_reply_put(gasnet_token_t token, void *buf, size_t nbytes)
{
    const wish_t *w = buf;
    CHECK(nbytes == sizeof *w);
    CHECK(gasnet_AMReplyLong2(token, SIGNAL_LONG, w->src, w->nbytes, w->tgt, LOW(w->ack),
                              HIGH(w->ack)) == GASNET_OK);
}

static void on_shutdown(gasnet_token_t token)
{
    (void)token;
    __atomic_store_n(&shut_down, 1, __ATOMIC_RELEASE);
}

static gex_AM_Entry_t handlers[] = {
    {FORK, (gex_AM_Fn_t)on_fork, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_MEDIUM, 0, NULL, "fork"},
    {FORK_FAST, (gex_AM_Fn_t)on_fork, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_MEDIUM, 0, NULL,
     "fork_fast"},
    {SIGNAL, (gex_AM_Fn_t)on_signal, GEX_FLAG_AM_REQREP | GEX_FLAG_AM_SHORT, 2, NULL, "signal"},
    {SIGNAL_LONG, (gex_AM_Fn_t)on_signal_long, GEX_FLAG_AM_REPLY | GEX_FLAG_AM_LONG, 2, NULL,
     "signal_long"},
    {COPY, (gex_AM_Fn_t)on_copy, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_MEDIUM, 4, NULL, "copy"},
    {REPLY_PUT, (gex_AM_Fn_t)on_reply_put, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_MEDIUM, 0, NULL,
     "reply_put"},
    {SHUTDOWN, (gex_AM_Fn_t)on_shutdown, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_SHORT, 0, NULL,
     "shutdown"},
};

// ---------------------------------------------------------------- what the runtime does with it
static void chapel_barrier(const char *why)
{
    int id = why[0], result;
    gasnet_barrier_notify(id, 0);
    while ((result = gasnet_barrier_try(id, 0)) == GASNET_ERR_NOT_READY)
        gasnett_sched_yield();
    CHECK(result == GASNET_OK);
}

#ifdef GASNET_PAR
static int polling_over;
static void *polling(void *unused)
{
    while (!__atomic_load_n(&polling_over, __ATOMIC_ACQUIRE)) {
        gasnet_AMPoll();
        gasnett_sched_yield();
    }
    return unused;
}
#endif

static void test_on(uint32_t to)
{
    for (int i = 0; i < 40; i++) {
        done_t done;
        expect_one(&done);
        bundle_t bundle = {i % 2 ? &done : NULL, me, {0}};
        for (size_t k = 0; k < sizeof bundle.data; k++)
            bundle.data[k] = (char)(me + k);
        CHECK(gasnet_AMRequestMedium0(to, i % 4 < 2 ? FORK : FORK_FAST, &bundle, sizeof bundle) ==
              GASNET_OK);
        if (bundle.ack)
            GASNET_BLOCKUNTIL(__atomic_load_n(&done.flag, __ATOMIC_ACQUIRE));
    }
}

/** Memory outside of segments: the owner copies. */
static void test_outside(uint32_t to)
{
    static char mine[9000], theirs_to_fill[9000];  // the same address in all processes only without
                                                   // randomization: exchanged
    char *out = table[me].addr;
    void *where = theirs_to_fill;
    static void *all[64];
    for (uint32_t root = 0; root < n; root++) {
        all[root] = where;
        gex_Event_Wait(gex_Coll_BroadcastNB(tm, root, &all[root], &where, sizeof where, 0));
    }
    for (size_t i = 0; i < sizeof mine; i++)
        mine[i] = (char)(3 * me + i);
    static int pieces;  // sent so far; as many arrived
    for (size_t at = 0, most = gasnet_AMMaxMedium(), size; at < sizeof mine; at += size, pieces++) {
        size = sizeof mine - at < most ? sizeof mine - at : most;
        done_t done;
        expect_one(&done);
        char *dst = (char *)all[to] + at;
        CHECK(gasnet_AMRequestMedium4(to, COPY, mine + at, size, LOW(&done), HIGH(&done), LOW(dst),
                                      HIGH(dst)) == GASNET_OK);
        GASNET_BLOCKUNTIL(__atomic_load_n(&done.flag, __ATOMIC_ACQUIRE));
    }
    chapel_barrier("copied");
    // Run by the polling thread, perhaps.
    CHECK(__atomic_load_n(&copied, __ATOMIC_ACQUIRE) == pieces);
    for (size_t i = 0; i < sizeof mine; i++)
        CHECK(theirs_to_fill[i] == (char)(3 * ((me + n - 1) % n) + i));
    done_t done;
    expect_one(&done);
    wish_t wish = {&done, out, all[to], 3000};
    CHECK(gasnet_AMMaxLongReply() >= wish.nbytes);
    CHECK(gasnet_AMRequestMedium0(to, REPLY_PUT, &wish, sizeof wish) == GASNET_OK);
    GASNET_BLOCKUNTIL(__atomic_load_n(&done.flag, __ATOMIC_ACQUIRE));
    CHECK(memcmp(out, mine, wish.nbytes) == 0);
    chapel_barrier("outside");
}

enum { PIECES = 5, PIECE = 8192 };

static void test_rma(uint32_t to)
{
    static char mine[PIECES * PIECE], back[PIECES * PIECE];
    char *theirs = table[to].addr, *here = table[me].addr;
    gex_Event_t h[PIECES];
    for (size_t i = 0; i < sizeof mine; i++)
        mine[i] = (char)(5 * me + i / 3);
    gex_RMA_PutBlocking(tm, to, theirs, mine, 100, 0);
    for (int i = 0; i < PIECES; i++)
        h[i] =
            gex_RMA_PutNB(tm, to, theirs + i * PIECE, mine + i * PIECE, PIECE, GEX_EVENT_DEFER, 0);
    for (int left = PIECES; left > 0;) {
        if (me % 2)
            gex_Event_WaitSome(h, PIECES, 0);
        else
            while (gex_Event_TestSome(h, PIECES, 0) != GASNET_OK)
                gasnett_sched_yield();
        left = 0;
        for (int i = 0; i < PIECES; i++)
            left += h[i] != GEX_EVENT_INVALID;
    }
    chapel_barrier("put");
    gasnett_local_wmb();
    for (size_t i = 0; i < sizeof mine; i++)
        CHECK(here[i] == (char)(5 * ((me + n - 1) % n) + i / 3));
    gex_Event_Wait(gex_RMA_GetNB(tm, back, to, theirs, sizeof back / 2, 0));
    gex_RMA_GetBlocking(tm, back + sizeof back / 2, to, theirs + sizeof back / 2, sizeof back / 2,
                        0);
    CHECK(memcmp(back, mine, sizeof mine) == 0);
    chapel_barrier("rma");
}

/** A transposed block of 3 x 4 x 5 elements of 8 bytes, there and back. */
static void test_strided(uint32_t to)
{
    enum { A = 3, B = 4, C = 5 };
    static uint64_t mine[A][B][C], back[A][B][C];
    uint64_t *here = table[me].addr;
    size_t count[] = {C, B, A};
    ptrdiff_t near[] = {8, 8 * C, 8 * C * B}, far[] = {8 * A * B, 8 * A, 8};
    for (int i = 0; i < A * B * C; i++)
        mine[i / (B * C)][i / C % B][i % C] = (uint64_t)me << 32 | (unsigned)i;
    gex_VIS_StridedPutBlocking(tm, to, table[to].addr, far, mine, near, 8, count, 3, 0);
    chapel_barrier("strided");
    for (int i = 0; i < A * B * C; i++)
        CHECK(here[i % C * A * B + i / C % B * A + i / (B * C)] ==
              ((uint64_t)((me + n - 1) % n) << 32 | (unsigned)i));
    gex_VIS_StridedGetBlocking(tm, back, near, to, table[to].addr, far, 8, count, 3, 0);
    CHECK(memcmp(mine, back, sizeof mine) == 0);
    // One element.
    gex_VIS_StridedGetBlocking(tm, &back[0][0][1], NULL, to, table[to].addr, NULL, 8, NULL, 0, 0);
    CHECK(back[0][0][1] == mine[0][0][0]);
    chapel_barrier("again");
}

int main(int argc, char **argv)
{
    gex_Rank_t count, mine;
    gasnet_client_attach_hook = on_attach;
    CHECK(gex_Client_Init(&client, &ep, &tm, "chapel", &argc, &argv, GEX_FLAG_USES_GASNET1) ==
          GASNET_OK);
    me = gasnet_mynode();
    n = gasnet_nodes();
    gex_System_QueryHostInfo(NULL, &count, &mine);
    CHECK(count >= 1 && count <= n && mine < count && GASNETI_MAX_THREADS >= 1);
    gex_EP_t ep_again;
    gex_TM_t tm_again;
    CHECK(gex_Segment_Attach(&segment, tm, gasnet_getMaxLocalSegmentSize()) == GASNET_OK);
    CHECK(gex_EP_RegisterHandlers(ep, handlers, sizeof handlers / sizeof *handlers) == GASNET_OK);
    gasnet_QueryGexObjects(NULL, &ep_again, &tm_again, NULL);
    CHECK(ep_again == ep && tm_again == tm &&
          (gex_Client_QueryFlags(client) & GEX_FLAG_USES_GASNET1));
    CHECK((table = calloc(n, sizeof *table)) != NULL);
    CHECK(gasnet_getSegmentInfo(table, (int)n) == GASNET_OK);
#ifdef GASNET_SEGMENT_EVERYTHING
    static uint64_t own[8192];
    void *addr = own;
    CHECK(segment == GEX_SEGMENT_INVALID && hooked == 0);
    for (uint32_t root = 0; root < n; root++)
        gex_Event_Wait(gex_Coll_BroadcastNB(tm, root, &table[root].addr, &addr, sizeof addr, 0));
#else
    CHECK(table[me].addr == gex_Segment_QueryAddr(segment) &&
          table[me].size == gex_Segment_QuerySize(segment));
    CHECK(hooked == 1 && hooked_addr == table[me].addr && hooked_nbytes == table[me].size);
#endif
    gasnet_set_waitmode(GASNET_WAIT_BLOCK);
    chapel_barrier("handlers");
#ifdef GASNET_PAR
    pthread_t poller;
    CHECK(pthread_create(&poller, NULL, polling, NULL) == 0);
#endif
    uint32_t to = (me + 1) % n;
    for (int round = 0; round < 3; round++) {
        test_on(to);
        test_rma(to);
        test_strided(to);
        test_outside(to);
    }
    CHECK(gasnet_barrier(7, 0) == GASNET_OK &&
          gasnet_barrier(0, GASNET_BARRIERFLAG_UNNAMED) == GASNET_OK);
    if (me == 0)
        for (uint32_t node = 1; node < n; node++)
            CHECK(gasnet_AMRequestShort0(node, SHUTDOWN) == GASNET_OK);
    else
        GASNET_BLOCKUNTIL(__atomic_load_n(&shut_down, __ATOMIC_ACQUIRE));
    GASNET_BLOCKUNTIL(__atomic_load_n(&forked, __ATOMIC_RELAXED) == 120);
    chapel_barrier("stop polling");
#ifdef GASNET_PAR
    __atomic_store_n(&polling_over, 1, __ATOMIC_RELEASE);
    CHECK(pthread_join(poller, NULL) == 0);
#endif
    end();
    return 1;
}
