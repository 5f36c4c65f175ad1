// SPDX-License-Identifier: BSD-3-Clause
//
// Answers to routed requests (ADR 52), from server to server, gathered by node until the end of a
// turn. They wait for no request.
//
//   FREED  to the upstream node   count: units of the slot's window given back since the start
//   DONE   to the origin's node   count: so many more of the slot's requests were executed, of the
//                                 epoch
//   VALUE  to the origin's node   count: bytes of the value, which follow cw_answer_value_t and
//                                 are padded to 8
//
// Memory: 8 bytes a node; for an answered node 8 bytes a slot and what waits. Threads: one at a
// time. Nothing waits.
#ifndef CW_CORE_ROUTE_ANSWERS_H
#define CW_CORE_ROUTE_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CW_ANSWER_FREED = 1, CW_ANSWER_DONE, CW_ANSWER_VALUE };
enum { CW_ANSWERS_NBYTES = 4096 };  // of a message

typedef struct cw_answer {
    uint8_t kind, epoch;
    uint16_t slot;
    uint32_t count;
} cw_answer_t;

typedef struct cw_answer_value {
    uint16_t reply_slot, generation;
    uint32_t unused;
} cw_answer_value_t;

_Static_assert(sizeof(cw_answer_t) == 8 && sizeof(cw_answer_value_t) == 8, "wire format");

enum {  // the largest value
    CW_ANSWER_VALUE_MAX = CW_ANSWERS_NBYTES - sizeof(cw_answer_t) - sizeof(cw_answer_value_t)
};

typedef struct cw_answers_box cw_answers_box_t;

typedef struct cw_answers {
    cw_answers_box_t **box;  // [nnodes]; NULL: never answered
    cw_answers_box_t *first, *last;
    uint32_t nnodes, nslots;
    size_t value_nbytes;  // of waiting VALUE answers
} cw_answers_t;

bool cw_answers_create(cw_answers_t *a, uint32_t nnodes, uint32_t nslots);
void cw_answers_destroy(cw_answers_t *a);

// False: no memory.
bool cw_answers_freed(cw_answers_t *a, uint32_t node, uint32_t slot, uint32_t units);
bool cw_answers_done(cw_answers_t *a, uint32_t node, uint32_t slot, unsigned epoch);
bool cw_answers_value(cw_answers_t *a, uint32_t node, uint32_t slot, cw_answer_value_t to,
                      const void *value, size_t nbytes);

/** Sends what waits, by node. `send` returns false if it cannot now. Returns whether something was
 *  sent. */
bool cw_answers_flush(cw_answers_t *a,
                      bool (*send)(void *ctx, uint32_t node, const void *records, size_t nbytes),
                      void *ctx);

/** The record at *at, aligned to 8, and its value or NULL. NULL: the message ends, or is malformed
 *  (*at < nbytes). */
const cw_answer_t *cw_answers_read(const void *records, size_t nbytes, size_t *at,
                                   const cw_answer_value_t **value_p);

#endif
