// SPDX-License-Identifier: BSD-3-Clause
//
// Messages between two PEs, any memory. Messages of one process to another are received in the
// order sent, among those that a receive asks for.
//
// A small message goes at once and waits at its destination: up to CW_P2P_WAITING bytes of each
// sender. Beyond that, and for a large message, the send waits for the receive; then the data
// travels in pieces to its place. So waiting memory is bounded, and slow receivers slow senders
// down. Messages to itself are copied.
//
// Threads: any; a message goes to one receive. Blocking: both calls; they run
// handlers of messages.
#ifndef CW_CORE_P2P_H
#define CW_CORE_P2P_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CW_P2P_WAITING = 16384,  // bytes of a sender, waiting at a destination
    CW_P2P_OVERHEAD = 64     // bytes of each message beside its data
};

/** Messages of different spaces never meet. A front end has those from CW_P2P_SPACES * its number
 *  on. */
enum { CW_P2P_SPACES = 8 };

/** By whom and to whom; a receive's `peer` may be CW_P2P_ANY. */
typedef struct cw_envelope {
    const char *call;  // for messages
    unsigned space;
    int tag, peer;
} cw_envelope_t;
enum { CW_P2P_ANY = -1 };

/** By each front end, after cw_init. */
void cw_p2p_open(const char *call);
/** After a barrier. Drops what the front end's spaces have not received. */
void cw_p2p_close(unsigned front_end);
/** buf is free on return. nbytes < 2^31. [waits] */
void cw_p2p_send(const cw_envelope_t *to, const void *buf, size_t nbytes);
/** Returns the message's bytes, at most nbytes (a larger one is fatal); *source_p: its sender.
 *  [waits] */
size_t cw_p2p_receive(const cw_envelope_t *from, void *buf, size_t nbytes, int *source_p);

/** Both at once: the send does not wait for the peer's receive before this PE receives. [waits] */
size_t cw_p2p_send_receive(const cw_envelope_t *to, const void *send, size_t send_nbytes,
                           const cw_envelope_t *from, void *buf, size_t nbytes, int *source_p);

#endif
