// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks of different sizes. Unless an algorithm needs no sizes, all members learn them first, in
// the cheapest way.
#include <stdlib.h>

#include "core/coll/call.h"
#include "core/rma/rma.h"
#include "core/sync/fused.h"
#include "core/sync/peer.h"
#include "core/sync/sync.h"

static void read_published(const cw_group_t *group, const long *published, uint64_t *sizes)
{
    for (int rank = 0; rank < group->size; rank++) {
        int pe = cw_group_pe(group, rank);
        if (cw_coll_is_local(pe))
            memcpy(&sizes[rank], cw_coll_at(pe, published), sizeof *sizes);
        else
            cw_coll_get_nbi(pe, &sizes[rank], published, sizeof *sizes);
    }
    cw_quiet(&cw_ctx_default);
}

/** Until the blocks move, the word of notes holds the size; it is zero before any member may write
 *  a note. */
static void publish_and_read(const cw_group_t *group, size_t mine, uint64_t *sizes)
{
    long *word = &cw_group_words(group)[CW_PSYNC_NOTES];
    __atomic_store_n(word, (long)mine, __ATOMIC_RELAXED);
    cw_sync(group);
    read_published(group, word, sizes);
    cw_sync(group);
    __atomic_store_n(word, 0, __ATOMIC_RELAXED);
}

#define SHORT_NBYTES 120u  // the most bytes of a block that travels along

/** By one synchronisation. True: it has brought all blocks into dest. */
static bool learn_at_once(const cw_coll_call_t *c, size_t nbytes, uint64_t *sizes)
{
    struct {
        uint64_t nbytes;
        char bytes[SHORT_NBYTES];
    } mine = {.nbytes = nbytes};
    _Alignas(16) char table[CW_COLL_MEDIUM];
    size_t n = (size_t)c->group->size, pitch = cw_fused_most(c->group) / n / 8 * 8;
    pitch = pitch < sizeof mine ? pitch : sizeof mine;
    size_t most = pitch - sizeof mine.nbytes;
    bool all_short = true;
    if (nbytes && nbytes <= most)
        memcpy(mine.bytes, c->src, nbytes);
    cw_gather_fused(c->group, table, &mine, pitch);
    for (size_t rank = 0; rank < n; rank++) {
        memcpy(&sizes[rank], table + rank * pitch, sizeof *sizes);
        all_short = all_short && sizes[rank] <= most;
    }
    char *dest = c->dest;
    for (size_t rank = 0; rank < n && all_short; dest += sizes[rank++])
        if (sizes[rank])
            memcpy(dest, table + rank * pitch + sizeof *sizes, sizes[rank]);
    return all_short;
}

/** Sizes alone, of a group with too many words for one synchronisation. */
static void learn_of_many(const cw_group_t *group, uint64_t mine, uint64_t *sizes)
{
    size_t all = (size_t)group->size * sizeof mine;
    if (all + sizeof mine > cw_group_scratch_nbytes(group)) {
        publish_and_read(group, mine, sizes);
        return;
    }
    char *scratch = cw_group_scratch(group);
    memcpy(scratch + all, &mine, sizeof mine);
    cw_fcollect(group, scratch, scratch + all, sizeof mine);
    memcpy(sizes, scratch, all);
}

static bool is_of_few(const cw_group_t *group)
{
    return (size_t)group->size * sizeof(uint64_t) <= cw_fused_most(group);
}

void cw_collect_sizes(const cw_group_t *group, size_t nbytes, uint64_t *sizes)
{
    uint64_t mine = nbytes;
    if (is_of_few(group))
        cw_gather_fused(group, sizes, &mine, sizeof mine);
    else
        learn_of_many(group, mine, sizes);
}

/** True: all blocks have come, too. */
static bool learn_sizes(cw_coll_call_t *c, size_t nbytes, uint64_t *sizes)
{
    if (is_of_few(c->group)) {
        c->entered = true;
        return learn_at_once(c, nbytes, sizes);
    }
    learn_of_many(c->group, nbytes, sizes);
    return false;
}

uint64_t *cw_collect_places(const cw_coll_call_t *c)
{
    uint64_t *offset = calloc((size_t)c->group->size + 1, sizeof *offset);
    if (!offset)
        cwu_fatal("out of memory for the sizes of %d PEs in a collect", c->group->size);
    return offset;
}

void cw_collect_known(const cw_coll_call_t *c, const uint64_t *offset)
{
    size_t n = (size_t)c->group->size;
    cw_blocks_t blocks = {.offset = offset};
    cw_coll_call_t known = *c;
    known.blocks = &blocks;
    known.nbytes = (size_t)(offset[n] / n);
    cw_coll_run(&known);
}

static void collect_blocks(cw_coll_call_t *c, size_t nbytes)
{
    uint64_t *offset = cw_collect_places(c);
    if (!learn_sizes(c, nbytes, offset + 1)) {
        for (int rank = 0; rank < c->group->size; rank++)
            offset[rank + 1] += offset[rank];
        cw_collect_known(c, offset);
    }
    free(offset);
}

void cw_collect(const cw_group_t *group, void *dest, const void *src, size_t nbytes)
{
    cw_coll_call_t c = {
        .kind = CW_COLL_collect, .group = group, .dest = dest, .src = src, .own_nbytes = nbytes};
    if (!cw_coll_try(&c))
        collect_blocks(&c, nbytes);
}
