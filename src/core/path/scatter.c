// SPDX-License-Identifier: BSD-3-Clause
//
// Pieces of one reply.
#include "core/path/scatter.h"

#include <stdlib.h>

#include "base/error.h"
#include "core/port/local.h"

/** Called in the transport's progress. */
static void arrived(cwt_reply_t *reply, const void *payload, size_t nbytes)
{
    cw_scatter_take((cw_scatter_t *)(void *)reply, payload, nbytes);
}

cw_scatter_t *cw_scatter_create(uint32_t most, uint32_t unit)
{
    cw_scatter_t *s = malloc(sizeof *s + most * sizeof s->piece[0]);
    if (s) {
        s->reply = (cwt_reply_t){.arrived = arrived};
        s->n = 0;
        s->unit = unit;
    }
    return s;
}

static size_t padded(const cw_scatter_t *s, size_t nbytes)
{
    return (nbytes + s->unit - 1) & ~(size_t)(s->unit - 1);
}

void cw_scatter_add(cw_scatter_t *s, void *local, size_t nbytes)
{
    s->piece[s->n].local = local;
    s->piece[s->n++].nbytes = nbytes;
    s->reply.capacity += padded(s, nbytes);
}

void cw_scatter_take(cw_scatter_t *s, const void *from, size_t nbytes)
{
    const char *at = from;
    if (nbytes != s->reply.capacity)
        cwu_fatal("%u pieces of memory were answered by %zu bytes, not %zu", s->n, nbytes,
                  s->reply.capacity);
    for (uint32_t i = 0; i < s->n; i++) {
        cw_copy(s->piece[i].local, at, s->piece[i].nbytes);
        at += padded(s, s->piece[i].nbytes);
    }
    free(s);
}
