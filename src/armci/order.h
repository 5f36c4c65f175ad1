// SPDX-License-Identifier: BSD-3-Clause
//
// Order of one PE's operations on one location, and fences.
//
// The transport promises that requests to a node execute in the order sent, after the puts before
// them (transport/transport.h), but for routed ones (core/rma/routed.h), which keep an order of
// their own. A direct put or get may overtake a request before it, and, where the provider gives no
// order, a put. So each target has a mark of what is under way on both paths, and a direct transfer
// behind either is preceded by a fence, which costs nothing behind puts where the provider keeps
// their order. A quiet completes everything for all targets, and a fence orders all of them. So
// nothing clears a mark: it has the number of quiets, or fences, that had begun when its operation
// had, and is void when a later one is over (ADR 53).
//
// Small operations of a flood are collected in bundles, which are requests, too, but for two facts:
// they may lie until something is sent, and they may be sent on another connection. So a request
// sends what is collected first, and a bundle is opened when all before it is executed (collect.c,
// ADR 135).
//
// Nothing promises that a get under way reads before what is put later. So each target also has the
// range of its gets that a call without waiting began, and a put into it is preceded by a quiet.
//
// Threads: any. Several that use one target at the same time have no order among them, but each has
// that of its own operations: no mark is lost, and none is void before the quiet or fence, of
// whichever thread, that makes it so is over.
#ifndef ACI_ORDER_H
#define ACI_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "core/owner/handle.h"
#include "core/path/bundle.h"
#include "core/rma/routed.h"

enum {
    ACI_PUTS = 1,      // direct puts since the last fence to that target
    ACI_REQUESTS = 2,  // requests since then
    ACI_PENDING = 4,   // anything, since the last quiet
    ACI_GETS = 8,      // gets that were not waited for, since the last quiet
    ACI_SOURCES = 16,  // puts whose sources are in use, since the last quiet
    ACI_COLLECTED = 32,  // what was collected since the last fence
    ACI_NUMBER = 6,    // bits of marks; above them is a number
    ACI_MARKS = (1 << ACI_NUMBER) - 1,
    ACI_PATHS = ACI_PUTS | ACI_REQUESTS | ACI_COLLECTED
};

/** Where a target is read. Valid while it is marked with ACI_GETS. */
typedef struct aci_range {
    uintptr_t begin, end;
} aci_range_t;

/** Numbers << ACI_NUMBER | what has begun since. */
typedef struct aci_mark {
    _Atomic uint64_t paths;    // fences (aci_order.fences); ACI_PATHS
    _Atomic uint64_t pending;  // quiets (cw_handle_quiets); the others
} aci_mark_t;

typedef struct aci_order {
    aci_mark_t *mark;           // [npes]
    cw_handle_quiets_t fences;  // a quiet is one, too
    aci_range_t *gets;          // [npes]; guarded by a lock
    uint32_t limit;  // processes whose marks the fast path of a fence may use: all, or 0
} aci_order_t;
extern aci_order_t aci_order CW_HIDDEN;

void aci_order_open(void);
void aci_order_close(void);
void aci_order_fence(void) CW_COLD;
void aci_order_behind_gets(int proc, uintptr_t addr, size_t nbytes) CW_COLD;
/** Completes all that this PE did, whatever the target. [waits] */
void aci_order_quiet(void);
/** The same, with what aggregate handles of this thread have collected. [waits] */
void aci_order_complete(const char *call);

/** The marks of a word that no quiet or fence has made void. */
static inline uint64_t aci_live(uint64_t word, const cw_handle_quiets_t *of)
{
    // pairs with cw_handle_raise
    uint64_t done = atomic_load_explicit(&of->done, memory_order_acquire);
    return word < done << ACI_NUMBER ? 0 : word & ACI_MARKS;
}

/** Paths to a PE on which something is under way: of ACI_PATHS. */
static inline uint64_t aci_paths(int proc)
{
    return aci_live(atomic_load_explicit(&aci_order.mark[proc].paths, memory_order_relaxed),
                    &aci_order.fences);
}

/** What a quiet would complete: ACI_PENDING, ACI_GETS, ACI_SOURCES. */
static inline uint64_t aci_pending(int proc)
{
    return aci_live(atomic_load_explicit(&aci_order.mark[proc].pending, memory_order_relaxed),
                    &cw_handle_quiets);
}

/** What aggregate handles have collected (handle.c). NULL: nothing. */
extern struct list *aci_lists CW_HIDDEN;
void aci_lists_send_to(int proc) CW_COLD;

/** Before any operation on a PE of another node: what this thread's aggregate handles have
 *  collected for it goes first. [waits] */
static inline void aci_behind_lists(int proc)
{
    if (CW_UNLIKELY(__atomic_load_n(&aci_lists, __ATOMIC_RELAXED) != NULL))
        aci_lists_send_to(proc);
}

/** Before anything that writes [addr, +nbytes) of a PE of another node. [waits] */
static inline void aci_behind_gets(int proc, const void *addr, size_t nbytes)
{
    if (CW_UNLIKELY(aci_pending(proc) & ACI_GETS))
        aci_order_behind_gets(proc, (uintptr_t)addr, nbytes);
}

/** Both. [waits] */
static inline void aci_before_write(int proc, const void *addr, size_t nbytes)
{
    aci_behind_lists(proc);
    aci_behind_gets(proc, addr, nbytes);
}

/** Before a put or get that goes directly to a PE of another node. [waits] */
static inline void aci_before_direct(int proc)
{
    if (CW_UNLIKELY(aci_paths(proc)))
        aci_order_fence();
}

/** Before a request to a PE of another node. A routed one may overtake puts before it. [waits] */
static inline void aci_before_request(int proc)
{
    if (CW_UNLIKELY(aci_paths(proc) & ACI_PUTS) && cw_routed_is_on())
        aci_order_fence();
}

/** The number of a fence, taken before it begins. */
static inline uint64_t aci_begin_fence(void)
{
    uint64_t mine = atomic_fetch_add_explicit(&aci_order.fences.begun, 1, memory_order_relaxed) + 1;
    // the number before the loads that tell what is in flight; pairs with aci_mark
    atomic_thread_fence(memory_order_seq_cst);
    return mine;
}

/** Behind an operation: what it put under way, of ACI_PATHS and ACI_SOURCES. */
void aci_mark(int proc, uint64_t marks);
/** Behind a get of [addr, +nbytes) that was not waited for. */
void aci_mark_get(int proc, uintptr_t addr, size_t nbytes);

// ---------------------------------------------------------------- small operations (collect.c)
/** Is an operation looked at, since it may be one of a flood? */
static CW_ALWAYS_INLINE bool aci_is_one_of_many(void)
{
    return CW_UNLIKELY(cw_count_down(&cw_ctx_default.direct));
}

// Of those, by the record of a PE that was reached, with nothing else before than what
// aci_before_write does. False: nothing was done. kind: CW_BATCH_PUT, CW_BATCH_ADD and a part.
bool aci_collect_write(cwt_target_t *record, int proc, void *dst, unsigned kind, const void *src,
                       size_t nbytes);
bool aci_collect_get(cwt_target_t *record, int proc, const void *src, void *dst, size_t nbytes);

#endif
