// SPDX-License-Identifier: BSD-3-Clause
//
// Owner-addressed memory: remote memory named by the address that it has in its owner.
//
// For front ends whose allocations differ between PEs. Their memory lies in the areas of the
// slices (core/mem/area.h), so the owner's address and the local symmetric address of one byte
// differ by one number per PE, the distance of the origins, and the transfers of core/rma on the
// default context serve. Memory outside of the slices is copied by its owner (core/owner/copy.h).
//
// One word per PE says how to reach it, as in a context, but for the owner's addresses:
//
//   bit 0 clear   mapped here: owner's address + word (without its two lowest bits) is the address
//                 here; bit 1 set: a store must be followed by the test for sleepers
//   bit 0 set     word - 1 is a record of the transport, which takes the owner's addresses. Before
//                 the first contact, also of a mapped PE: a record whose inject does the whole
//                 transfer
//
// Each front end has an owner of its own: tables, and how it waits. It passes the address of a
// constant place, so that its fast paths read them without a step more. The PEs of the job open an
// owner together, and its tables stay until the next job's. Threads: any; a PE's words are written
// at first contact.
// Blocking: the first use of a PE waits until that PE has published its origin.
#ifndef CW_OWNER_OWNER_H
#define CW_OWNER_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "core/mem/area.h"
#include "core/progress/wait.h"
#include "core/rma/hot.h"

/** What the front end decides. */
typedef struct cw_owner_config {
    const char *call;  // that opens it, for messages
    bool outside;      // memory outside of the slices is reached too: no fast paths
    bool wakes;        // PEs of the program sleep on words of their memory
    // How the front end begins a wait, and one round of it.
    void (*wait_begin)(cw_wait_t *w);
    void (*wait_round)(cw_wait_t *w);
    // May other PEs copy to and from that memory of this PE, which lies outside of the slices?
    bool (*shares)(const void *addr, size_t nbytes);
} cw_owner_config_t;

/** Entries of the table of words behind the last PE's, which are none: a front end whose limit is
 *  higher by a count of calls finds them not plain. */
#define CW_OWNER_BEYOND 32u

/** Half of all addresses lies between it and any memory of a program. */
#define CW_OWNER_NOWHERE (UINTPTR_MAX / 2 + 1)

/** Of at most as many bytes one comparison tells that they lie in what is shared. */
#define CW_OWNER_SMALL ((size_t)64)

typedef struct cw_owner {
    uintptr_t *word;          // [npes + CW_OWNER_BEYOND]
    uint32_t limit;           // PEs whose words fast paths may use: all, or 0
    uint32_t inject_nbytes;   // that the inject of a record takes; 0: no PE was reached yet
    uintptr_t *origin;        // [npes] where the slice begins in its owner's view; 0: unknown
    uintptr_t *floor;         // [npes] and where what is shared does, which no address is near
                              // (CW_OWNER_NOWHERE) while unknown
    cwt_target_t *unreached;  // [npes] records before the first contact
    uintptr_t own;            // origin of this PE, what symmetric addresses are relative to
    uintptr_t shared_offset;  // what of a slice other PEs can reach, from its origin on
    uintptr_t shared_nbytes;
    uintptr_t shared_small;  // where CW_OWNER_SMALL bytes of that may begin, below this
    uint32_t npes;
    unsigned epoch;  // in which it was opened last; 0: never
    cw_owner_config_t config;
    struct cw_owner *next;  // opened before
} cw_owner_t;

/** Local: makes the tables, in place of those of an earlier job. Fatal: no memory. */
void cw_owner_open(cw_owner_t *owner, const cw_owner_config_t *config);
/** Publishes this PE's origin: from here on other PEs may use its memory. Fast paths open. */
void cw_owner_publish(cw_owner_t *owner);
/** The front end leaves the job: no call takes a fast path from here on. */
void cw_owner_close(cw_owner_t *owner);
/** The one that was opened last, or NULL. */
cw_owner_t *cw_owner_first(void);

/** The word of a PE that was not reached before. */
static inline uintptr_t cw_owner_unreached_word(const cw_owner_t *owner, uint32_t pe)
{
    return (uintptr_t)&owner->unreached[pe] + 1;
}

/** The word, which is that of an unreached PE only if the PE is not mapped here. */
uintptr_t cw_owner_find_word(const cw_owner_t *owner, uint32_t pe);
/** First contact with a PE of another node: its word leads to a record of its own afterwards. */
void cw_owner_reach(cw_owner_t *owner, uint32_t pe);

uintptr_t cw_owner_ask_origin(const cw_owner_t *owner, uint32_t pe) CW_NOINLINE CW_COLD;
static inline uintptr_t cw_owner_origin(const cw_owner_t *owner, uint32_t pe)
{
    // pairs with cw_owner_ask_origin
    uintptr_t origin = __atomic_load_n(&owner->origin[pe], __ATOMIC_ACQUIRE);
    return CW_LIKELY(origin) ? origin : cw_owner_ask_origin(owner, pe);
}

/** The local symmetric address of what lies at `addr` in that PE. */
static inline char *cw_owner_symmetric(const cw_owner_t *owner, uint32_t pe, const void *addr)
{
    return (char *)((uintptr_t)addr - cw_owner_origin(owner, pe) + owner->own);
}
/** What that is behind the PE's own address; for transfers of many addresses. */
uintptr_t cw_owner_shift(const cw_owner_t *owner, uint32_t pe);

static CW_ALWAYS_INLINE bool cw_owner_shares(const cw_owner_t *owner, uintptr_t at, size_t nbytes)
{
    return CW_LIKELY(at < owner->shared_nbytes) && CW_LIKELY(nbytes <= owner->shared_nbytes - at);
}

/** Does [addr, +nbytes) of that PE lie in its slice, where mapping and network reach it? */
static inline bool cw_owner_reaches(const cw_owner_t *owner, uint32_t pe, const void *addr,
                                    size_t nbytes)
{
    uintptr_t at = (uintptr_t)addr - cw_owner_origin(owner, pe) - owner->shared_offset;
    return cw_owner_shares(owner, at, nbytes);
}

/** How far behind the begin of what the PE shares an address lies. False: those bytes are not
 *  shared, or its origin is unknown. small (a constant): nbytes are at most CW_OWNER_SMALL; false
 *  in the last of them, too. */
static CW_ALWAYS_INLINE bool cw_owner_find_offset(const cw_owner_t *owner, uint32_t pe,
                                                  const void *addr, size_t nbytes, bool small,
                                                  uint64_t *offset_p)
{
    uintptr_t offset = (uintptr_t)addr;
    // pairs with set_origin in owner.c
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)  // an atomic load is one instruction more
    __asm__ volatile("sub %1, %0" : "+r"(offset) : "m"(owner->floor[pe]) : "cc", "memory");
#else
    offset -= __atomic_load_n(&owner->floor[pe], __ATOMIC_ACQUIRE);
#endif
    *offset_p = offset;
    return small ? CW_LIKELY(offset < owner->shared_small) : cw_owner_shares(owner, offset, nbytes);
}

// ---------------------------------------------------------------- waits for a word of other PEs
// No handlers of messages run meanwhile: a handler of the client may use what the caller is about
// to fill in.

/** The word that a PE publishes (core/sync/published.h): waits until it is there. */
uint64_t cw_owner_ask(const cw_owner_t *owner, uint32_t pe, int which);
/** Waits until this node knows that word of all PEs. */
void cw_owner_ask_all(const cw_owner_t *owner, int which);

#endif
