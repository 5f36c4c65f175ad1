// SPDX-License-Identifier: BSD-3-Clause
//
// Barrier and sync. barrier_all completes at all targets what was issued on the default context;
// operations on other contexts are completed by the quiet of these. sync_all makes plain stores
// visible and completes nothing else: puts that arrive after it are allowed, and counted.
#include "litmus.h"

#define LENGTH 32

enum { BARRIER, SYNC_STORES, SYNC_PUT_THERE, SYNC_PUT_LATE, CTX_THERE, CTX_LATE, CTX_QUIET };

static long *from_all, *own, out[LENGTH];
static shmem_ctx_t ctx;

static long value_of(int writer, int i)
{
    return litmus_round * 100000 + writer * 1000 + i;
}

static void put_to_all(shmem_ctx_t c)
{
    for (int i = 0; i < LENGTH; i++)
        out[i] = value_of(me, i);
    for (int k = 0; k < npes; k++) {
        int pe = (me + k) % npes;
        if (own_draw(2))
            shmem_ctx_long_put_nbi(c, from_all + (size_t)me * LENGTH, out, LENGTH, pe);
        else
            for (int i = 0; i < LENGTH; i++)
                shmem_ctx_long_p(c, from_all + (size_t)me * LENGTH + i, out[i], pe);
    }
    jitter();
}

/** The set of writers whose words have not all arrived. */
static int late(void)
{
    int n = 0;
    for (int pe = 0; pe < npes; pe++)
        for (int i = 0; i < LENGTH; i++)
            if (((volatile long *)from_all)[(size_t)pe * LENGTH + (size_t)i] != value_of(pe, i)) {
                n++;
                break;
            }
    return n;
}

static bool two_nodes(void)
{
    return litmus_node[npes - 1] != litmus_node[0];
}

static void default_context(void)
{
    put_to_all(SHMEM_CTX_DEFAULT);
    shmem_barrier_all();
    int n = late();
    if (n)
        forbidden("the puts of %d PEs are not here behind a barrier", n);
    saw(BARRIER, two_nodes());
}

static void other_context(void)
{
    put_to_all(ctx);
    shmem_barrier_all();
    saw(late() ? CTX_LATE : CTX_THERE, two_nodes());
    shmem_ctx_quiet(ctx);
    shmem_sync_all();
    int n = late();
    if (n)
        forbidden(
            "the puts of %d PEs on a context of their own are not here behind its quiet and a sync",
            n);
    saw(CTX_QUIET, two_nodes());
}

static void sync(void)
{
    int right = (me + 1) % npes;
    long *direct = shmem_ptr(own, right);
    for (int i = 0; i < LENGTH; i++)
        own[i] = value_of(me, i);
    if (direct)
        direct[LENGTH] = value_of(me, 0);
    put_to_all(SHMEM_CTX_DEFAULT);
    shmem_sync_all();
    int pe = (int)own_draw((uint32_t)npes), left = (me + npes - 1) % npes;
    long last = shmem_long_g(&own[LENGTH - 1], pe);
    if (last != value_of(pe, LENGTH - 1))
        forbidden("PE %d's own store is %ld instead of %ld behind a sync", pe, last,
                  value_of(pe, LENGTH - 1));
    if (shmem_ptr(own, left) && own[LENGTH] != value_of(left, 0))
        forbidden("the store of PE %d through its pointer is not here behind a sync", left);
    saw(SYNC_STORES, two_nodes());
    saw(late() ? SYNC_PUT_LATE : SYNC_PUT_THERE, two_nodes());
}

int main(int argc, char **argv)
{
    outcome_name[BARRIER] = "barrier_all: all puts here";
    outcome_name[SYNC_STORES] = "sync_all: all stores here";
    outcome_name[SYNC_PUT_THERE] = "sync_all: puts happen to be here";
    outcome_name[SYNC_PUT_LATE] = "sync_all: puts come later";
    litmus_begin("barrier", argc, argv, 1000);
    if (shmem_ctx_create(0, &ctx) != 0)
        ctx = SHMEM_CTX_DEFAULT;
    if (ctx != SHMEM_CTX_DEFAULT) {
        outcome_name[CTX_THERE] = "barrier_all: puts of another context happen to be here";
        outcome_name[CTX_LATE] = "barrier_all: puts of another context come later";
        outcome_name[CTX_QUIET] = "its quiet and sync_all: here";
    }
    from_all = shmem_calloc((size_t)npes * LENGTH, sizeof(long));
    own = shmem_calloc(LENGTH + 1, sizeof(long));
    for (; litmus_round < litmus_rounds; litmus_round++) {
        int which = (int)draw(3);
        if (which == 0)
            sync();
        else if (which == 1 && ctx != SHMEM_CTX_DEFAULT)
            other_context();
        else
            default_context();
        shmem_barrier_all();
    }
    if (ctx != SHMEM_CTX_DEFAULT)
        shmem_ctx_destroy(ctx);
    shmem_free(own);
    shmem_free(from_all);
    return litmus_end();
}
