// SPDX-License-Identifier: BSD-3-Clause
//
// Pieces that one reply fills. Threads: any.
#ifndef CW_CORE_PATH_SCATTER_H
#define CW_CORE_PATH_SCATTER_H

#include "transport/transport.h"

/** Where a reply's pieces go. Frees itself when they have come. */
typedef struct cw_scatter {
    cwt_reply_t reply;  // first; capacity: bytes to come
    uint32_t n, unit;   // unit: padding of each in the reply, a power of two
    struct {
        void *local;
        size_t nbytes;
    } piece[];
} cw_scatter_t;

/** NULL: no memory. */
cw_scatter_t *cw_scatter_create(uint32_t most, uint32_t unit);
void cw_scatter_add(cw_scatter_t *s, void *local, size_t nbytes);
/** The bytes have come, but not as a reply. */
void cw_scatter_take(cw_scatter_t *s, const void *from, size_t nbytes);

#endif
