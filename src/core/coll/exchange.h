// SPDX-License-Identifier: BSD-3-Clause
//
// Cells between the leaders of a few nodes: each sends one to every other, with a word that says
// so, and awaits all of theirs: a synchronisation too.
//
//     cw_exchange_begin()   the places of the cells, in a half of the group's scratch
//                           members store what is to be sent into their leader's
//     cw_exchange_run()     all members; the other nodes' cells have come
//                           members load from their leader's
//
// The half is free when the next synchronisation but one begins (cw_group_scratch): a sending
// leader has seen its whole node enter, and the call before synchronised.
#ifndef CW_CORE_COLL_EXCHANGE_H
#define CW_CORE_COLL_EXCHANGE_H

#include "core/coll/call.h"

// a leader sends nodes - 1 messages; where their words begin among the group's, on a line of their
// own
enum { CW_EXCHANGE_NODES = 8, CW_EXCHANGE_CAME = 56 };

typedef struct cw_exchange {
    const cw_coll_call_t *c;
    char *half;  // symmetric
    size_t cell_nbytes;
    size_t used_nbytes;  // of this node's cells: so many travel
    bool to_each;        // a cell for each node; else all get the same
    int nsteps;          // that follow in conclude(): cw_exchange_put, cw_exchange_await
    // in the leader: where what goes to node k lies; NULL: the cells
    const char *(*source)(const struct cw_exchange *x, int k);
    // where it goes there, symmetric; NULL: the cells
    char *(*target)(const struct cw_exchange *x);
    // in the leader, or NULL: once its node has arrived, before it sends (may change used_nbytes);
    // while cells come; when all have come
    void (*prepare)(struct cw_exchange *x), (*meanwhile)(const struct cw_exchange *x),
        (*conclude)(struct cw_exchange *x);
} cw_exchange_t;

/** Bytes of scratch needed; UINT64_MAX: more than there is. */
uint64_t cw_exchange_room(const cw_coll_call_t *c, uint64_t cell_nbytes, bool to_each);
cw_exchange_t cw_exchange_begin(const cw_coll_call_t *c, size_t cell_nbytes, bool to_each);
/** All members of the group. [waits] */
void cw_exchange_run(const cw_exchange_t *x);
/** Without cells, where each node has one member: from source() to target(). copy_own copies the
 *  own block. [waits] */
void cw_exchange_straight(cw_exchange_t *x, void (*copy_own)(const cw_exchange_t *x));

/** In prepare(): puts to the cell for node k, from byte `at`, ahead of its used bytes. */
void cw_exchange_ahead(const cw_exchange_t *x, int k, size_t at, const char *src, size_t nbytes);
/** In conclude(), step 1 .. nsteps: puts nbytes (perhaps 0) to the leader of node k, notifies it.
 *  src is free then. */
void cw_exchange_put(const cw_exchange_t *x, int k, int step, char *dest, const char *src,
                     size_t nbytes);
/** In conclude(): node k has taken this step and all before. [waits] */
void cw_exchange_await(const cw_exchange_t *x, int k, int step);

/** This node's cell in the scratch of its member i, mapped here. */
char *cw_exchange_own(const cw_exchange_t *x, int i);
/** In this node's leader, mapped here: what comes from node k, or this node's own. */
char *cw_exchange_from(const cw_exchange_t *x, int k);
/** As above: what goes to node k; the own one is that of cw_exchange_from(). */
char *cw_exchange_to(const cw_exchange_t *x, int k);

#endif
