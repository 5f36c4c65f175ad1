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
        cwu_error("gasnet_init: gasnet.h of the program (\"%s\") is not that of this library; "
                  "compile it again",
                  config);
        return false;
    }
    if (announced.other) {
        cwu_error("gasnet_init: %s was compiled for \"%s\", %s for \"%s\"; give all files of a "
                  "program the same -DGASNET_… "
                  "options",
                  announced.source, config_of(announced.mode), announced.other,
                  config_of(announced.other_mode));
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
        cwu_error("gasnet_init: the job was joined with fewer threads than \"%s\" needs; call "
                  "shmem_init_thread with "
                  "SHMEM_THREAD_%s, or gasnet_init before shmem_init",
                  config_of(gas.threads * 16 + gas.segments),
                  gas.threads == GAS_PAR ? "MULTIPLE" : "SERIALIZED");
        return false;
    }
    if (!cw_area(&nbytes) && gas.segments != GAS_EVERYTHING && !cwu_env.max_segsize_set) {
        cwu_error("gasnet_init: the job was joined before this code was loaded, and has no room "
                  "for segments; call "
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
static bool check_segment(uintptr_t segsize)
{
    uintptr_t most = gasnet_getMaxLocalSegmentSize();
    if (gas.segments == GAS_EVERYTHING)
        return true;
    if (segsize % GASNET_PAGESIZE) {
        cwu_error("gasnet_attach: segsize is %zu, no multiple of GASNET_PAGESIZE (%d)",
                  (size_t)segsize, GASNET_PAGESIZE);
        return false;
    }
    if (segsize > most) {
        cwu_error("gasnet_attach: segsize is %zu bytes, but gasnet_getMaxLocalSegmentSize is %zu "
                  "(GASNET_MAX_SEGSIZE sets "
                  "it)",
                  (size_t)segsize, (size_t)most);
        return false;
    }
    return true;
}

/** Others are strangers until they are needed (gas_find_word). */
static void make_tables(void)
{
    gas.word = malloc(gas.nodes * sizeof *gas.word);
    gas.strangers = aligned_alloc(64, gas.nodes * sizeof(cwt_target_t));
    if (!gas.word || !gas.strangers)
        cwu_fatal("gasnet_attach: out of memory for the tables of %u nodes", gas.nodes);
    for (uint32_t node = 0; node < gas.nodes; node++) {
        gas.strangers[node] = (cwt_target_t){.inject = gas_meet, .ep = &gas.strangers[node]};
        gas.word[node] = gas_stranger(node);
    }
    gas.word[gas.me] = gas.mixed ? 2 : 0;
}

void gas_start_barrier(void)
{
    if (gas.used_memory || strcmp(cwu_env.attach, "barrier") == 0)
        cw_barrier(cw_group_world);
}

int gas_attach(gasnet_handlerentry_t *table, int numentries)
{
    if (!gas.threads || gas.attached) {
        cwu_error("gasnet_attach: called %s",
                  gas.attached ? "a second time" : "before gasnet_init");
        return GASNET_ERR_NOT_INIT;
    }
    if (gas_check_table(table, numentries))
        return GASNET_ERR_BAD_ARG;
    bool everything = gas.segments == GAS_EVERYTHING;
    cw_area_heap(&gas.heap_offset, &gas.heap_nbytes);
    gas_segments_open();
    make_tables();
    gas_barrier_open();
    gex_open();
    gas_am_register(table, numentries);
    gas.attached = true;
    gas.limit = cw_world.plain && !everything ? gas.nodes : 0;
    gas.slow_sync = gas.check || everything || !cw_world.plain;
    gas_tell_origin();
    return GASNET_OK;
}

GAS_API int gasnet_attach(gasnet_handlerentry_t *table, int numentries, uintptr_t segsize,
                          uintptr_t minheapoffset)
{
    (void)minheapoffset;  // the heap grows elsewhere
    bool everything = gas.segments == GAS_EVERYTHING;
    if (gas.threads && !gas.attached && !check_segment(segsize))
        return GASNET_ERR_BAD_ARG;
    int error = gas_attach(table, numentries);
    if (error)
        return error;
    if (!everything) {
        uintptr_t addr = gas.segment[gas.me].addr;
        gas_set_segment(gas.me, segsize ? addr : 0, segsize);
        if (segsize > 0) {
            gex.segment = (struct gex_causeway_segment){.addr = (void *)addr, .nbytes = segsize};
            gex.ep[0].segment = &gex.segment;
            if (gasnet_client_attach_hook)
                gasnet_client_attach_hook((void *)addr, segsize);
        }
        gas_tell_size(segsize);
    }
    gas_start_barrier();
    gas_am_open();
    return GASNET_OK;
}

// ---------------------------------------------------------------- questions
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
