// SPDX-License-Identifier: BSD-3-Clause
//
// Cells between the leaders of a few nodes: each leader sends one to every other, as one message
// with the word that says that it has come, and goes on when it has all of theirs. That is a
// synchronisation too, so nothing else is waited for.
//
//     cw_exchange_begin()   the places of the cells, in a half of the group's scratch
//                           the members of a node store what is to be sent into the leader's
//     cw_exchange_run()     all members; the cells of the other nodes have come
//                           the members of a node load from the leader's
//
// A half is free again when the next synchronisation but one begins (cw_group_scratch): a leader
// that sends has seen its whole node enter the call. The call before synchronised, so all had
// entered it, and had left the half of the call before that one.
#ifndef CW_CORE_COLL_EXCHANGE_H
#define CW_CORE_COLL_EXCHANGE_H

#include "core/coll/call.h"

// at most, each sends nodes - 1 messages; and where the words that tell of them begin, among the
// symmetric ones of the group, on a line of their own
enum { CW_EXCHANGE_NODES = 8, CW_EXCHANGE_CAME = 56 };

typedef struct cw_exchange {
    const cw_coll_call_t *c;
    char *half;  // symmetric
    size_t cell_nbytes;
    size_t used_nbytes;  // of this node's cells: so many travel
    bool to_each;        // each node gets a cell of its own; else all get the same
    int nsteps;          // that follow in conclude(): cw_exchange_put, cw_exchange_await
    // in the leader: where what goes to node k lies; NULL: in the cells
    const char *(*source)(const struct cw_exchange *x, int k);
    // where it goes there, symmetric; NULL: to the cells
    char *(*target)(const struct cw_exchange *x);
    // in the leader, NULL: nothing to do: when its node has arrived and before it sends, where it
    // may change used_nbytes; while the cells come; and when all have, before the members go on
    void (*prepare)(struct cw_exchange *x), (*meanwhile)(const struct cw_exchange *x),
        (*conclude)(struct cw_exchange *x);
} cw_exchange_t;

/** Bytes of scratch that it takes; UINT64_MAX: more than there is. */
uint64_t cw_exchange_room(const cw_coll_call_t *c, uint64_t cell_nbytes, bool to_each);
cw_exchange_t cw_exchange_begin(const cw_coll_call_t *c, size_t cell_nbytes, bool to_each);
/** All members of the group. [waits] */
void cw_exchange_run(const cw_exchange_t *x);
/** The same without cells, where each node has one member: from source() to target(). copy_own puts
 *  what is the member's own in its place. [waits] */
void cw_exchange_straight(cw_exchange_t *x, void (*copy_own)(const cw_exchange_t *x));

/** In prepare(): puts a part of the cell for node k, from byte `at` on, ahead of its used bytes. */
void cw_exchange_ahead(const cw_exchange_t *x, int k, size_t at, const char *src, size_t nbytes);
/** In conclude(), in step 1 .. nsteps: puts nbytes (perhaps 0) to the leader of node k, and
 *  notifies it. src may be written again. */
void cw_exchange_put(const cw_exchange_t *x, int k, int step, char *dest, const char *src,
                     size_t nbytes);
/** In conclude(): node k has taken the step, and all before it. [waits] */
void cw_exchange_await(const cw_exchange_t *x, int k, int step);

/** In the scratch of member i of this node, mapped here: where the leader's node has its cell. */
char *cw_exchange_own(const cw_exchange_t *x, int i);
/** Of this node's leader, mapped here: what comes from node k, or is this node's own. */
char *cw_exchange_from(const cw_exchange_t *x, int k);
/** The same: what goes to node k; the own one is where cw_exchange_from() finds it. */
char *cw_exchange_to(const cw_exchange_t *x, int k);

#endif
