// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that processors neither load nor store: that of devices (core/device). The rooms below
// core/device call it through this table, in cold paths only. While there is such symmetric memory
// every peer word is cold (core/rma/words.h), so a program without it does not look at the table.
//
// Functions that return bool return false for an operation in which no such memory takes part:
// nothing was done, and the caller goes on as without the table. `local` memory may be any, of the
// processors or of a device. What lies on this node is complete on return; what another node
// executes is complete at the next quiet of the context, as other requests.
// Threads: any, and the table appears while no other thread of the process uses the library.
#ifndef CW_CORE_FOREIGN_H
#define CW_CORE_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct cw_ctx;
struct cw_rows;

/** An atomic: cw_amo_op_t, and a width of 4 or 8 bytes. */
typedef struct cw_foreign_amo {
    void *addr;
    unsigned op;
    size_t nbytes;
    uint64_t operand, compare;
} cw_foreign_amo_t;

typedef struct cw_foreign {
    /** Do these bytes lie in symmetric memory of this PE's device? */
    bool (*is_symmetric)(const void *addr, size_t nbytes);
    /** Is the address one of any device's memory? */
    bool (*holds)(const void *addr);
    bool (*put)(struct cw_ctx *ctx, void *dest, const void *src, size_t nbytes, int rank);
    bool (*get)(struct cw_ctx *ctx, void *dest, const void *src, size_t nbytes, int rank);
    bool (*put_rows)(struct cw_ctx *ctx, const struct cw_rows *rows, int rank);
    bool (*get_rows)(struct cw_ctx *ctx, const struct cw_rows *rows, int rank);
    /** old_p: gets the old value; NULL: it is not wanted. */
    bool (*amo)(struct cw_ctx *ctx, const cw_foreign_amo_t *amo, int rank, uint64_t *old_p);
    /** A fetching atomic whose value goes to memory that a processor may not store to. */
    void (*store)(void *dest, const void *src, size_t nbytes);
    /** Does this PE let others copy from and to these bytes, which lie outside of the slices? */
    bool (*shares)(const void *addr, size_t nbytes);
    /** The job ends: before this PE's last transfers, and */
    void (*leave)(void);
    /** after the last transfer of any PE. */
    void (*close)(void);
} cw_foreign_t;

/** NULL: there is no such memory. */
extern const cw_foreign_t *cw_foreign CW_HIDDEN;

static inline bool cw_foreign_is_symmetric(const void *addr, size_t nbytes)
{
    return CW_UNLIKELY(cw_foreign != NULL) && cw_foreign->is_symmetric(addr, nbytes);
}

static inline bool cw_foreign_holds(const void *addr)
{
    return CW_UNLIKELY(cw_foreign != NULL) && cw_foreign->holds(addr);
}

#endif
