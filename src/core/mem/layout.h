// SPDX-License-Identifier: BSD-3-Clause
//
// The node object, which the PEs of a node share.
//
//   0              cw_control_t            first line: cw_node_hot_t
//                  cw_slot_t [max_slots]   doorbells
//                  control sections, in the order of the table in core/life/life.c
//                  room for low addresses before static data (NULL, functions: cw_segment.before)
//   slice_offset   slice of slot 0         [static data | hole | scratch of collectives, symmetric
//                                          heap, areas of front ends | sections in slices]
//                  that room again
//   + stride       slice of slot 1         ...
//
// Slices are shaped as owners' views (heap_offset), so one delta per peer reaches all.
#ifndef CW_CORE_LAYOUT_H
#define CW_CORE_LAYOUT_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/futex.h"
#include "core/world/agreement.h"
#include "transport/transport.h"

#define CW_CONTROL_MAGIC 0x4341555345574159u  // "CAUSEWAY"
// bytes of collective scratch below each heap; teams touch what they need
#define CW_COLL_SCRATCH (7u << 20)
// Chunks, which are registered as a unit: powers of two (ADR 64).
#define CW_CHUNK_SHIFT_MIN 22u
#define CW_CHUNKS_MAX 64u
#define CW_CHUNKS_MAX_SPARSE 4096u

typedef enum cw_section_place {
    CW_SECTION_CONTROL,  // once a node
    CW_SECTION_SLICE     // in each slice, behind heap and areas
} cw_section_place_t;

/** A part of the node object. Its room states place and size, cw_segment_init the offset. */
typedef struct cw_section {
    cw_section_place_t in;
    uint32_t align;
    uint64_t (*nbytes)(void);  // called when all PEs are placed; equal on all nodes
    uint64_t offset;           // in the node object or in each slice; equal on all nodes
} cw_section_t;

/** What the node's PEs read on hot paths. */
typedef struct cw_node_hot {
    _Atomic uint32_t sleepers;  // PEs asleep in a wait; pairs with cw_wait_sleep
} cw_node_hot_t;

/** How PEs learn of the network's writes (core/progress/arrivals.h). */
typedef struct cw_arrivals {
    _Atomic uint32_t turns;   // begins and ends of the server's turns: odd inside a turn
    _Atomic uint32_t mode;    // cw_arrivals_mode_t
    _Atomic uint32_t proofs;  // waits that ended by a write outside of turns
} CW_CACHE_ALIGNED cw_arrivals_t;
_Static_assert(sizeof(cw_arrivals_t) == 64, "one cache line, shared between processes");

typedef struct cw_control {
    cw_node_hot_t hot;
    char pad0[64 - sizeof(cw_node_hot_t)];
    _Atomic uint32_t state;        // 0 fresh, 1 being filled in, 2 ready; futex
    _Atomic uint32_t attached;     // PEs whose slice is ready; futex
    _Atomic uint32_t backing;      // cw_backing_known's answer; futex
    uint32_t origin_page;          // of the first PE (core/world/one_address.h)
    _Atomic uint64_t early;        // of the first early PE: its number below, PE + 1 above; 0:
                                   // none. Also written by other nodes
    _Atomic uint32_t early_roles;  // bits of core/report/early.c
    uint64_t magic;
    cw_agreement_t agreement;
    cwt_layout_t layout;
    cw_arrivals_t arrivals;
} CW_CACHE_ALIGNED cw_control_t;

/** A PE of the node. */
typedef struct cw_slot {
    cwu_bell_t doorbell;            // of its threads
    _Atomic uint32_t waiting;       // its threads that have announced a sleep
    _Atomic int32_t pid;            // 0 before the PE comes and after it has left in good order
    _Atomic uint32_t watched_size;  // bytes of the watched word: 2, 4 or 8
    _Atomic uint64_t watched;       // offset in the node object of the word a sleeper waits for; 0:
                                    // not known
    _Atomic uint64_t seen;          // its value at the sleeper's last look
    uint32_t pid_namespace;         // of that pid; 0: not known. Written before it
    _Atomic uint32_t life;          // robust futex of a thread (core/life/neighbour.c)
    _Atomic uint32_t verdict;       // of a PE that ends the job (core/life/neighbour.c)
    _Atomic uint32_t shares_all;    // core/owner/private.h
    _Atomic uint32_t bundles;       // of them that were ever taken (core/path/bundle.h)
    char pad[8];
} cw_slot_t;
_Static_assert(sizeof(cw_slot_t) == 64, "one cache line, shared between processes");

#endif
