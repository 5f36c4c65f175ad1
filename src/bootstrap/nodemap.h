// SPDX-License-Identifier: BSD-3-Clause
//
// Turns the node name of each PE, given in order, into dense node numbers in order of their lowest
// PE.
// Ownership: names are copied; init/finish. Cost: O(1) a PE. Threads: one.
#ifndef CW_BOOTSTRAP_NODEMAP_H
#define CW_BOOTSTRAP_NODEMAP_H

#include <stdint.h>

typedef struct cwb_nodemap {
    struct cwb_nodemap_slot {
        char *name;
        int node;
    } * slots;  // open addressing, a power of two, at most half full
    uint32_t nslots;
    int nnodes;
} cwb_nodemap_t;

/** 0 or CW_ENOMEM (reported). */
int cwb_nodemap_init(cwb_nodemap_t *map, int npes);

/** The number of this name, a new one for a name not seen before. */
int cwb_nodemap_add(cwb_nodemap_t *map, const char *name);

void cwb_nodemap_finish(cwb_nodemap_t *map);

#endif
