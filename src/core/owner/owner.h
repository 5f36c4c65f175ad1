// SPDX-License-Identifier: BSD-3-Clause
//
// Owner-addressed memory: remote memory named by the address that it has in its owner.
//
// For front ends whose allocations differ between PEs. In the areas of slices (core/mem/area.h) the
// owner's address and the local symmetric address of a byte differ by one number per PE, the
// distance of the origins. Other memory is copied by its owner (core/owner/copy.h).
//
// One word per PE says how to reach it:
//
//   bit 0 clear   mapped here: owner's address + word (without its two lowest bits) is the address
//                 here; bit 1 set: a store must be followed by the test for sleepers
//   bit 0 set     word - 1 is a record of the transport, which takes the owner's addresses; before
//                 the first contact, also of a mapped PE, one whose inject does the whole transfer
//
// Each front end has an owner, at a constant place, so that fast paths read it directly. All PEs
// open it; its tables stay until the next job's. Threads: any; words are written at first contact.
// Blocking: the first use of a PE waits until it has published its origin.
#ifndef CW_OWNER_OWNER_H
#define CW_OWNER_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "core/mem/area.h"
#include "core/port/hot.h"
#include "core/progress/wait.h"

typedef struct cw_owner_config {
    const char *call;  // for messages
    bool outside;      // memory outside of the slices is reached too: no fast paths
    bool wakes;        // PEs sleep on words of their memory
    void (*wait_begin)(cw_wait_t *w);
    void (*wait_round)(cw_wait_t *w);
    // May other PEs copy to and from that memory outside of the slices?
    bool (*shares)(const void *addr, size_t nbytes);
} cw_owner_config_t;

/** Entries behind the last PE's word, which are not plain: for a front end whose limit is higher by
 *  a count of calls. */
#define CW_OWNER_BEYOND 32u

/** Half of all addresses away from any memory of a program. */
#define CW_OWNER_NOWHERE (UINTPTR_MAX / 2 + 1)

/** For at most so many bytes one comparison tells that they are shared. */
#define CW_OWNER_SMALL ((size_t)64)

typedef struct cw_owner {
    uintptr_t *word;          // [npes + CW_OWNER_BEYOND]
    uint32_t limit;           // PEs whose words fast paths may use: all, or 0
    uint32_t inject_nbytes;   // that inject takes; 0: no PE was reached yet
    uintptr_t *origin;        // [npes] where the slice begins in its owner's view; 0: unknown
    uintptr_t *floor;         // [npes] where what is shared begins; unknown: CW_OWNER_NOWHERE
    cwt_target_t *unreached;  // [npes] records before the first contact
    uintptr_t own;            // origin of this PE, for symmetric addresses
    uintptr_t shared_offset;  // of what other PEs can reach, from the origin
    uintptr_t shared_nbytes;
    uintptr_t shared_small;  // CW_OWNER_SMALL bytes of that begin below this
    uint32_t npes;
    unsigned epoch;  // of the last opening; 0: never
    cw_owner_config_t config;
    struct cw_owner *next;  // opened before
} cw_owner_t;

/** Local: makes the tables. Fatal: no memory. */
void cw_owner_open(cw_owner_t *owner, const cw_owner_config_t *config);
/** Publishes this PE's origin: other PEs may use its memory. Opens fast paths. */
void cw_owner_publish(cw_owner_t *owner);
/** Closes fast paths: the front end leaves the job. */
void cw_owner_close(cw_owner_t *owner);
/** The last opened, or NULL. */
cw_owner_t *cw_owner_first(void);

static inline uintptr_t cw_owner_unreached_word(const cw_owner_t *owner, uint32_t pe)
{
    return (uintptr_t)&owner->unreached[pe] + 1;
}

/** The PE's word; that of an unreached one only where it is not mapped. */
uintptr_t cw_owner_find_word(const cw_owner_t *owner, uint32_t pe);
/** First contact with a PE of another node: gives its word a record of its own. */
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
/** From the PE's address to that one; for many addresses. */
uintptr_t cw_owner_shift(const cw_owner_t *owner, uint32_t pe);

static CW_ALWAYS_INLINE bool cw_owner_shares(const cw_owner_t *owner, uintptr_t at, size_t nbytes)
{
    return CW_LIKELY(at < owner->shared_nbytes) && CW_LIKELY(nbytes <= owner->shared_nbytes - at);
}

/** Can [addr, +nbytes) of that PE be reached in its slice? */
static inline bool cw_owner_reaches(const cw_owner_t *owner, uint32_t pe, const void *addr,
                                    size_t nbytes)
{
    uintptr_t at = (uintptr_t)addr - cw_owner_origin(owner, pe) - owner->shared_offset;
    return cw_owner_shares(owner, at, nbytes);
}

/** The address's offset in what the PE shares. False: not shared, or its origin is unknown. small
 *  (a constant): nbytes are at most CW_OWNER_SMALL; then false in the last of them, too. */
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
// No handlers run meanwhile: they may use what the caller is about to fill in.

/** Waits for the word that a PE publishes (core/sync/published.h). */
uint64_t cw_owner_ask(const cw_owner_t *owner, uint32_t pe, int which);
/** That of all PEs. */
void cw_owner_ask_all(const cw_owner_t *owner, int which);

#endif
