// SPDX-License-Identifier: BSD-3-Clause
//
// A box of pending answers for each node, in the order of first answers.
#include "core/route/answers.h"

#include <stdlib.h>
#include <string.h>

typedef struct tally {
    uint32_t freed, done[2];
    bool is_freed;
} tally_t;

struct cw_answers_box {
    cw_answers_box_t *next;
    uint32_t node;
    bool waits;
    uint32_t least, most;  // slots with tallies: least .. most - 1
    char *values;          // VALUE records
    size_t nvalues, room;  // bytes
    tally_t slot[];
};

bool cw_answers_create(cw_answers_t *a, uint32_t nnodes, uint32_t nslots)
{
    *a = (cw_answers_t){.nnodes = nnodes, .nslots = nslots};
    a->box = calloc(nnodes, sizeof *a->box);
    return a->box;
}

void cw_answers_destroy(cw_answers_t *a)
{
    for (uint32_t node = 0; a->box && node < a->nnodes; node++)
        if (a->box[node]) {
            free(a->box[node]->values);
            free(a->box[node]);
        }
    free(a->box);
}

// ---------------------------------------------------------------- gathering
/** The node's box, listed as waiting. */
static cw_answers_box_t *box_of(cw_answers_t *a, uint32_t node)
{
    cw_answers_box_t *box = a->box[node];
    if (!box) {
        box = a->box[node] = calloc(1, sizeof *box + a->nslots * sizeof *box->slot);
        if (!box)
            return NULL;
        box->node = node;
        box->least = a->nslots;
    }
    if (!box->waits) {
        box->waits = true;
        box->next = NULL;
        if (a->last)
            a->last->next = box;
        else
            a->first = box;
        a->last = box;
    }
    return box;
}

static tally_t *tally_of(cw_answers_t *a, uint32_t node, uint32_t slot)
{
    cw_answers_box_t *box = box_of(a, node);
    if (!box)
        return NULL;
    box->least = slot < box->least ? slot : box->least;
    box->most = slot >= box->most ? slot + 1 : box->most;
    return &box->slot[slot];
}

bool cw_answers_freed(cw_answers_t *a, uint32_t node, uint32_t slot, uint32_t units)
{
    tally_t *tally = tally_of(a, node, slot);
    if (!tally)
        return false;
    tally->freed = units;
    tally->is_freed = true;
    return true;
}

bool cw_answers_done(cw_answers_t *a, uint32_t node, uint32_t slot, unsigned epoch)
{
    tally_t *tally = tally_of(a, node, slot);
    if (!tally)
        return false;
    tally->done[epoch & 1]++;
    return true;
}

static size_t value_record(size_t nbytes)
{
    return sizeof(cw_answer_t) + sizeof(cw_answer_value_t) + ((nbytes + 7) & ~(size_t)7);
}

bool cw_answers_value(cw_answers_t *a, uint32_t node, uint32_t slot, cw_answer_value_t to,
                      const void *value, size_t nbytes)
{
    cw_answers_box_t *box = box_of(a, node);
    size_t need = value_record(nbytes);
    if (!box)
        return false;
    if (box->nvalues + need > box->room) {
        size_t room = 2 * box->room + need;
        char *values = realloc(box->values, room);
        if (!values)
            return false;
        box->values = values;
        box->room = room;
    }
    cw_answer_t head = {CW_ANSWER_VALUE, 0, (uint16_t)slot, (uint32_t)nbytes};
    char *at = box->values + box->nvalues;
    memset(at, 0, need);
    memcpy(at, &head, sizeof head);
    memcpy(at + sizeof head, &to, sizeof to);
    memcpy(at + sizeof head + sizeof to, value, nbytes);
    box->nvalues += need;
    a->value_nbytes += need;
    return true;
}

// ---------------------------------------------------------------- sending
typedef struct packet {
    size_t nbytes;
    _Alignas(8) char records[CW_ANSWERS_NBYTES];
} packet_t;

static void put_tally(packet_t *p, uint8_t kind, unsigned epoch, uint32_t slot, uint32_t count)
{
    cw_answer_t answer = {kind, (uint8_t)epoch, (uint16_t)slot, count};
    memcpy(p->records + p->nbytes, &answer, sizeof answer);
    p->nbytes += sizeof answer;
}

/** Returns the first slot whose tallies did not fit. */
static uint32_t pack_tallies(const cw_answers_box_t *box, packet_t *p)
{
    for (uint32_t s = box->least; s < box->most; s++) {
        const tally_t *tally = &box->slot[s];
        if (p->nbytes + 3 * sizeof(cw_answer_t) > CW_ANSWERS_NBYTES)
            return s;
        if (tally->is_freed)
            put_tally(p, CW_ANSWER_FREED, 0, s, tally->freed);
        for (unsigned epoch = 0; epoch < 2; epoch++)
            if (tally->done[epoch])
                put_tally(p, CW_ANSWER_DONE, epoch, s, tally->done[epoch]);
    }
    return box->most;
}

/** Whole records that fit; returns their bytes. */
static size_t pack_values(const cw_answers_box_t *box, packet_t *p)
{
    size_t at = 0;
    while (at < box->nvalues) {
        cw_answer_t head;
        memcpy(&head, box->values + at, sizeof head);
        size_t n = value_record(head.count);
        if (p->nbytes + n > CW_ANSWERS_NBYTES)
            break;
        memcpy(p->records + p->nbytes, box->values + at, n);
        p->nbytes += n;
        at += n;
    }
    return at;
}

static void drop_sent(cw_answers_t *a, cw_answers_box_t *box, uint32_t slot, size_t values)
{
    for (; box->least < slot; box->least++)
        box->slot[box->least] = (tally_t){0};
    if (box->least == box->most) {
        box->least = a->nslots;
        box->most = 0;
    }
    box->nvalues -= values;
    a->value_nbytes -= values;
    if (box->nvalues > 0) {
        memmove(box->values, box->values + values, box->nvalues);
    } else {
        free(box->values);
        box->values = NULL;
        box->room = 0;
    }
}

bool cw_answers_flush(cw_answers_t *a,
                      bool (*send)(void *ctx, uint32_t node, const void *records, size_t nbytes),
                      void *ctx)
{
    bool sent = false;
    cw_answers_box_t *list = a->first;
    if (!list)
        return false;
    a->first = a->last = NULL;
    while (list) {
        cw_answers_box_t *box = list;
        list = box->next;
        box->waits = false;
        while (box->least < box->most || box->nvalues > 0) {
            packet_t p = {0};
            uint32_t slot = pack_tallies(box, &p);
            size_t values = pack_values(box, &p);
            if (p.nbytes > 0 && !send(ctx, box->node, p.records, p.nbytes)) {
                box_of(a, box->node);  // lists it again
                break;
            }
            sent = true;
            drop_sent(a, box, slot < box->most ? slot : box->most, values);
        }
    }
    return sent;
}

// ---------------------------------------------------------------- reading
const cw_answer_t *cw_answers_read(const void *records, size_t nbytes, size_t *at,
                                   const cw_answer_value_t **value_p)
{
    const cw_answer_t *answer = (const void *)((const char *)records + *at);
    size_t left = nbytes - *at, need = sizeof *answer;
    *value_p = NULL;
    if (left < need)
        return NULL;
    if (answer->kind == CW_ANSWER_VALUE) {
        need = answer->count > CW_ANSWER_VALUE_MAX ? SIZE_MAX : value_record(answer->count);
        if (left < need)
            return NULL;
        *value_p = (const void *)(answer + 1);
    }
    *at += need;
    return answer;
}
