// SPDX-License-Identifier: BSD-3-Clause
//
// Node names to node numbers, by a hash table (nodemap.h).
#include "bootstrap/nodemap.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

int cwb_nodemap_init(cwb_nodemap_t *map, int npes)
{
    map->nnodes = 0;
    map->nslots = 16;
    while (map->nslots < (uint32_t)npes * 2u)
        map->nslots *= 2;
    map->slots = calloc(map->nslots, sizeof *map->slots);
    if (map->slots)
        return 0;
    cwu_error("no memory for the node names of %d PEs", npes);
    return CW_ENOMEM;
}

static uint32_t hash_of(const char *name)
{
    uint32_t h = 2166136261u;  // FNV-1a
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return h;
}

int cwb_nodemap_add(cwb_nodemap_t *map, const char *name)
{
    uint32_t i = hash_of(name) & (map->nslots - 1);
    while (map->slots[i].name && strcmp(map->slots[i].name, name))
        i = (i + 1) & (map->nslots - 1);
    if (!map->slots[i].name) {
        map->slots[i].name = strdup(name);
        if (!map->slots[i].name)
            cwu_fatal("no memory for the node name \"%s\"", name);
        map->slots[i].node = map->nnodes++;
    }
    return map->slots[i].node;
}

void cwb_nodemap_finish(cwb_nodemap_t *map)
{
    for (uint32_t i = 0; i < map->nslots; i++)
        free(map->slots[i].name);
    free(map->slots);
    map->slots = NULL;
}
