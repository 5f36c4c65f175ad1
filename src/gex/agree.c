// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX, checking mode: events of collectives; and do all members make the same call? Before
// its own pieces each collective sends one that carries a claim, of which no thread waits for the
// end: a member compares the claims of all when it consumes that piece, which is before any of the
// collective itself, by whatever call that goes on.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/symbol.h"
#include "gex/gex.h"

typedef struct claim {
    char call[28];
    uint32_t root, type, operation;  // GEX_CLAIM_NONE: the call has none
    uint64_t nbytes;
    uint64_t place;  // cwu_symbol_shared, of the call in the program; last: it is not compared
} claim_t;
_Static_assert(sizeof(claim_t) <= 64, "fits in the smallest piece");

typedef struct comparison {
    claim_t mine;
    gex_TM_t tm;
} comparison_t;

static size_t append(char *text, size_t size, size_t at, const char *name, uint64_t value)
{
    return at < size ? at + (size_t)snprintf(text + at, size - at, ", %s %#llx", name,
                                             (unsigned long long)value)
                     : at;
}

/** "rank 1 calls gex_Coll_BroadcastNB (nbytes 8, root 0) at main+0x1c (sum.c:26)". */
static void describe(uint32_t rank, const claim_t *claim, char *text, size_t size)
{
    char values[120] = "", place[160];
    size_t at = 0;
    const bool known = cwu_symbol_describe_shared(claim->place, place, sizeof place);
    if (claim->nbytes != GEX_CLAIM_NONE)
        at = (size_t)snprintf(values, sizeof values, ", nbytes %llu",
                              (unsigned long long)claim->nbytes);
    if (claim->root != GEX_CLAIM_NONE && at < sizeof values)
        at += (size_t)snprintf(values + at, sizeof values - at, ", root %u", claim->root);
    if (claim->type != GEX_CLAIM_NONE)
        at = append(values, sizeof values, at, "type", claim->type);
    if (claim->operation != GEX_CLAIM_NONE)
        at = append(values, sizeof values, at, "operation", claim->operation);
    snprintf(text, size, "rank %u calls %.*s%s%s%s%s%s", rank, (int)sizeof claim->call, claim->call,
             at ? " (" : "", at ? values + 2 : "", at ? ")" : "", known ? " at " : "",
             known ? place : "");
}

static const char *give(void *data, size_t at, size_t *nbytes_p, char *room)
{
    (void)at, (void)nbytes_p, (void)room;
    return (const char *)&((const comparison_t *)data)->mine;
}

static void compare(void *data, size_t at, size_t nbytes, const char *all, size_t stride)
{
    const comparison_t *c = data;
    char first[360], other[360];
    claim_t claims[2];
    (void)at, (void)nbytes;
    memcpy(&claims[0], all, sizeof claims[0]);
    for (uint32_t rank = 1; rank < c->tm->size; rank++) {
        memcpy(&claims[1], all + rank * stride, sizeof claims[1]);
        if (memcmp(&claims[0], &claims[1], offsetof(claim_t, place)) == 0)
            continue;
        describe(0, &claims[0], first, sizeof first);
        describe(rank, &claims[1], other, sizeof other);
        gas_fail(c->mine.call,
                 "%s, but %s: all members of a team make the same collective calls with the same "
                 "arguments",
                 first, other);
    }
}

void gex_agree(const char *call, gex_TM_t tm, uint32_t root, size_t nbytes, uint32_t type,
               uint32_t operation)
{
    comparison_t *c = calloc(1, sizeof *c);
    if (!c)
        cwu_fatal("%s: out of memory for a comparison", call);
    c->tm = tm;
    c->mine.root = root;
    c->mine.nbytes = nbytes;
    c->mine.type = type;
    c->mine.operation = operation;
    c->mine.place = cwu_symbol_shared();
    snprintf(c->mine.call, sizeof c->mine.call, "%s", call);
    gex_spread_t spread = {
        .from = GEX_FROM_ALL, .give = give, .take = compare, .finish = free, .data = c};
    gex_coll_spread(gex_coll_announce(tm, 0), &spread, sizeof c->mine, true);
}

// ---------------------------------------------------------------- events
void gex_event_add(const char *call, const void *place, const gex_coll_t *coll)
{
    cw_known_add(&(cw_known_t){.space = CW_KNOWN_EVENTS,
                               .base = (uintptr_t)coll,
                               .nbytes = 1,
                               .call = call,
                               .place = place});
}

void gex_event_free(const gex_coll_t *coll)
{
    cw_known_free(CW_KNOWN_EVENTS, (uintptr_t)coll);
}

void gex_event_check(const char *call, gex_Event_t event)
{
    char place[160];
    cw_known_t known;
    const uintptr_t at = (uintptr_t)GEX_COLL(event);
    bool given = cw_known_find(CW_KNOWN_EVENTS, at, &known) && known.base == at;
    if (!given)
        gas_fail(call, "%p is no event that a call has given; was it never initialised?",
                 (void *)event);
    if (!known.freed)
        return;
    cwu_symbol_describe(known.place, place, sizeof place);
    gas_fail(call, "the event %p was waited for already; %s gave it at %s", (void *)event,
             known.call, place);
}
