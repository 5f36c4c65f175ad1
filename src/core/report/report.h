// SPDX-License-Identifier: BSD-3-Clause
//
// The deadlock report (CAUSEWAY_DEADLOCK=seconds). A PE that sleeps in a wait records in its page
// of the node object what it waits for; PE 0, while it waits itself, surveys the pages. When every
// PE of the job has waited longer than the setting, and none has moved between two surveys, PE 0
// prints one line for each PE and ends the job if the setting says so. If a PE does not wait, it
// computes: then PE 0 prints one notice and no report.
//
// The same pages serve a PE that has ended before the others (core/report/early.h).
//
// No path that does not sleep runs any of this. While a PE moves, a survey reads one page: it
// begins with the PE that was not waiting the last time. Pages of other nodes are read by gets.
//
//   0     cw_report_wait_t   written by the slot's PE, in waits
//   448   words of PE 0      (core/report/parcel.h)
//   512   words of the PE
//   576   text               a page for pieces of statistics
#ifndef CW_CORE_REPORT_H
#define CW_CORE_REPORT_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/compiler.h"
#include "core/mem/layout.h"
#include "core/observe/watch.h"
#include "core/progress/wait.h"

#define CW_REPORT_TEXT (16384u - 576u)

typedef struct cw_report_wait {
    _Atomic uint64_t moves;      // odd while the PE sleeps in a wait; +1 when a wait begins or ends
    _Atomic uint64_t waited_ns;  // so far; refreshed by the sleeper
    uint64_t at;                 // of the word waited for, in the slice; UINT64_MAX: none
    int64_t want, seen;
    uint64_t index, nelems;
    uint32_t number;      // of the world's synchronisation that this PE is in or has left last
    int32_t pid, behind;  // behind: the PE before this one in the queue of a lock
    uint8_t kind, cmp, nbytes, is_unsigned;
    uint8_t certain;         // it ends by a deed of a PE, and not when the network answers
    uint8_t ending;          // within a finalize
    uint8_t threads;         // the program may have other threads, which may end it
    _Atomic uint8_t early;   // the PE has come to its end (core/report/early.h),
    uint32_t early_number;   // with that number of the world's synchronisation
    _Atomic uint32_t beats;  // sleeps so far: the condition has been tested before each
    _Atomic uint32_t polled_ms;  // a PE that does not wait has polled in `call` so long, in vain,
                                 // since `moves` was
    uint32_t polled_moves;       // this
    int32_t seen_pe;             // of a message that waits
    char call[64], host[64];
    char place[160];  // of the program, which called that; "" before the wait lasts
    char detail[64];  // of an early PE what it has done
} cw_report_wait_t;

typedef struct cw_report_slot {
    CW_CACHE_ALIGNED cw_report_wait_t wait;
    CW_CACHE_ALIGNED _Atomic uint64_t taken;  // by PE 0, as are the next three
    _Atomic uint64_t ask, origin, measured;
    CW_CACHE_ALIGNED _Atomic uint64_t filled;  // by the PE
    uint64_t nbytes;
    _Atomic uint64_t replied;
    uint64_t clock;
    CW_CACHE_ALIGNED char text[CW_REPORT_TEXT];
} cw_report_slot_t;
_Static_assert(sizeof(cw_report_wait_t) <= 448 && offsetof(cw_report_slot_t, taken) == 448,
               "shared between nodes");
_Static_assert(sizeof(cw_report_slot_t) == 16384, "shared between nodes");

/** Active with CAUSEWAY_DEADLOCK. */
extern const cw_observer_t cw_report_observer;

extern cw_section_t cw_report_section;
/** Offset of a slot's page, the same in every node object, and the address of one of this node. */
uint64_t cw_report_offset(int slot);
cw_report_slot_t *cw_report_slot(int slot);

#endif
