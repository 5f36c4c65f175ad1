// SPDX-License-Identifier: BSD-3-Clause
//
// What PEs of a node, and leaders of other nodes, write for each other in collectives. Fresh memory
// is zero. While a group lives nothing is reset: counters and numbers only grow (and wrap).
//
//   the world, in the control area; all before the counters at one offset on every node:
//     cw_coll_area_t                320 B    release word, result, root counter
//     processors                    128 B    of the node's PEs
//     cw_coll_step_t [steps]        8.1 KiB  written by leaders of other nodes
//     cw_coll_counter_t [..]         64 B    arrivals of CW_COLL_RADIX members each
//     cw_coll_deposit_t [2][slots]  256 B    operands, each written by its slot alone
//   twice again, apart (cw_apart_t); then each PE's steps of teams that it may lead here
//
//   teams, below each PE's heap: cw_coll_scratch_t
#ifndef CW_CORE_SYNC_AREA_H
#define CW_CORE_SYNC_AREA_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "core/mem/layout.h"

#define CW_COLL_SMALL 240u    // bytes that travel with a synchronisation
#define CW_COLL_MEDIUM 4096u  // between nodes, where the extra copies pay
#define CW_COLL_RADIX 32      // members that count on one word
#define CW_COLL_CPUS 1024     // processors distinguished

// teams that a PE may be in, with the world and shared
#define CW_TEAMS 1024
#define CW_ROOMY_TEAMS 64   // lowest numbers: with scratch and medium payloads
#define CW_COLL_SHORT 256u  // payload in the others' steps, in whole lines
#define CW_TEAM_WORDS 64    // symmetric words of each team
#define CW_SCRATCH_HALF 30720
#define CW_WORLD_HALF (768u << 10)
// of the shared team, which has no notes: claims (agree.c)
#define CW_COLL_CLAIM_WORDS 1

typedef struct cw_coll_area {
    _Atomic uint32_t released;  // last synchronisation that is over; futex in a job of one node
    _Atomic uint32_t sleepers;  // on `released` or on the bell
    _Atomic uint32_t meets;     // set by the closer: members meet from now on
    _Atomic uint32_t bell;      // rung when a meeting is over; futex
    char result[CW_COLL_SMALL];  // of the last one; rewritten when all are in the next
    CW_CACHE_ALIGNED _Atomic uint32_t arrived;  // full counters; where members meet, arrivals
    _Atomic uint32_t left;                  // members that have left a destroyed team
} cw_coll_area_t;
_Static_assert(sizeof(cw_coll_area_t) == 256 + 64, "shared between processes");

/** Each word has one writer while the group lives. The payload is written before its sequence
 *  number, by the same node. */
typedef struct cw_coll_step {
    // of the last barrier, by parity of the sequence number
    CW_CACHE_ALIGNED _Atomic uint64_t barrier[2];
    _Atomic uint64_t value;  // its number
    // two of the step's capacity, by the same parity
    CW_CACHE_ALIGNED char payload[];
} cw_coll_step_t;
_Static_assert(sizeof(cw_coll_step_t) == 64, "written from other nodes");

typedef struct cw_coll_counter {
    CW_CACHE_ALIGNED _Atomic uint32_t arrived;  // over all synchronisations
} cw_coll_counter_t;

/** Of a member; meetings with odd numbers use its second one. */
typedef struct cw_coll_deposit {
    CW_CACHE_ALIGNED _Atomic uint32_t number;  // of the member's synchronisation
    _Atomic int32_t cpu;                       // where it ran then; a hint
    uint64_t pad;
    char value[CW_COLL_SMALL];
} cw_coll_deposit_t;
_Static_assert(sizeof(cw_coll_deposit_t) == 256, "whole lines: no two members share one");

typedef struct cw_leaders_barrier {
    uint64_t sequence, value;  // value: combined so far
    uint32_t step, pad;        // step: whose notification is next
} cw_leaders_barrier_t;

/** Of a split-phase barrier (split.h), one a node. */
typedef struct cw_coll_split {
    CW_CACHE_ALIGNED _Atomic uint32_t busy;  // a process of the node advances it
    _Atomic uint64_t attended;           // last phase that the first PE waits for
    cw_leaders_barrier_t barrier;        // guarded by busy
} cw_coll_split_t;
_Static_assert(sizeof(cw_coll_split_t) == 64, "one line");

typedef struct cw_team_cell {
    cw_coll_area_t area;        // if the PE leads the team on its node
    cw_coll_split_t split;      // the same
    cw_coll_counter_t counter;  // if the PE is first of CW_COLL_RADIX members
    cw_coll_deposit_t deposit;
} cw_team_cell_t;
_Static_assert(sizeof(cw_team_cell_t) == 704, "whole lines");

// The world synchronises in the control area; its cell serves the split-phase barrier.
enum { CW_SPLIT_CELL = 0 };

/** At one symmetric address. */
typedef struct cw_coll_scratch {
    long words[CW_TEAMS][CW_TEAM_WORDS];
    cw_team_cell_t cell[CW_TEAMS];
    cw_coll_deposit_t odd[CW_ROOMY_TEAMS];  // second deposits
    CW_CACHE_ALIGNED char half[CW_ROOMY_TEAMS][2][CW_SCRATCH_HALF];
    CW_CACHE_ALIGNED char world_half[2][CW_WORLD_HALF];
    CW_CACHE_ALIGNED uint64_t leaving[2];  // core/life/leave.c: its two counts
    uint64_t surveyor;                     // core/report/early.c: PE + 1 that looks at all
} cw_coll_scratch_t;

static inline int cw_coll_log2_ceil(int n)
{
    return n <= 1 ? 0 : 32 - __builtin_clz((unsigned)(n - 1));
}

/** Those of the doubling, and one before and after it for nodes beyond a power of two. */
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

/** A bit for each processor that PEs of the node may run on. area: the world's. */
static inline _Atomic uint64_t *cw_coll_cpus(cw_coll_area_t *area)
{
    return (_Atomic uint64_t *)(void *)(area + 1);
}

/** From the world's area on. */
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

/** Among the steps of one PE; id CW_TEAMS: their end. */
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

/** Of all that the world has. */
static inline size_t cw_coll_area_nbytes(int nslots, int nnodes)
{
    return (size_t)cw_coll_step_offset(cw_coll_nsteps(nnodes)) +
           (size_t)cw_coll_ncounters(nslots) * sizeof(cw_coll_counter_t) +
           2 * (size_t)nslots * sizeof(cw_coll_deposit_t);
}

// ---- where they are (area.c)
extern cw_section_t cw_coll_section, cw_steps_section;
/** Of the world, on this node. */
cw_coll_area_t *cw_coll_local_area(void);
/** In the node object, the same on every node. */
uint64_t cw_coll_area_offset(void);
/** Synchronisations of the world that match no collective of the program (groups.c). */
typedef enum cw_apart { CW_APART_FAREWELL = 1, CW_APART_LEVELS, CW_APART_END } cw_apart_t;
cw_coll_area_t *cw_coll_apart_area(cw_apart_t which);
uint64_t cw_coll_apart_offset(cw_apart_t which);
/** Where other leaders write for a leader in that slot: the same on every node. */
uint64_t cw_team_steps_offset(int slot, int id);
/** The same of this node, mapped here. */
char *cw_team_steps(int slot, int id);
/** Symmetric, in this PE's slice. */
cw_coll_scratch_t *cw_coll_scratch(void);

#endif
