// SPDX-License-Identifier: BSD-3-Clause
//
// Init, attach, and questions about the job.
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "gasnet/ex.h"

gas_state_t gas = {.slow_sync = true};

// For those who look into binaries: what this library can be.
#define CONFIG(threads, segment) "Causeway GASNet 1.8,CONDUIT=OFI,THREADMODEL=" threads ",SEGMENT=" segment
static const char *const configs[3][3] __attribute__((used)) = {
    {CONFIG("SEQ", "FAST"), CONFIG("SEQ", "LARGE"), CONFIG("SEQ", "EVERYTHING")},
    {CONFIG("PARSYNC", "FAST"), CONFIG("PARSYNC", "LARGE"), CONFIG("PARSYNC", "EVERYTHING")},
    {CONFIG("PAR", "FAST"), CONFIG("PAR", "LARGE"), CONFIG("PAR", "EVERYTHING")},
};

static int threads_of(int mode)
{
    return mode / 16;
}

static int segments_of(int mode)
{
    return mode % 16;
}

// ---------------------------------------------------------------- configurations
static struct {
    int mode;            // of the first object that spoke up
    const char *source;  // its file
    const char *other;   // the first that was compiled differently
    int other_mode;
} announced;

/** Before main, once an object file: no locks, no messages. */
GAS_API void gasnet_causeway_announce(int mode, const char *source)
{
    cw_area_reserve();
    if (!announced.source) {
        announced.mode = mode;
        announced.source = source;
    } else if (mode != announced.mode && !announced.other) {
        announced.other = source;
        announced.other_mode = mode;
    }
}

static const char *config_of(int mode)
{
    return configs[threads_of(mode) - 1][segments_of(mode) - 1];
}

static bool check_configurations(int mode, const char *config)
{
    if (threads_of(mode) < GAS_SEQ || threads_of(mode) > GAS_PAR || segments_of(mode) < GAS_FAST ||
        segments_of(mode) > GAS_EVERYTHING || strcmp(config, config_of(mode)) != 0) {
        cwu_error("gasnet_init: gasnet.h of the program (\"%s\") is not that of this library; compile it again",
                  config);
        return false;
    }
    if (announced.other) {
        cwu_error(
            "gasnet_init: %s was compiled for \"%s\", %s for \"%s\"; give all files of a program the same -DGASNET_… "
            "options",
            announced.source, config_of(announced.mode), announced.other, config_of(announced.other_mode));
        return false;
    }
    return true;
}

// ---------------------------------------------------------------- init
static int thread_level(void)
{
    return gas.threads == GAS_PAR       ? CW_THREAD_MULTIPLE
           : gas.threads == GAS_PARSYNC ? CW_THREAD_SERIALIZED
                                        : CW_THREAD_SINGLE;
}

/** OpenSHMEM (or MPI) came first: what it chose must do. */
static bool check_joined(void)
{
    size_t nbytes;
    if (cw_world.thread_level < thread_level()) {
        cwu_error("gasnet_init: the job was joined with fewer threads than \"%s\" needs; call shmem_init_thread with "
                  "SHMEM_THREAD_%s, or gasnet_init before shmem_init",
                  config_of(gas.threads * 16 + gas.segments), gas.threads == GAS_PAR ? "MULTIPLE" : "SERIALIZED");
        return false;
    }
    if (!cw_area(&nbytes) && gas.segments != GAS_EVERYTHING && !cwu_env.max_segsize_set) {
        cwu_error("gasnet_init: the job was joined before this code was loaded, and has no room for segments; call "
                  "gasnet_init before shmem_init");
        return false;
    }
    return true;
}

GAS_API int gasnet_causeway_init(int *argc, char ***argv, int mode, const char *config)
{
    (void)argc, (void)argv;  // launchers of this library hand nothing over there
    if (gas.threads) {
        cwu_error("gasnet_init: called a second time");
        return GASNET_ERR_NOT_INIT;
    }
    if (!check_configurations(mode, config))
        return GASNET_ERR_BAD_ARG;
    gas.threads = threads_of(mode);
    gas.segments = segments_of(mode);
    gas.mixed = cw_world.initialized || gas_program_uses_shmem();
    if (!gas.mixed)
        cw_area_leave_data();
    bool joined = cw_world.initialized;
    cw_am_expect();
    if ((joined && !check_joined()) || cw_init(thread_level()) != CW_OK) {
        gas.threads = 0;
        return GASNET_ERR_RESOURCE;
    }
    gas.check = CW_CHECKING();
    gas.me = (uint32_t)cw_world.pe;
    gas.nodes = (uint32_t)cw_world.npes;
    gas_exit_open();
    return GASNET_OK;
}

// ---------------------------------------------------------------- attach
#define SMALLEST_PAGE 4096  // what the area is aligned to, wherever

void *gas_area(uintptr_t *nbytes_p)
{
    size_t nbytes;
    uintptr_t unit = GASNET_PAGESIZE, margin = unit - SMALLEST_PAGE, area = (uintptr_t)cw_area(&nbytes);
    *nbytes_p = nbytes > margin ? (nbytes - margin) / unit * unit : 0;
    return (void *)((area + unit - 1) / unit * unit);
}

static bool check_segment(uintptr_t segsize)
{
    uintptr_t most = gasnet_getMaxLocalSegmentSize();
    if (gas.segments == GAS_EVERYTHING)
        return true;
    if (segsize % GASNET_PAGESIZE) {
        cwu_error("gasnet_attach: segsize is %zu, no multiple of GASNET_PAGESIZE (%d)", (size_t)segsize,
                  GASNET_PAGESIZE);
        return false;
    }
    if (segsize > most) {
        cwu_error(
            "gasnet_attach: segsize is %zu bytes, but gasnet_getMaxLocalSegmentSize is %zu (GASNET_MAX_SEGSIZE sets "
            "it)",
            (size_t)segsize, (size_t)most);
        return false;
    }
    return true;
}

/** Everybody's segment and origin. */
static void exchange(uintptr_t addr, uintptr_t size)
{
    size_t nbytes = sizeof(gas_segment_t);
    gas_segment_t *mine = cw_heap_malloc(0, nbytes), *all = cw_heap_malloc(0, nbytes * gas.nodes);
    gas.segment = malloc(nbytes * gas.nodes);
    if (!mine || !all || !gas.segment)
        cwu_fatal("gasnet_attach: no room for the segments of %u nodes in the symmetric heap (SHMEM_SYMMETRIC_SIZE)",
                  gas.nodes);
    cw_barrier(cw_group_world);  // nobody's data comes into memory that another still uses
    *mine = (gas_segment_t){addr, size, cw_area_origin()};
    cw_fcollect(cw_group_world, all, mine, nbytes);
    memcpy(gas.segment, all, nbytes * gas.nodes);
    cw_barrier(cw_group_world);
    cw_heap_free(all);
    cw_heap_free(mine);
}

/** What of a process is mapped here: all that its slice holds, and of myself everything. */
static uintptr_t word_of(uint32_t node)
{
    uintptr_t word = cw_ctx_default.word[node], ring = gas.mixed ? 2 : 0;
    if (node == gas.me)
        return ring;
    if ((word & 1) || gas.segments == GAS_EVERYTHING)
        return (uintptr_t)&gas.strangers[node] + 1;
    return (word + cw_area_origin() - gas.segment[node].origin) | ring;
}

static void make_tables(void)
{
    cw_gather_all();
    gas.word = malloc(gas.nodes * sizeof *gas.word);
    if (cw_world.nnodes > 1 || gas.segments == GAS_EVERYTHING)
        gas.strangers = aligned_alloc(64, gas.nodes * sizeof(cwt_target_t));
    if (!gas.word || (!gas.strangers && cw_world.nnodes > 1))
        cwu_fatal("gasnet_attach: out of memory for the tables of %u nodes", gas.nodes);
    for (uint32_t node = 0; gas.strangers && node < gas.nodes; node++)
        gas.strangers[node] = (cwt_target_t){.inject = gas_meet, .ep = &gas.strangers[node]};
    for (uint32_t node = 0; node < gas.nodes; node++)
        gas.word[node] = word_of(node);
}

int gas_attach(gasnet_handlerentry_t *table, int numentries, uintptr_t segsize)
{
    uintptr_t most;
    if (!gas.threads || gas.attached) {
        cwu_error("gasnet_attach: called %s", gas.attached ? "a second time" : "before gasnet_init");
        return GASNET_ERR_NOT_INIT;
    }
    if (gas_check_table(table, numentries) || !check_segment(segsize))
        return GASNET_ERR_BAD_ARG;
    bool everything = gas.segments == GAS_EVERYTHING;
    cw_area_heap(&gas.heap_offset, &gas.heap_nbytes);
    exchange(everything || segsize == 0 ? 0 : (uintptr_t)gas_area(&most), everything ? UINTPTR_MAX : segsize);
    make_tables();
    gas_barrier_open();
    gex_open();
    gas_am_open(table, numentries);
    gas.attached = true;
    gas.limit = cw_world.plain && !everything ? gas.nodes : 0;
    gas.slow_sync = gas.check || everything || !cw_world.plain;
    return GASNET_OK;
}

GAS_API int gasnet_attach(gasnet_handlerentry_t *table, int numentries, uintptr_t segsize, uintptr_t minheapoffset)
{
    (void)minheapoffset;  // the heap grows elsewhere
    int error = gas_attach(table, numentries, segsize);
    if (error)
        return error;
    const gas_segment_t *mine = &gas.segment[gas.me];
    if (gas.segments != GAS_EVERYTHING && mine->size > 0) {
        gex.segment = (struct gex_causeway_segment){.addr = (void *)mine->addr, .nbytes = mine->size};
        gex.ep[0].segment = &gex.segment;
        if (gasnet_client_attach_hook)
            gasnet_client_attach_hook((void *)mine->addr, mine->size);
    }
    cw_barrier(cw_group_world);  // nobody sends before all can receive
    return GASNET_OK;
}

// ---------------------------------------------------------------- questions
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

GAS_API gasnet_node_t gasnet_mynode(void)
{
    return gas.me;
}

GAS_API gasnet_node_t gasnet_nodes(void)
{
    return gas.nodes;
}

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
    for (uint32_t i = 0; i < (uint32_t)numentries && i < gas.nodes; i++) {
        const gas_segment_t *s = &gas.segment[i];
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
        uintptr_t word = gas_word(i);
        bool alone = gas.segments == GAS_EVERYTHING;  // what is shared is then only what has no name of its own
        nodeinfo_table[i] = (gasnet_nodeinfo_t){first, alone ? i : first, word & 1 ? 0 : word & ~(uintptr_t)3};
    }
    return GASNET_OK;
}

GAS_API char *gasnet_getenv(const char *name)
{
    return name ? (char *)(uintptr_t)cwu_env_get(name) : NULL;
}
