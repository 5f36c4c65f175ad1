// SPDX-License-Identifier: BSD-3-Clause
//
// Device memory (core/device), which processors neither load nor store, for rooms below on cold
// paths: while any is symmetric all peer words are cold.
//
// Functions of type bool return false, with nothing done, where no such memory takes part. `local`
// memory may be any. Effects on this node are complete on return, others at the context's next
// quiet. Threads: any; the table appears while one thread uses the library.
#ifndef CW_CORE_FOREIGN_H
#define CW_CORE_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct cw_ctx;
struct cw_rows;

/** cw_amo_op_t; 4 or 8 bytes. */
typedef struct cw_foreign_amo {
    void *addr;
    unsigned op;
    size_t nbytes;
    uint64_t operand, compare;
} cw_foreign_amo_t;

typedef struct cw_foreign {
    /** Are these bytes in symmetric memory of this PE's device? */
    bool (*is_symmetric)(const void *addr, size_t nbytes);
    /** The same offset on all PEs for one symmetric address; UINT64_MAX: it is none of those. */
    uint64_t (*offset)(const void *addr);
    /** Is the address in any device's memory? */
    bool (*holds)(const void *addr);
    bool (*put)(struct cw_ctx *ctx, void *dest, const void *src, size_t nbytes, int rank);
    bool (*get)(struct cw_ctx *ctx, void *dest, const void *src, size_t nbytes, int rank);
    bool (*put_rows)(struct cw_ctx *ctx, const struct cw_rows *rows, int rank);
    bool (*get_rows)(struct cw_ctx *ctx, const struct cw_rows *rows, int rank);
    /** old_p NULL: the old value is not wanted. */
    bool (*amo)(struct cw_ctx *ctx, const cw_foreign_amo_t *amo, int rank, uint64_t *old_p);
    /** Stores the value of a fetching atomic where a processor may not. */
    void (*store)(void *dest, const void *src, size_t nbytes);
    /** May other PEs copy from and to these bytes outside of slices? */
    bool (*shares)(const void *addr, size_t nbytes);
    /** The job ends: before this PE's last transfer. */
    void (*leave)(void);
    /** After the last transfer of any PE. */
    void (*close)(void);
} cw_foreign_t;

/** NULL: no such memory. */
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
