// SPDX-License-Identifier: BSD-3-Clause
//
// Facts of the machine by hwloc, which is loaded and never linked.
#include "dart/locality/hardware.h"

#ifdef CW_HAVE_HWLOC

#include <dlfcn.h>
#include <hwloc.h>

_Static_assert(HWLOC_API_VERSION >= 0x20000, "hwloc 2, whose library is libhwloc.so.15");

static struct {
    int (*init)(hwloc_topology_t *topology);
    int (*load)(hwloc_topology_t topology);
    void (*destroy)(hwloc_topology_t topology);
    int (*depth_of)(hwloc_topology_t topology, hwloc_obj_type_t type);
    unsigned (*count)(hwloc_topology_t topology, int depth);
    hwloc_obj_t (*object)(hwloc_topology_t topology, int depth, unsigned index);
} fn;

static hwloc_topology_t topology;

static bool find_functions(void *library)
{
    const struct {
        const char *name;
        void *to;
    } names[] = {{"hwloc_topology_init", &fn.init},        {"hwloc_topology_load", &fn.load},
                 {"hwloc_topology_destroy", &fn.destroy},  {"hwloc_get_type_depth", &fn.depth_of},
                 {"hwloc_get_nbobjs_by_depth", &fn.count}, {"hwloc_get_obj_by_depth", &fn.object}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *symbol = dlsym(library, names[i].name);
        if (!symbol)
            return false;
        *(void **)names[i].to = symbol;
    }
    return true;
}

static bool open_topology(void)
{
    static bool tried;
    if (tried)
        return topology != NULL;
    tried = true;
    void *library = dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);
    if (!library || !find_functions(library) || fn.init(&topology))
        return false;
    if (fn.load(topology)) {
        fn.destroy(topology);
        topology = NULL;
    }
    return topology != NULL;
}

/** At least one: what a machine has none of is the machine itself. */
static int number_of(hwloc_obj_type_t type)
{
    int n = (int)fn.count(topology, fn.depth_of(topology, type));
    return n > 0 ? n : 1;
}

static hwloc_obj_t thread_with(int cpu)
{
    const int depth = fn.depth_of(topology, HWLOC_OBJ_PU);
    const unsigned n = fn.count(topology, depth);
    for (unsigned i = 0; i < n; i++) {
        hwloc_obj_t thread = fn.object(topology, depth, i);
        if (thread && thread->os_index == (unsigned)cpu)
            return thread;
    }
    return NULL;
}

static void add_cache(dart_hwinfo_t *info, hwloc_obj_t cache)
{
    int level = cache->type - HWLOC_OBJ_L1CACHE;  // from 0
    info->cache_sizes[level] = (int)cache->attr->cache.size;
    info->cache_line_sizes[level] = (int)cache->attr->cache.linesize;
    info->cache_ids[level] = (int)cache->logical_index;
    if (cache->type >= HWLOC_OBJ_L3CACHE)
        drt_add_scope(info, DART_LOCALITY_SCOPE_CACHE, (int)cache->logical_index);
}

/** One that the thread is in. */
static void add_part(dart_hwinfo_t *info, hwloc_obj_t part)
{
    if (part->memory_arity > 0 && info->numa_id < 0) {
        info->numa_id = (int)part->memory_first_child->logical_index;
        if (part->memory_first_child->type == HWLOC_OBJ_NUMANODE)
            info->numa_memory_bytes =
                (int)(part->memory_first_child->attr->numanode.local_memory >> 20);
    }
    if (part->type == HWLOC_OBJ_CORE) {
        info->core_id = (int)part->logical_index;
        info->min_threads = info->max_threads = (int)part->arity;
        drt_add_scope(info, DART_LOCALITY_SCOPE_CORE, info->core_id);
    } else if (part->type >= HWLOC_OBJ_L1CACHE && part->type <= HWLOC_OBJ_L5CACHE) {
        add_cache(info, part);
    } else if (part->type == HWLOC_OBJ_PACKAGE) {
        drt_add_scope(info, DART_LOCALITY_SCOPE_PACKAGE, (int)part->logical_index);
    }
}

bool drt_hwloc_of(int cpu, dart_hwinfo_t *info)
{
    hwloc_obj_t thread = open_topology() ? thread_with(cpu) : NULL;
    if (!thread)
        return false;
    for (hwloc_obj_t part = thread->parent; part; part = part->parent) {
        add_part(info, part);
        if (!part->parent)
            info->system_memory_bytes = (int)(part->total_memory >> 20);
    }
    if (info->core_id < 0) {  // a machine whose cores are not known
        info->core_id = (int)thread->logical_index;
        info->scopes[info->num_scopes] = info->scopes[0];
        info->num_scopes += info->num_scopes > 0;
        info->scopes[0] = (dart_locality_scope_pos_t){DART_LOCALITY_SCOPE_CORE, info->core_id};
        info->num_scopes += info->num_scopes == 0;
    }
    info->numa_id = info->numa_id < 0 ? 0 : info->numa_id;
    drt_add_scope(info, DART_LOCALITY_SCOPE_NUMA, info->numa_id);
    info->num_numa = number_of(HWLOC_OBJ_NUMANODE);
    info->num_sockets = number_of(HWLOC_OBJ_PACKAGE);
    int cores = (int)fn.count(topology, fn.depth_of(topology, HWLOC_OBJ_CORE));
    info->num_cores = cores > 0 ? cores : number_of(HWLOC_OBJ_PU);
    return true;
}

#else

bool drt_hwloc_of(int cpu, dart_hwinfo_t *info)
{
    (void)cpu, (void)info;
    return false;
}

#endif
