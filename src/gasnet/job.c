// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-1: init, attach, and questions about the job.
#include "base/symbol.h"
#include "core/sync/published.h"
#include "gasnet/gas1.h"

GAS_API int gasnet_causeway_init(int *argc, char ***argv, int mode, const char *config)
{
    (void)argc, (void)argv;  // launchers of this library hand nothing over there
    return gas_init("gasnet_init", mode, config);
}

// ---------------------------------------------------------------- attach
static bool check_segment(uintptr_t segsize)
{
    uintptr_t most = gas_max_segment();
    if (gas.segments == GAS_EVERYTHING)
        return true;
    if (segsize % GASNET_PAGESIZE) {
        cwu_error("gasnet_attach: segsize is %zu, no multiple of GASNET_PAGESIZE (%d)",
                  (size_t)segsize, GASNET_PAGESIZE);
        return false;
    }
    if (segsize > most) {
        cwu_error("gasnet_attach: segsize is %zu bytes, but gasnet_getMaxLocalSegmentSize is %zu "
                  "(GASNET_MAX_SEGSIZE sets it)",
                  (size_t)segsize, (size_t)most);
        return false;
    }
    return true;
}

GAS_API int gasnet_attach(gasnet_handlerentry_t *table, int numentries, uintptr_t segsize,
                          uintptr_t minheapoffset)
{
    (void)minheapoffset;  // the heap grows elsewhere
    if (!gas.threads || gas.attached) {
        cwu_error("gasnet_attach: called %s",
                  gas.attached ? "a second time" : "before gasnet_init");
        return GASNET_ERR_NOT_INIT;
    }
    if (segsize == 0 && gas_max_segment() > 0)
        segsize = GASNET_PAGESIZE;  // as GASNet-EX, which has no segment of 0 bytes
    if (!check_segment(segsize) || gas1_check_table(table, numentries))
        return GASNET_ERR_BAD_ARG;
    gas_attach();
    gas1_register_handlers(table, numentries);
    gas_attach_publish();
    if (gas.segments != GAS_EVERYTHING)
        gas_segment_attach("gasnet_attach", CWU_CALLER, segsize);
    gas_start_barrier();
    gas_open_messages();
    return GASNET_OK;
}

// ---------------------------------------------------------------- questions about segments
static bool check_entries(const char *call, const void *table, int numentries)
{
    if (numentries >= 0 && (table || numentries == 0))
        return true;
    cwu_error("%s: numentries is %d with table %p", call, numentries, table);
    return false;
}

GAS_API int gasnet_getSegmentInfo(gasnet_seginfo_t *seginfo_table, int numentries)
{
    if (!gas.attached)
        gas_check_life(__func__);
    if (!check_entries(__func__, seginfo_table, numentries))
        return GASNET_ERR_BAD_ARG;
    if ((uint32_t)numentries >= gas.nodes && gas.segments != GAS_EVERYTHING)
        // a process that has published the second has published the first
        cw_owner_ask_all(&gas_owner, gas.sized ? CW_PUBLISHED_EXTENT : CW_PUBLISHED_ORIGIN);
    for (uint32_t i = 0; i < (uint32_t)numentries && i < gas.nodes; i++) {
        const gas_segment_t *s = gas_segment(i);
        seginfo_table[i] = (gasnet_seginfo_t){(void *)s->addr, s->size};
    }
    return GASNET_OK;
}

/** The distance of a node's addresses from those here. 0: they cannot be reached, or not yet, since
 *  no node has a segment before gasnet_attach. */
static uintptr_t offset_of(uint32_t node)
{
    uintptr_t word = gas.attached ? cw_owner_find_word(&gas_owner, node) : 1;
    return cw_owner_is_mapped(word) ? word & ~(uintptr_t)3 : 0;
}

/** The number of the neighborhood of node i, of which *known_p have been met; the table is filled
 *  up to it. */
static uint32_t supernode_of(uint32_t i, const gasnet_nodeinfo_t *table, uint32_t *known_p)
{
    if (gas_leads_neighbors(i))
        return (*known_p)++;
    for (uint32_t j = i; j-- > 0;)
        if (cw_world.node_of_pe[j] == cw_world.node_of_pe[i] &&
            cw_world.slot_of_pe[j] == cw_world.slot_of_pe[i] - 1)
            return table[j].supernode;
    return i;
}

GAS_API int gasnet_getNodeInfo(gasnet_nodeinfo_t *nodeinfo_table, int numentries)
{
    if (!gas.threads)
        gas_check_life(__func__);
    if (!check_entries(__func__, nodeinfo_table, numentries))
        return GASNET_ERR_BAD_ARG;
    uint32_t known = 0;
    for (uint32_t i = 0; i < (uint32_t)numentries && i < gas.nodes; i++) {
        nodeinfo_table[i] =
            (gasnet_nodeinfo_t){.host = (uint32_t)cw_world.node_of_pe[i],
                                .supernode = supernode_of(i, nodeinfo_table, &known)};
        nodeinfo_table[i].offset = nodeinfo_table[i].auxoffset = offset_of(i);
    }
    return GASNET_OK;
}

GAS_API uintptr_t gasnet_getMaxLocalSegmentSize(void)
{
    return gas_max_segment();
}

/** The slices of a job are of one shape. */
GAS_API uintptr_t gasnet_getMaxGlobalSegmentSize(void)
{
    return gas_max_segment();
}

// ---------------------------------------------------------------- questions about the job
GAS_API gasnet_node_t gasnet_mynode(void)
{
    return gas.me;
}

GAS_API gasnet_node_t gasnet_nodes(void)
{
    return gas.nodes;
}

GAS_API char *gasnet_getenv(const char *name)
{
    return name ? (char *)(uintptr_t)cwu_env_get(name) : NULL;
}
