// SPDX-License-Identifier: BSD-3-Clause
//
// Facts of the job. Threads: written by the one that joins (core/life) before others use the
// library, but for what is atomic.
#ifndef CW_CORE_WORLD_H
#define CW_CORE_WORLD_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/compiler.h"
#include "base/env.h"
#include "base/error.h"
#include "transport/transport.h"

enum { CW_THREAD_SINGLE, CW_THREAD_FUNNELED, CW_THREAD_SERIALIZED, CW_THREAD_MULTIPLE };

typedef struct cw_world {
    int pe, npes;
    int node, nnodes;     // this PE's
    int slot, nslots;     // its place there
    int machine_cpus;     // of these PEs together; 0: not known
    int machine_pes;      // of a one-machine job all, else this node's
    int max_slots;        // of any node: node objects have one shape
    int *node_of_pe;      // [npes], as the launcher gave it
    int *slot_of_pe;      // [npes]
    int *pes_of_node;     // [nslots], in slot order
    int *leader_of_node;  // [nnodes] lowest PE, which hosts the server
    int *slots_of_node;   // [nnodes]
    unsigned epoch;       // how often this process has joined
    unsigned turn;        // how often the launcher's job was joined, the same on all PEs;
                          // 0 in one over a part of an MPI's processes
    bool initialized, finalized;
    _Atomic bool leaving;   // all PEs are in the last finalize: nodes may end at any time
    _Atomic bool gathered;  // all PEs of this node have come (core/mem/gather.h)
    bool plain;             // joined, without observer and memory of devices:
                            // all that entry points test
    bool observed;          // an observer is active
    bool watched;           // and observes every transfer: all peer words are cold
    bool check;             // checking mode
    int thread_level;
    const char *init_call;   // by which the program joined
    bool hosts_server;
    _Atomic int helpers;  // threads of this library, beside the node server
    bool thread_multiple;
    bool foreign;      // memory of devices (core/mem/foreign.h)
    bool nic_atomics;  // every atomic goes through the NIC
    bool messages;     // opened in this epoch
} cw_world_t;
extern cw_world_t cw_world;

/** PEs that share this machine's memory, the same on nodes of one shape. */
static inline uint64_t cw_machine_sharers(void)
{
    const cw_world_t *w = &cw_world;
    return (uint64_t)(w->machine_pes > w->max_slots ? w->machine_pes : w->max_slots);
}

/** -Dchecking=false makes it a constant. */
#define CW_CHECKING() (CAUSEWAY_CHECKING && CW_UNLIKELY(cw_world.check))

/** NULL in a job of one node. */
extern const cwt_ops_t *cw_transport CW_HIDDEN;

#endif
