// SPDX-License-Identifier: BSD-3-Clause
//
// Facts of the job: which PE this is, where the others are, which modes are on. Written while the
// job is joined (core/life), read everywhere. Threads: written by one thread before others use the
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
    int node, nnodes;     // this PE's node
    int slot, nslots;     // this PE's place in its node
    int machine_cpus;     // processors that these PEs have together; 0: not known
    int machine_pes;      // PEs that share this machine's cores: all of a one-machine job, else
                          // this node's
    int max_slots;        // most PEs of any node: node objects have one shape
    int *node_of_pe;      // [npes] placement, as the launcher gave it
    int *slot_of_pe;      // [npes]
    int *pes_of_node;     // PEs of this node in slot order [nslots]
    int *leader_of_node;  // [nnodes] lowest PE of each node (hosts its server)
    int *slots_of_node;   // [nnodes] how many PEs each node has
    unsigned epoch;       // how often this process has joined: 1, and more after the last
                          // finalize and another init
    unsigned turn;        // the same on all PEs: how often the launcher's job was joined; 0 in one
                          // over a part of an MPI's processes
    bool initialized, finalized;
    _Atomic bool leaving;   // all PEs have come to the last finalize: nodes may end at any time
    _Atomic bool gathered;  // all PEs of this node have come (core/mem/gather.h)
    bool plain;             // between init and finalize, without an observer
                            // (core/observe/watch.h) and without symmetric memory of devices:
                            // entry points test only this
    bool observed;          // an observer is active
    bool watched;           // and observes every transfer: all peer words are cold
    bool check;             // checking mode
    int thread_level;
    const char *init_call;   // the routine by which the program joined
    bool hosts_server;
    _Atomic int helpers;  // threads of this library in this process, beside the node server
    bool thread_multiple;
    bool foreign;      // there is symmetric memory of devices (core/mem/foreign.h): all peer words
                       // are cold
    bool nic_atomics;  // every atomic goes through the NIC
    bool messages;     // active messages have been opened in this epoch (core/am/am.h)
} cw_world_t;
extern cw_world_t cw_world;

/** PEs that the memory of this machine is divided among, by a rule that gives nodes of one shape
 *  the same number. */
static inline uint64_t cw_machine_sharers(void)
{
    const cw_world_t *w = &cw_world;
    return (uint64_t)(w->machine_pes > w->max_slots ? w->machine_pes : w->max_slots);
}

/** In checking mode? The build option -Dchecking=false makes it a constant. */
#define CW_CHECKING() (CAUSEWAY_CHECKING && CW_UNLIKELY(cw_world.check))

/** The transport between nodes, or NULL in a job of one node. */
extern const cwt_ops_t *cw_transport CW_HIDDEN;

#endif
