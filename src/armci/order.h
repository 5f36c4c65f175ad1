// SPDX-License-Identifier: BSD-3-Clause
//
// Order of one PE's operations on one location, and fences.
//
// The transport promises that requests to a node execute in the order sent, after the puts before
// them (transport/transport.h), but for routed ones (core/rma/routed.h), which keep an order of
// their own. A direct put or get may overtake a request before it, and, where the provider gives no
// order, a put. So each target has a mark of what is under way on both paths,
// and a direct transfer behind either is preceded by a fence, which costs nothing behind puts where
// the provider keeps their order. A quiet completes everything for all targets, so marks carry the
// number of the quiet that they follow, and those of an earlier one are void.
//
// Nothing promises that a get under way reads before what is put later. So each target also has the
// range of its gets that a call without waiting began, and a put into it is preceded by a quiet.
// Threads: several that use one target at the same time have no order among them; a mark that one
// of them loses belongs to an operation that is not ordered with the other's.
#ifndef ACI_ORDER_H
#define ACI_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "core/rma/routed.h"

enum {
    ACI_PUTS = 1,      // direct puts since the last fence to that target
    ACI_REQUESTS = 2,  // requests since then
    ACI_PENDING = 4,   // either, since the last quiet
    ACI_GETS = 8,      // gets that were not waited for, since the last quiet
    ACI_SOURCES = 16,  // puts whose sources are in use, since the last quiet
    ACI_MARKS = 31
};

/** Where a target is read. Valid while it is marked with ACI_GETS. */
typedef struct aci_range {
    uintptr_t begin, end;
} aci_range_t;

typedef struct aci_order {
    uint64_t *mark;     // [npes] quiet * (ACI_MARKS + 1) | ACI_...
    uint64_t quiet;     // number of the quiets, multiplied by ACI_MARKS + 1
    aci_range_t *gets;  // [npes]
    uint32_t limit;     // processes whose marks the fast path of a fence may use: all, or 0
} aci_order_t;
extern aci_order_t aci_order CW_HIDDEN;

void aci_order_open(void);
void aci_order_close(void);
void aci_order_fence(int proc) CW_COLD;
void aci_order_behind_gets(int proc, uintptr_t addr, size_t nbytes) CW_COLD;
/** Completes all that this PE did, whatever the target. [waits] */
void aci_order_quiet(void);
/** The same, with what aggregate handles of this thread have collected. [waits] */
void aci_order_complete(const char *call);

/** What is under way to a PE: of ACI_MARKS. */
static inline uint64_t aci_under_way(int proc)
{
    uint64_t mark = __atomic_load_n(&aci_order.mark[proc], __ATOMIC_RELAXED),
             quiet = __atomic_load_n(&aci_order.quiet, __ATOMIC_RELAXED);
    return (mark ^ quiet) > ACI_MARKS ? 0 : mark & ACI_MARKS;
}

/** Before anything that writes [addr, +nbytes) of a PE of another node. [waits] */
static inline void aci_before_write(int proc, const void *addr, size_t nbytes)
{
    if (CW_UNLIKELY(aci_under_way(proc) & ACI_GETS))
        aci_order_behind_gets(proc, (uintptr_t)addr, nbytes);
}
/** Behind a get of [addr, +nbytes) that was not waited for. */
void aci_mark_get(int proc, uintptr_t addr, size_t nbytes);

/** Before a put or get that goes directly to a PE of another node. [waits] */
static inline void aci_before_direct(int proc)
{
    if (CW_UNLIKELY(aci_under_way(proc) & (ACI_PUTS | ACI_REQUESTS)))
        aci_order_fence(proc);
}

/** Before a request to a PE of another node. A routed one may overtake puts before it. [waits] */
static inline void aci_before_request(int proc)
{
    if (cw_routed_is_on() && CW_UNLIKELY(aci_under_way(proc) & ACI_PUTS))
        aci_order_fence(proc);
}

/** Behind an operation: what it put under way, of ACI_PUTS, ACI_REQUESTS, ACI_SOURCES. */
static inline void aci_mark(int proc, uint64_t paths)
{
    paths |= ACI_PENDING;
    uint64_t quiet = __atomic_load_n(&aci_order.quiet, __ATOMIC_RELAXED);
    __atomic_store_n(&aci_order.mark[proc], quiet | aci_under_way(proc) | paths, __ATOMIC_RELAXED);
}

#endif
