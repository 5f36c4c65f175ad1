// SPDX-License-Identifier: BSD-3-Clause
//
// The rings of requests.
#include "core/route/outbox.h"

#include <string.h>

static cw_outbox_record_t *record_at(cw_outbox_t *box, uint32_t at)
{
    return (cw_outbox_record_t *)(void *)(box->ring + at % CW_OUTBOX_NBYTES);
}

static uint32_t size_of(size_t nbytes)
{
    return (uint32_t)(sizeof(cw_outbox_record_t) + ((nbytes + 7) & ~(size_t)7));
}

static uint32_t rest_of(uint32_t at)
{
    return CW_OUTBOX_NBYTES - at % CW_OUTBOX_NBYTES;
}

cw_outbox_record_t *cw_outbox_put(cw_outbox_t *box, const void *head, size_t head_nbytes,
                                  const void *rest, size_t rest_nbytes)
{
    uint32_t at = atomic_load_explicit(&box->put, memory_order_relaxed);
    // pairs with reclaim: the server has read what was there
    uint32_t room =
        CW_OUTBOX_NBYTES - (at - atomic_load_explicit(&box->freed, memory_order_acquire));
    uint32_t need = size_of(head_nbytes + rest_nbytes);
    uint32_t skip = rest_of(at) < need ? rest_of(at) : 0;
    if (skip + need > room)
        return NULL;
    if (skip) {
        record_at(box, at)->nbytes = 0;
        at += skip;
    }
    cw_outbox_record_t *record = record_at(box, at);
    atomic_store_explicit(&record->state, CW_OUTBOX_LEFT, memory_order_relaxed);
    record->nbytes = (uint32_t)(head_nbytes + rest_nbytes);
    memcpy(record->request, head, head_nbytes);
    memcpy(record->request + head_nbytes, rest, rest_nbytes);
    atomic_store_explicit(&box->put, at + need, memory_order_release);  // pairs with take
    return record;
}

/** PE and server settle whose a record is. */
static bool settle(cw_outbox_record_t *record, uint32_t state)
{
    uint32_t left = CW_OUTBOX_LEFT;
    return atomic_compare_exchange_strong_explicit(&record->state, &left, state,
                                                   memory_order_relaxed, memory_order_relaxed);
}

bool cw_outbox_take_back(cw_outbox_record_t *record)
{
    return settle(record, CW_OUTBOX_BACK);
}

cw_forward_own_t *cw_outbox_take(cw_outbox_t *box, uint32_t slot)
{
    uint32_t put = atomic_load_explicit(&box->put, memory_order_acquire);  // pairs with put
    while (box->taken != put) {
        cw_outbox_record_t *record = record_at(box, box->taken);
        if (record->nbytes == 0) {
            box->taken += rest_of(box->taken);
            continue;
        }
        box->taken += size_of(record->nbytes);
        if (!settle(record, CW_OUTBOX_TAKEN))
            continue;
        record->own =
            (cw_forward_own_t){.request = record->request, .nbytes = record->nbytes, .slot = slot};
        return &record->own;
    }
    return NULL;
}

bool cw_outbox_reclaim(cw_outbox_t *box)
{
    uint32_t freed = atomic_load_explicit(&box->freed, memory_order_relaxed), at = freed;
    while (at != box->taken) {
        cw_outbox_record_t *record = record_at(box, at);
        bool is_back = atomic_load_explicit(&record->state, memory_order_relaxed) == CW_OUTBOX_BACK;
        if (record->nbytes == 0)
            at += rest_of(at);
        else if (is_back || cw_forward_own_is_gone(&record->own))
            at += size_of(record->nbytes);
        else
            break;
    }
    if (at != freed)
        atomic_store_explicit(&box->freed, at, memory_order_release);  // pairs with put
    return at != freed;
}
