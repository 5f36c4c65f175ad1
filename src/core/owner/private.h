// SPDX-License-Identifier: BSD-3-Clause
//
// Private memory that its PE shares: ranges of a process outside of the slices, reached without the
// owner's help:
//
//     own memory            memcpy
//     of this node          process_vm_readv and process_vm_writev
//     of another node       requests to its node server, which does the same
//     where the kernel forbids these (ptrace scope, seccomp)
//                           copies by the owner, when it polls (core/owner/copy.h)
//
// Reads of a killed PE that shared all give zeros; puts are lost.
//
// A PE's ranges stand in a table in its own area, which its node's PEs and server read: a server
// touches no other byte. A PE may share all (targets of Fortran's pointers), but owners copy ranges
// only. The first transfer to a PE finds its way. Transfers to another node complete at the next
// quiet of the default context, others when they return.
// Threads: any. Blocking: for room to send; with copies by the owner, for the owner.
#ifndef CW_OWNER_PRIVATE_H
#define CW_OWNER_PRIVATE_H

#include "core/mem/area.h"

/** Its PE writes it, the server of its node reads it. */
typedef struct cw_private_range {
    uint64_t begin;
    uint64_t nbytes;  // 0: none
} cw_private_range_t;

enum { CW_PRIVATE_RANGES = 32768 };  // of a PE at a time
#define CW_PRIVATE_NBYTES (CW_PRIVATE_RANGES * sizeof(cw_private_range_t))

/** Before the first cw_init: requests will be served. The tables lie `at` bytes behind the begin of
 *  the front end's own memory (cw_area_own). One front end of a process. */
void cw_private_expect(const cw_area_request_t *area, size_t at);
/** After cw_init, before other PEs know of a range; close after the barrier before cw_finalize. */
void cw_private_open(const char *call);
void cw_private_close(void);

/** Other PEs may reach [begin, +nbytes) from here on. False: too many ranges. */
bool cw_private_share(void *begin, size_t nbytes, uint32_t *range_p);
void cw_private_unshare(uint32_t range);

typedef struct cw_private {
    int pe;
    uint32_t range;
    uint64_t addr;    // in the PE's process
    uint64_t offset;  // from the range's begin
} cw_private_t;

/** A PE's memory; it begins at NULL. */
#define CW_PRIVATE_ALL UINT32_MAX

/** Any front end, before the first cw_init. */
void cw_private_expect_all(void);
/** From here on. */
void cw_private_share_all(void);
/** After the last transfer. */
void cw_private_close_all(void);
/** Does the kernel allow it? [waits] */
bool cw_private_reaches(const char *call, const cw_private_t *at);

/** Complete transfers have found a PE that shares all gone, and the launcher knows. [waits] */
bool cw_private_is_gone(const char *call, int pe);

/** The bytes are in the range. src is free on return. True: complete after a quiet of the default
 *  context. */
bool cw_private_put(const char *call, const cw_private_t *to, const void *src, size_t nbytes);
bool cw_private_get(const char *call, void *dest, const cw_private_t *from, size_t nbytes);

#endif
