// SPDX-License-Identifier: BSD-3-Clause
//
// Where everybody's segment is. Each process tells two words (core/sync/card.h): where its slice
// begins in its own view, when it attaches, and how large its segment is, when it has one. Nobody
// waits for them before he needs them: a put for the first of its target, checks for both,
// gasnet_getSegmentInfo for all. The segment's address follows from the first.
#include <stdlib.h>

#include "core/sync/card.h"
#include "gasnet/gas.h"

#define SMALLEST_PAGE 4096  // what the area is aligned to, wherever

// ---------------------------------------------------------------- the area
/** The first place for a segment at or above an address. */
static uintptr_t aligned(uintptr_t addr)
{
    return (addr + GASNET_PAGESIZE - 1) / GASNET_PAGESIZE * GASNET_PAGESIZE;
}

void *gas_area(uintptr_t *nbytes_p)
{
    size_t nbytes;
    uintptr_t unit = GASNET_PAGESIZE, margin = unit - SMALLEST_PAGE,
              area = (uintptr_t)cw_area(&nbytes);
    *nbytes_p = nbytes > margin ? (nbytes - margin) / unit * unit : 0;
    return (void *)aligned(area);
}

/** Of a process whose slice begins there. */
static uintptr_t area_of(uintptr_t origin)
{
    size_t nbytes;
    return aligned((uintptr_t)cw_area(&nbytes) - cw_area_origin() + origin);
}

void *gas_own(size_t nbytes)
{
    static size_t used;  // the calls are the same in all processes
    size_t most;
    char *own = cw_area_own(&most);
    size_t at = used;
    used += (nbytes + 63) & ~(size_t)63;
    if (own)
        return used <= most ? own + at : NULL;
    void *heap = cw_heap_malloc(64, nbytes);  // this code was loaded too late for an area
    if (heap)
        memset(heap, 0, nbytes);
    gas.used_memory = true;
    return heap;
}

// ---------------------------------------------------------------- telling
void gas_segments_open(void)
{
    gas.segment = calloc(gas.nodes, sizeof *gas.segment);
    if (!gas.segment)
        cwu_fatal("gasnet_attach: out of memory for the segments of %u nodes", gas.nodes);
    gas.segment[gas.me].origin = cw_area_origin();
    bool everything = gas.segments == GAS_EVERYTHING;
    gas_set_segment(gas.me, everything ? 0 : area_of(cw_area_origin()),
                    everything ? UINTPTR_MAX : 0);
}

void gas_set_segment(gasnet_node_t node, uintptr_t addr, uintptr_t size)
{
    gas_segment_t *s = &gas.segment[node];
    s->addr = addr;
    s->size = size;
    __atomic_store_n(&s->known, 1, __ATOMIC_RELEASE);  // pairs with gas_segment
}

void gas_tell_origin(void)
{
    cw_card_tell(CW_CARD_ORIGIN, cw_area_origin());
}

#define TOLD 1u  // sizes are multiples of pages: this bit tells 0 bytes from nothing

void gas_tell_size(uintptr_t size)
{
    gas.sized = true;
    cw_card_tell(CW_CARD_EXTENT, size | TOLD);
}

// ---------------------------------------------------------------- asking
//
// Deaf to messages: clients have handlers that use the table which gasnet_getSegmentInfo is about
// to fill.

static uint64_t ask(gasnet_node_t node, cw_card_word_t which)
{
    cw_card_search_t search = CW_CARD_SEARCH(which);
    cw_wait_t w = CW_WAIT_DEAF("gasnet_attach");  // that of the other process is waited for
    uint64_t word = cw_card_look(&search, (int)node);
    if (word)
        return word;
    cw_card_wait();
    while (!(word = cw_card_look(&search, (int)node)))
        gas_wait_round(&w);
    cw_card_wait_end();
    cw_wait_done(&w);
    return word;
}

uintptr_t gas_ask_origin(gasnet_node_t node)
{
    uintptr_t origin = ask(node, CW_CARD_ORIGIN);
    __atomic_store_n(&gas.segment[node].origin, origin, __ATOMIC_RELEASE);  // pairs with gas_origin
    return origin;
}

/** Threads that do it at a time store the same. */
void gas_ask_segment(gasnet_node_t node)
{
    if (gas.segments == GAS_EVERYTHING) {
        gas_set_segment(node, 0, UINTPTR_MAX);
        return;
    }
    uintptr_t addr = area_of(gas_origin(node));
    if (!gas.sized) {  // GASNet-EX before gex_Segment_Attach: nobody has one
        gas.segment[node].addr = addr;
        return;
    }
    uintptr_t size = ask(node, CW_CARD_EXTENT) & ~(uintptr_t)TOLD;
    gas_set_segment(node, size ? addr : 0, size);
}

static void ask_all(cw_card_word_t which)
{
    cw_card_search_t search = CW_CARD_SEARCH(which);
    cw_wait_t w = CW_WAIT_DEAF("gasnet_attach");
    if (cw_card_look_all(&search))
        return;
    cw_card_wait();
    while (!cw_card_look_all(&search))
        gas_wait_round(&w);
    cw_card_wait_end();
    cw_wait_done(&w);
}

// ---------------------------------------------------------------- questions
static bool check_entries(const char *call, const void *table, int numentries)
{
    if (!gas.attached)
        gas_check_life(call);
    if (numentries >= 0 && (table || numentries == 0))
        return true;
    cwu_error("%s: numentries is %d with table %p", call, numentries, table);
    return false;
}

GAS_API int gasnet_getSegmentInfo(gasnet_seginfo_t *seginfo_table, int numentries)
{
    if (!check_entries(__func__, seginfo_table, numentries))
        return GASNET_ERR_BAD_ARG;
    if ((uint32_t)numentries >= gas.nodes && gas.segments != GAS_EVERYTHING)
        // who has told the first has told the second
        ask_all(gas.sized ? CW_CARD_EXTENT : CW_CARD_ORIGIN);
    for (uint32_t i = 0; i < (uint32_t)numentries && i < gas.nodes; i++) {
        const gas_segment_t *s = gas_segment(i);
        seginfo_table[i] = (gasnet_seginfo_t){(void *)s->addr, s->size};
    }
    return GASNET_OK;
}

GAS_API int gasnet_getNodeInfo(gasnet_nodeinfo_t *nodeinfo_table, int numentries)
{
    if (!check_entries(__func__, nodeinfo_table, numentries))
        return GASNET_ERR_BAD_ARG;
    for (uint32_t i = 0; i < (uint32_t)numentries && i < gas.nodes; i++) {
        uint32_t first = (uint32_t)cw_world.leader_of_node[cw_world.node_of_pe[i]];
        uintptr_t word = gas_find_word(i);
        bool alone = gas.segments == GAS_EVERYTHING;  // what is shared is then only what has no
                                                      // name of its own
        nodeinfo_table[i] =
            (gasnet_nodeinfo_t){first, alone ? i : first, word & 1 ? 0 : word & ~(uintptr_t)3};
    }
    return GASNET_OK;
}

GAS_API uintptr_t gasnet_getMaxLocalSegmentSize(void)
{
    uintptr_t nbytes;
    if (gas.segments == GAS_EVERYTHING)
        return UINTPTR_MAX;
    gas_area(&nbytes);
    return nbytes;
}

/** The slices of a job are of one shape. */
GAS_API uintptr_t gasnet_getMaxGlobalSegmentSize(void)
{
    return gasnet_getMaxLocalSegmentSize();
}
