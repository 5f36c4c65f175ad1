// SPDX-License-Identifier: BSD-3-Clause
//
// Active sets: makes a group of the arguments of deprecated collectives and checks them against the
// specification; and the claims that PEs compare in checking mode.
#include "shmem/coll_args.h"

#include <limits.h>

/** Other PEs of the set may arrive before this one and count themselves in some words of its pSync
 *  (core/sync/set_sync.c): 0 and 2 to 14. Such a word never exceeds the number of PEs; any other
 *  value means that the word was never set to SHMEM_SYNC_VALUE, or that another set still uses it.
 *  unused: the set is the world (shm_active_set). */
static void check_psync(const char *call, shm_set_t s, bool unused)
{
    enum { GO = 1, NOTES = 15 };
    for (int i = 0; i < SHMEM_SYNC_SIZE; i++) {
        long word = __atomic_load_n(&s.psync[i], __ATOMIC_RELAXED),
             most = unused || i == GO || i == NOTES ? 0 : s.size;
        if (word < SHMEM_SYNC_VALUE || word > SHMEM_SYNC_VALUE + most)
            cw_check_failed(
                call,
                "pSync[%d] is %ld instead of SHMEM_SYNC_VALUE (%ld): set all its words before the "
                "first use, "
                "and use it again only when all PEs have left the last collective that used it",
                i, word, SHMEM_SYNC_VALUE);
    }
}

/** The last PE of a set; without one, or with a stride that no set has, none of the job. */
static long last_of(shm_set_t s)
{
    enum { MOST = 30 };  // more leads from any PE to none
    bool is_set = s.size > 0 && s.log_stride >= 0 && s.log_stride <= MOST;
    return is_set ? s.start + (long)(s.size - 1) * (1L << s.log_stride) : LONG_MAX;
}

static CW_COLD noreturn void refuse_set(const char *func, shm_set_t s, long last)
{
    const char *call = shm_call_name(func);
    if (last == LONG_MAX)
        cw_check_failed(call,
                        "the active set (PE_start %d, logPE_stride %d, PE_size %d) is empty or its "
                        "stride negative",
                        s.start, s.log_stride, s.size);
    if (s.start < 0 || last >= cw_world.npes)
        cw_check_failed(call, "the active set reaches from PE %d to PE %ld: PEs are 0 to %d",
                        s.start, last, cw_world.npes - 1);
    cw_check_failed(call,
                    "PE %d is not in the active set (PE_start %d, logPE_stride %d, PE_size %d)",
                    cw_world.pe, s.start, s.log_stride, s.size);
}

/** In every mode: with a set that is wrong the PEs would wait for ever. */
static inline void check_set(const char *func, shm_set_t s)
{
    long last = last_of(s), away = (long)cw_world.pe - s.start;
    if (CW_UNLIKELY(s.start < 0 || last >= cw_world.npes || away < 0 || cw_world.pe > last ||
                    away & ((1L << s.log_stride) - 1)))
        refuse_set(func, s, last);
}

const cw_group_t *shm_active_set(const char *func, shm_set_t set, cw_group_t *room)
{
    bool world = set.start == 0 && set.log_stride == 0 && set.size == cw_world.npes;
    if (set.size == 1 && set.log_stride > 0)
        set.log_stride = 0;  // of one PE any is right
    if (!world)
        check_set(func, set);
    // else threads with a pSync each may call at once
    world = world && !cw_threads_anywhere();
    if (SHM_CHECKING()) {
        shm_check_symmetric(func, "pSync", set.psync, SHMEM_SYNC_SIZE * sizeof(long));
        check_psync(shm_call_name(func), set, world);
    }
    if (world)
        return cw_group_world;
    int stride = 1 << set.log_stride;
    *room = (cw_group_t){.start = set.start,
                         .stride = stride,
                         .size = set.size,
                         .rank = (cw_world.pe - set.start) / stride,
                         .psync = set.psync};
    return room;
}

void shm_compare_claims(const char *func, const cw_group_t *group, const void *dest,
                        const void *source, uint64_t nelems)
{
    cw_claim_t claim = cw_claim(shm_call_name(func));
    claim.dest = dest;
    claim.source = source;
    claim.nelems = nelems;
    cw_coll_agree(group, &claim);
}
