// SPDX-License-Identifier: BSD-3-Clause
//
// What the PEs of a node, and the leaders of other nodes, write for each other in collectives: for
// the world in the control area of the node object, for teams in the scratch of their members.
// Fresh memory is zero, and zero is the initial state. While a group lives nothing is reset:
// counters and sequence numbers only grow (and wrap), so a late reader cannot miss a value. What a
// team has used is made fit for the next one when the team is destroyed (core/sync/team.c).
//
//   the world, in the control area; all before the counters lies at the same offset on every node:
//     cw_coll_area_t                320 B    release word and result, root counter
//     processors                    128 B    that the PEs of the node may run on
//     cw_coll_step_t [steps]        8.1 KiB  one per step between leaders; other nodes write them
//     cw_coll_counter_t [..]         64 B    arrivals of CW_COLL_RADIX members each
//     cw_coll_deposit_t [2][slots]  256 B    small operands, each written by its slot alone
//   a second time, for the synchronisations of PEs that end (groups.c)
//   teams, behind that: the steps of each PE of the node for each team that it may lead here
//
//   teams, in the scratch below each PE's heap: cw_coll_scratch_t. Of a team, the cells of its
//   members on a node are in use: the area of the leader there, the counter of every
//   CW_COLL_RADIXth member, the deposits of all. So the memory set aside grows with the number of
//   PEs, not with its square, and disjoint teams may have the same number.
#ifndef CW_CORE_SYNC_AREA_H
#define CW_CORE_SYNC_AREA_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "core/mem/layout.h"

#define CW_COLL_SMALL 240u    // bytes of operand or result that travel with a synchronisation
#define CW_COLL_MEDIUM 4096u  // the same in a job of several nodes, where the extra copies pay
#define CW_COLL_RADIX 32      // members that count on one word
#define CW_COLL_CPUS 1024     // processors distinguished

// numbers of teams: the teams that a PE may be a member of at once, with the world and shared
#define CW_TEAMS 1024
#define CW_ROOMY_TEAMS 64   // the lowest of them: with scratch, and medium payloads between nodes
#define CW_COLL_SHORT 256u  // payload of a step of the others: CW_COLL_SMALL in whole lines
#define CW_TEAM_WORDS 64    // symmetric words of each team
#define CW_SCRATCH_HALF 30720
#define CW_WORLD_HALF (768u << 10)  // the same of the world, for cells of larger collectives
// the words of the shared team, whose members are on one node and write no notes: claims (agree.c)
#define CW_COLL_CLAIM_WORDS 1

typedef struct cw_coll_area {
    _Atomic uint32_t released;  // number of the last synchronisation that is over; futex in a job
                                 // of one node
    _Atomic uint32_t sleepers;  // PEs asleep on it, or on the bell
    _Atomic uint32_t meets;     // from now on the members meet (node_sync.h); set by the closer
    _Atomic uint32_t bell;      // rung when a meeting is over; futex
    char result[CW_COLL_SMALL];  // of that synchronisation; rewritten when all members have arrived
                                 // in the next one, and so have read it
    CW_CACHE_ALIGNED _Atomic uint32_t arrived;  // full counters, over all synchronisations; where
                                                // members meet, arrivals over all meetings
    _Atomic uint32_t left;                  // members that have left a team that is destroyed
} cw_coll_area_t;
_Static_assert(sizeof(cw_coll_area_t) == 256 + 64, "shared between processes");

/** One step between leaders. Each word has one writer while the group lives (barrier and value
 *  steps have different partners), so it never goes backwards. The payload of a sequence number is
 *  written before the number, by the same node. */
typedef struct cw_coll_step {
    // by parity of the sequence number: what came last in a barrier (leaders.h)
    CW_CACHE_ALIGNED _Atomic uint64_t barrier[2];
    _Atomic uint64_t value;  // sequence number of the last payload
    // two of the step's capacity, by parity of the sequence number
    CW_CACHE_ALIGNED char payload[];
} cw_coll_step_t;
_Static_assert(sizeof(cw_coll_step_t) == 64, "written from other nodes");

typedef struct cw_coll_counter {
    CW_CACHE_ALIGNED _Atomic uint32_t arrived;  // arrivals, over all synchronisations
} cw_coll_counter_t;

/** Of meetings, the second one is that of odd numbers, the first that of even ones. */
typedef struct cw_coll_deposit {
    CW_CACHE_ALIGNED _Atomic uint32_t number;  // of the synchronisation that the member arrived in
    _Atomic int32_t cpu;                       // on which it ran then; a hint
    uint64_t pad;
    char value[CW_COLL_SMALL];
} cw_coll_deposit_t;
_Static_assert(sizeof(cw_coll_deposit_t) == 256, "whole lines: no two members share one");

/** A barrier between leaders that is under way. */
typedef struct cw_leaders_barrier {
    uint64_t sequence, value;  // value: combined so far
    uint32_t step, pad;        // step: whose notification is to come next
} cw_leaders_barrier_t;

/** Of a split-phase barrier (split.h), one a node. */
typedef struct cw_coll_split {
    CW_CACHE_ALIGNED _Atomic uint32_t busy;  // a process of the node advances the barrier
    _Atomic uint64_t attended;           // the last phase that the node's first PE waits for
    cw_leaders_barrier_t barrier;        // guarded by busy
} cw_coll_split_t;
_Static_assert(sizeof(cw_coll_split_t) == 64, "one line");

/** What a PE holds for one team. */
typedef struct cw_team_cell {
    cw_coll_area_t area;        // in use if the PE leads the team on its node
    cw_coll_split_t split;      // the same
    cw_coll_counter_t counter;  // in use if the PE is the first of CW_COLL_RADIX members
    cw_coll_deposit_t deposit;  // of the PE
} cw_team_cell_t;
_Static_assert(sizeof(cw_team_cell_t) == 704, "whole lines");

// The world synchronises on cells in the control area. The cell that has its number serves its
// split-phase barrier.
enum { CW_SPLIT_CELL = 0 };

/** Below each PE's heap, at one symmetric address. Its pages are touched when teams use them. */
typedef struct cw_coll_scratch {
    long words[CW_TEAMS][CW_TEAM_WORDS];
    cw_team_cell_t cell[CW_TEAMS];
    cw_coll_deposit_t odd[CW_ROOMY_TEAMS];  // second deposits
    CW_CACHE_ALIGNED char half[CW_ROOMY_TEAMS][2][CW_SCRATCH_HALF];
    CW_CACHE_ALIGNED char world_half[2][CW_WORLD_HALF];
    CW_CACHE_ALIGNED uint64_t leaving[2];  // core/life/leave.c: PEs that came to its two counts
    uint64_t surveyor;                     // core/report/early.c: PE + 1 that looks at all others
} cw_coll_scratch_t;

static inline int cw_coll_log2_ceil(int n)
{
    return n <= 1 ? 0 : 32 - __builtin_clz((unsigned)(n - 1));
}

/** Steps between the leaders of nnodes nodes: those of the doubling, one before them and one after
 *  for the nodes beyond a power of two. */
static inline int cw_coll_nsteps(int nnodes)
{
    return nnodes <= 1 ? 0 : cw_coll_log2_ceil(nnodes) + 2;
}

static inline int cw_coll_ncounters(int nslots)
{
    return (nslots + CW_COLL_RADIX - 1) / CW_COLL_RADIX;
}

static inline uint64_t cw_coll_step_nbytes(uint32_t capacity)
{
    return sizeof(cw_coll_step_t) + 2 * (uint64_t)capacity;
}

/** Processors that some PE of the node may run on, a bit each. area: the world's. */
static inline _Atomic uint64_t *cw_coll_cpus(cw_coll_area_t *area)
{
    return (_Atomic uint64_t *)(void *)(area + 1);
}

/** Of the world, from its area on. */
static inline uint64_t cw_coll_step_offset(int step)
{
    return sizeof(cw_coll_area_t) + CW_COLL_CPUS / 8 +
           (uint64_t)step * cw_coll_step_nbytes(CW_COLL_MEDIUM);
}

static inline cw_coll_step_t *cw_coll_step(cw_coll_area_t *area, int step)
{
    return (cw_coll_step_t *)((char *)area + cw_coll_step_offset(step));
}

static inline uint32_t cw_team_capacity(int id)
{
    return id < CW_ROOMY_TEAMS ? CW_COLL_MEDIUM : CW_COLL_SHORT;
}

/** Where the steps of team `id` begin among those of one PE; CW_TEAMS: where they end. */
static inline uint64_t cw_team_steps_at(int id, int nnodes)
{
    uint64_t roomy = (uint64_t)(id < CW_ROOMY_TEAMS ? id : CW_ROOMY_TEAMS),
             others = (uint64_t)id - roomy;
    return (uint64_t)cw_coll_nsteps(nnodes) * (roomy * cw_coll_step_nbytes(CW_COLL_MEDIUM) +
                                               others * cw_coll_step_nbytes(CW_COLL_SHORT));
}

static inline cw_coll_counter_t *cw_coll_counter(cw_coll_area_t *area, int nnodes, int i)
{
    return (cw_coll_counter_t *)((char *)area + cw_coll_step_offset(cw_coll_nsteps(nnodes))) + i;
}

/** odd: 0 or 1. */
static inline cw_coll_deposit_t *cw_coll_deposit(cw_coll_area_t *area, int nnodes, int nslots,
                                                 int odd, int slot)
{
    return (cw_coll_deposit_t *)cw_coll_counter(area, nnodes, cw_coll_ncounters(nslots)) +
           odd * nslots + slot;
}

/** Bytes of all that the world has, on a node of nslots PEs in a job of nnodes nodes. */
static inline size_t cw_coll_area_nbytes(int nslots, int nnodes)
{
    return (size_t)cw_coll_step_offset(cw_coll_nsteps(nnodes)) +
           (size_t)cw_coll_ncounters(nslots) * sizeof(cw_coll_counter_t) +
           2 * (size_t)nslots * sizeof(cw_coll_deposit_t);
}

// ---- where they are (area.c)
extern cw_section_t cw_coll_section, cw_steps_section;
/** The world's area of this node, mapped here. */
cw_coll_area_t *cw_coll_local_area(void);
/** Its offset in the node object: the same on every node. */
uint64_t cw_coll_area_offset(void);
/** The same on which PEs that end synchronise. */
cw_coll_area_t *cw_coll_farewell_area(void);
uint64_t cw_coll_farewell_offset(void);
/** Offset of the steps of team `id` that other leaders write for the PE in that slot, as leader of
 *  its node: the same on every node. */
uint64_t cw_team_steps_offset(int slot, int id);
/** The same of this node, mapped here. */
char *cw_team_steps(int slot, int id);
/** Symmetric scratch in this PE's slice. */
cw_coll_scratch_t *cw_coll_scratch(void);

#endif
