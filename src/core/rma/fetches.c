// SPDX-License-Identifier: BSD-3-Clause
//
// Where the values go that the records of one bundle ask for. The reply has them in the order of
// the records, each padded to whole words.
#include <stdlib.h>
#include <string.h>

#include "core/rma/bundle.h"
#include "core/rma/rma.h"

struct cw_fetches {
    cwt_reply_t reply;  // first: `arrived` gets its address
    uint32_t n, nbytes;
    struct {
        void *dest;
        size_t nbytes;
    } to[CW_BATCH_ANSWERS / sizeof(uint64_t)];
};

/** Called in the transport's progress. */
static void arrived(cwt_reply_t *reply, const void *payload, size_t nbytes)
{
    cw_fetches_take((cw_fetches_t *)(void *)reply, payload, nbytes);
}

void cw_fetches_add(cw_fetches_t **fetches_p, void *dest, size_t nbytes)
{
    cw_fetches_t *f = *fetches_p;
    if (!f) {
        f = malloc(sizeof *f);
        if (!f)
            cwu_fatal("out of memory for where non-blocking fetches go");
        f->reply = (cwt_reply_t){.arrived = arrived, .capacity = CW_BATCH_ANSWERS};
        f->n = f->nbytes = 0;
        *fetches_p = f;
    }
    f->to[f->n].dest = dest;
    f->to[f->n++].nbytes = nbytes;
    f->nbytes += (uint32_t)((nbytes + 7) & ~(size_t)7);
}

cwt_reply_t *cw_fetches_reply(cw_fetches_t *fetches)
{
    return &fetches->reply;
}

void cw_fetches_take(cw_fetches_t *fetches, const void *values, size_t nbytes)
{
    const char *at = values;
    if (nbytes != fetches->nbytes)
        cwu_fatal("non-blocking fetches were answered by %zu bytes, not %u", nbytes,
                  fetches->nbytes);
    for (uint32_t i = 0; i < fetches->n; i++) {
        size_t n = fetches->to[i].nbytes;
        cw_copy(fetches->to[i].dest, at, n);
        at += (n + 7) & ~(size_t)7;
    }
    free(fetches);
}
