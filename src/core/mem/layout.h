// SPDX-License-Identifier: BSD-3-Clause
//
// The node object: one shared mapping that holds everything the PEs of a node share.
//
//   0              cw_control_t            first line: cw_node_hot_t
//                  cw_slot_t [max_slots]   doorbells
//                  sections in the control area, in the order of the table in core/life/life.c:
//                    one for each PE       waits and pieces of statistics (core/report/report.h)
//                    collectives           of the world; steps of teams (core/sync/area.h)
//                    published words       what PEs publish (core/sync/published.h)
//                    locks of blocks       of this object's memory (core/progress/block_lock.h)
//                    cells                 of large transfers (core/bulk/stage.h)
//                    routed requests       counts and windows of the PEs (core/rma/routed.h)
//                    parts                 device memory that PEs share (core/device/part.h)
//                    tables of all PEs     of a large job (core/mem/tables.h)
//   slice_offset   slice of slot 0         [static data | hole | scratch of the collectives,
//                                          symmetric heap, areas of front ends | sections in
//                                          slices: the inbox of messages (core/am/inbox.h),
//                                          values of routed requests (core/rma/routed.h)]
//   + stride       slice of slot 1         ...
//
// A slice has the same shape as the owner's own view: the heap lies heap_offset above the static
// data both in the owner's address space and in the slice, so one delta per peer reaches both.
// Holes cost addresses, not memory.
#ifndef CW_CORE_LAYOUT_H
#define CW_CORE_LAYOUT_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/futex.h"
#include "core/world/agreement.h"
#include "transport/transport.h"

#define CW_CONTROL_MAGIC 0x4341555345574159u  // "CAUSEWAY"
// bytes of collective scratch below each PE's heap, touched as teams need it
#define CW_COLL_SCRATCH (7u << 20)
// Data and heap are registered for a network card by chunks: powers of two, not many a PE, because
// each one that is used costs a request. Of a sparse area, which is as large as the machine's
// memory, little may be used: there are more of them (ADR 64).
#define CW_CHUNK_SHIFT_MIN 22u
#define CW_CHUNKS_MAX 64u
#define CW_CHUNKS_MAX_SPARSE 4096u

typedef enum cw_section_place {
    CW_SECTION_CONTROL,  // in the control area, once a node
    CW_SECTION_SLICE     // in each slice, behind heap and area
} cw_section_place_t;

/** A part of the node object that a room above uses. The room states place and size; the table of
 *  all goes to cw_segment_init, which fills in the offset. */
typedef struct cw_section {
    cw_section_place_t in;
    uint32_t align;
    uint64_t (*nbytes)(void);  // all PEs are placed when it is called; the same on every node
    uint64_t offset;           // in the node object, or in each slice; the same on every node
} cw_section_t;

/** Node-wide words that every PE of the node reads on its hot path (first cache line of the node
 *  object). */
typedef struct cw_node_hot {
    _Atomic uint32_t sleepers;  // PEs of this node asleep in a wait; pairs with cw_wait_sleep
} cw_node_hot_t;

/** How the PEs of the node learn of what the network writes (core/progress/arrivals.h). */
typedef struct cw_arrivals {
    _Atomic uint32_t turns;   // of the node server's progress, begun and ended: odd in a turn
    _Atomic uint32_t mode;    // cw_arrivals_mode_t
    _Atomic uint32_t proofs;  // waits that ended by a write that came in no turn
} CW_CACHE_ALIGNED cw_arrivals_t;
_Static_assert(sizeof(cw_arrivals_t) == 64, "one cache line, shared between processes");

typedef struct cw_control {
    cw_node_hot_t hot;
    char pad0[64 - sizeof(cw_node_hot_t)];
    _Atomic uint32_t state;        // 0 fresh, 1 being filled in, 2 ready; futex
    _Atomic uint32_t attached;     // PEs whose slice is ready; futex
    _Atomic uint32_t backing;      // does the network need memory behind pages? futex (backing.h)
    uint32_t origin_page;          // of the first PE to come (core/world/one_address.h)
    _Atomic uint64_t early;        // 0: no PE has ended before others (core/report/early.h), else
                                   // the PE + 1, above its number; also written from other nodes
    _Atomic uint32_t early_roles;  // taken by PEs of the node: bits of core/report/early.c
    uint64_t magic;
    cw_agreement_t agreement;
    cwt_layout_t layout;
    cw_arrivals_t arrivals;
} CW_CACHE_ALIGNED cw_control_t;

/** One line per PE of the node. */
typedef struct cw_slot {
    cwu_bell_t doorbell;            // of this PE's threads
    _Atomic uint32_t waiting;       // threads of this PE that have announced a sleep
    _Atomic int32_t pid;            // 0 before the PE comes and after it has left in good order
    _Atomic uint32_t watched_size;  // bytes of the word at `watched`: 2, 4 or 8
    _Atomic uint64_t watched;       // offset in the node object of the word that the sleeper waits
                                    // for; 0: not known
    _Atomic uint64_t seen;          // its value when the sleeper last looked
    uint32_t pid_namespace;         // that pid is a number of; 0: not known. Written before pid
    _Atomic uint32_t life;          // robust futex of its thread core/life/neighbour.c
    char pad[24];
} cw_slot_t;
_Static_assert(sizeof(cw_slot_t) == 64, "one cache line, shared between processes");

#endif
