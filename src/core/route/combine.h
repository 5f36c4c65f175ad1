// SPDX-License-Identifier: BSD-3-Clause
//
// Fetch-and-adds that travel as one (CAUSEWAY_COMBINE, ADR 54). A server that packs a
// message may execute those to one word, of any PEs, as a single one with the sum of their
// operands. Its value comes back to this server, which adds to it, for each of them, what those
// before it have added.
//
// The groups of what was combined here, each waiting for its value. Threads: one at a time. Nothing
// here waits.
#ifndef CW_CORE_ROUTE_COMBINE_H
#define CW_CORE_ROUTE_COMBINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CW_COMBINE_GROUPS = 64,    // that wait at a time
    CW_COMBINE_SLOT = 0x8000,  // reply_slot: a group's number above this
    CW_COMBINE_FLAG = 1        // in the tail of a combined request
};

typedef struct cw_combine_member {
    uint32_t origin;
    uint16_t reply_slot, generation;
    uint64_t before;  // what the members before it add
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
/** A free group, empty, for a word of 4 or 8 bytes; NULL: none is free. It is in use when it has a
 *  member. */
cw_combine_group_t *cw_combine_begin(cw_combine_t *c, uint32_t nbytes);
/** False: there is no memory. */
bool cw_combine_add(cw_combine_group_t *g, cw_combine_member_t member, uint64_t operand);
/** As a request's reply_slot. */
uint16_t cw_combine_slot(const cw_combine_t *c, const cw_combine_group_t *g);
/** The group that waits for this value; NULL: none does. It comes from the final node, or from a
 *  server that has combined the group's request with others. */
cw_combine_group_t *cw_combine_find(cw_combine_t *c, uint16_t reply_slot, uint16_t generation);
/** The value of a member, from that of the whole. */
uint64_t cw_combine_value(const cw_combine_group_t *g, uint32_t member, uint64_t value);
void cw_combine_end(cw_combine_group_t *g);

#endif
