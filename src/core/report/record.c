// SPDX-License-Identifier: BSD-3-Clause
//
// Where things are in a record, and its packed form.
#include "core/report/record.h"

#include <string.h>

#define PAGE UINT64_C(4096)

static uint64_t up(uint64_t nbytes)
{
    return (nbytes + PAGE - 1) / PAGE * PAGE;
}

static uint64_t events_at(int npes)
{
    return up(sizeof(cw_record_t)) + up(sizeof(cw_routine_t) * CW_ROUTINES) +
           up(sizeof(cw_peer_count_t) * (uint64_t)npes) + up(CW_TRACE_NAMES * CW_NAME_NBYTES);
}

uint64_t cw_record_nbytes(int npes, uint64_t capacity)
{
    return events_at(npes) + up(sizeof(cw_event_t) * capacity);
}

static bool view_packed(cw_record_t *head, uint64_t room, cw_view_t *v)
{
    if (head->nroutines > CW_ROUTINES || head->npeers > (uint64_t)head->npes)
        return false;
    v->routines = (cw_routine_t *)(head + 1);
    v->peers = (cw_peer_count_t *)(v->routines + head->nroutines);
    v->nroutines = head->nroutines;
    v->npeers = head->npeers;
    return (uint64_t)((char *)(v->peers + v->npeers) - (char *)head) <= room;
}

bool cw_record_view(void *region, uint64_t room, cw_view_t *view_p)
{
    cw_record_t *head = region;
    char *at = region;
    if (room < sizeof *head || head->magic != CW_RECORD_MAGIC || head->npes < 1 || head->pe < 0 ||
        head->pe >= head->npes)
        return false;
    cw_view_t v = {.head = head};
    if (head->is_packed) {
        if (!view_packed(head, room, &v))
            return false;
    } else {
        if (head->capacity > room / sizeof(cw_event_t) ||
            cw_record_nbytes(head->npes, head->capacity) > room)
            return false;
        v.routines = (cw_routine_t *)(void *)(at + up(sizeof *head));
        v.peers = (cw_peer_count_t *)(void *)((char *)v.routines +
                                              up(sizeof(cw_routine_t) * CW_ROUTINES));
        v.names = (char(*)[CW_NAME_NBYTES])(void *)(at + events_at(head->npes) -
                                                    up(CW_TRACE_NAMES * CW_NAME_NBYTES));
        v.events = (cw_event_t *)(void *)(at + events_at(head->npes));
        v.nroutines = CW_ROUTINES;
        v.npeers = (uint64_t)head->npes;
        v.capacity = head->capacity;
    }
    *view_p = v;
    return true;
}

const char *cw_message_name(const cw_message_count_t *m, int index)
{
    static const char *const names[2 * CW_MESSAGE_KINDS] = {"short_request", "medium_request",
                                                            "long_request",  "short_reply",
                                                            "medium_reply",  "long_reply"};
    return m->sent || m->handled ? names[index] : NULL;
}

bool cw_peer_is_touched(const cw_peer_count_t *p)
{
    return p->puts || p->gets || p->atomics || p->messages || p->waited_ns;
}

uint64_t cw_record_elapsed_ns(const cw_record_t *r)
{
    return r->last_ns > r->begin_ns ? r->last_ns - r->begin_ns : 0;
}

uint64_t cw_peer_nbytes(const cw_peer_count_t *p)
{
    return p->put_nbytes + p->get_nbytes + 8 * p->atomics + p->message_nbytes;
}

uint64_t cw_record_packed_nbytes(const cw_view_t *v)
{
    uint64_t nbytes = sizeof *v->head;
    for (uint64_t i = 0; i < v->nroutines; i++)
        nbytes += v->routines[i].count.calls ? sizeof *v->routines : 0;
    for (uint64_t i = 0; i < v->npeers; i++)
        nbytes += cw_peer_is_touched(&v->peers[i]) ? sizeof *v->peers : 0;
    return nbytes;
}

void cw_record_pack(const cw_view_t *v, void *packed)
{
    cw_record_t *head = packed;
    memcpy(head, v->head, sizeof *head);
    head->is_packed = 1;
    head->nroutines = head->npeers = 0;
    head->nbytes = cw_record_packed_nbytes(v);
    char *to = (char *)(head + 1);
    for (uint64_t i = 0; i < v->nroutines; i++)
        if (v->routines[i].count.calls) {
            memcpy(to, &v->routines[i], sizeof *v->routines);
            to += sizeof *v->routines;
            head->nroutines++;
        }
    for (uint64_t i = 0; i < v->npeers; i++)
        if (cw_peer_is_touched(&v->peers[i])) {
            memcpy(to, &v->peers[i], sizeof *v->peers);
            to += sizeof *v->peers;
            head->npeers++;
        }
}
