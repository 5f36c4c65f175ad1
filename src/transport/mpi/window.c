// SPDX-License-Identifier: BSD-3-Clause
//
// The window of the job, as all clients and threads of this process use it.
//
// An MPI may note with each transfer that its target needs a flush, and clear that note behind a
// flush. MPICH 4.0 clears it when it has released its lock: the note of a transfer that another
// thread begins in between is lost, and the next flush does nothing. So flushes of a rank take
// turns, a transfer that meets one says so, and the next flush goes behind a get of its own, whose
// note no other flush clears.
#include "transport/mpi/world.h"

#include <stdlib.h>

#include "base/error.h"

typedef struct mpw_rank {
    pthread_mutex_t flushing;  // held while MPI waits
    _Atomic uint32_t turn;     // odd: in a flush
    _Atomic bool doubtful;     // a transfer has met a flush since the last get of a flush
    char got;
} mpw_rank_t;

int mpw_ranks_open(void)
{
    size_t n = (size_t)mpw_world.facts.size;
    mpw_world.ranks = calloc(n, sizeof *mpw_world.ranks);
    if (!mpw_world.ranks) {
        cwu_error("no memory for the window of %zu ranks", n);
        return CW_ENOMEM;
    }
    for (size_t i = 0; i < n; i++)
        pthread_mutex_init(&mpw_world.ranks[i].flushing, NULL);
    return 0;
}

void mpw_ranks_close(void)
{
    free(mpw_world.ranks);
    mpw_world.ranks = NULL;
}

static uint32_t before(int rank)
{
    // pairs with the end of a flush
    return atomic_load_explicit(&mpw_world.ranks[rank].turn, memory_order_acquire);
}

/** MPI's lock orders the transfer and the flush that it meets: a transfer behind the flush's part
 *  under that lock sees that its turn has begun. */
static int after(int rank, uint32_t turn, int rc)
{
    mpw_rank_t *r = &mpw_world.ranks[rank];
    if (CW_UNLIKELY(turn % 2 || atomic_load_explicit(&r->turn, memory_order_acquire) != turn))
        atomic_store_explicit(&r->doubtful, true, memory_order_release);  // pairs with flush
    return rc;
}

int mpw_window_put(int rank, uint64_t offset, const void *src, size_t nbytes)
{
    uint32_t turn = before(rank);
    return after(rank, turn, mpw_world.plugin->put(rank, offset, src, nbytes));
}

int mpw_window_get(int rank, uint64_t offset, void *dst, size_t nbytes)
{
    uint32_t turn = before(rank);
    return after(rank, turn, mpw_world.plugin->get(rank, offset, dst, nbytes));
}

int mpw_window_flush(int rank)
{
    mpw_rank_t *r = &mpw_world.ranks[rank];
    int rc = 0;
    pthread_mutex_lock(&r->flushing);
    if (CW_UNLIKELY(atomic_load_explicit(&r->doubtful, memory_order_acquire))) {
        atomic_store_explicit(&r->doubtful, false, memory_order_relaxed);
        rc = mpw_world.plugin->get(rank, 0, &r->got, sizeof r->got);
    }
    atomic_fetch_add_explicit(&r->turn, 1, memory_order_seq_cst);
    if (rc == 0)
        rc = mpw_world.plugin->flush(rank);
    atomic_fetch_add_explicit(&r->turn, 1, memory_order_release);
    pthread_mutex_unlock(&r->flushing);
    return rc;
}
