// SPDX-License-Identifier: BSD-3-Clause
//
// Fetch-and-adds that travel as one (CAUSEWAY_COMBINE, ADR 54): a server that packs a message may
// send those to one word as one with the sum of the operands, and then adds to its value, for each,
// the operands before it.
//
// Threads: one at a time. Nothing waits.
#ifndef CW_CORE_ROUTE_COMBINE_H
#define CW_CORE_ROUTE_COMBINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CW_COMBINE_GROUPS = 64,    // at a time
    CW_COMBINE_SLOT = 0x8000,  // reply_slot: plus the group's number
    CW_COMBINE_FLAG = 1        // in a combined request's tail
};

typedef struct cw_combine_member {
    uint32_t origin;
    uint16_t reply_slot, generation;
    uint64_t before;  // sum of the members before it
} cw_combine_member_t;

typedef struct cw_combine_group {
    cw_combine_member_t *member;
    uint32_t count, room;  // 0: free
    uint32_t nbytes;       // of the word
    uint64_t sum;
    uint16_t generation;
} cw_combine_group_t;

typedef struct cw_combine {  // all 0 at first
    cw_combine_group_t group[CW_COMBINE_GROUPS];
} cw_combine_t;

void cw_combine_destroy(cw_combine_t *c);
/** An empty group for a word of 4 or 8 bytes, free until it has a member; NULL: none. */
cw_combine_group_t *cw_combine_begin(cw_combine_t *c, uint32_t nbytes);
/** False: no memory. */
bool cw_combine_add(cw_combine_group_t *g, cw_combine_member_t member, uint64_t operand);
uint16_t cw_combine_slot(const cw_combine_t *c, const cw_combine_group_t *g);
/** The group of a value from the final node, or from a server that has combined the group's
 *  request, too; NULL: none. */
cw_combine_group_t *cw_combine_find(cw_combine_t *c, uint16_t reply_slot, uint16_t generation);
/** A member's value, from the whole's. */
uint64_t cw_combine_value(const cw_combine_group_t *g, uint32_t member, uint64_t value);
void cw_combine_end(cw_combine_group_t *g);

#endif
