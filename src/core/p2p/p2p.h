// SPDX-License-Identifier: BSD-3-Clause
//
// Messages between two PEs, any memory. Messages of a process to another are taken in the
// order in which they were sent, among those that a receive asks for.
//
// A small message goes at once, and waits at its destination until it is received: up to
// CW_P2P_WAITING bytes of each sender. Beyond that, and with a large message, the send waits until
// the destination receives: only then the data travels, in pieces, to where it belongs. So what
// waits in a process is bounded, and a process that is slow to receive slows its senders down.
// Messages of a process to itself are copied, whatever their size.
//
// Threads: any; a receive takes what another thread of the process does not. Blocking: both calls;
// they sleep in the end and run handlers of messages.
#ifndef CW_CORE_P2P_H
#define CW_CORE_P2P_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CW_P2P_WAITING = 16384,  // bytes that a sender may have waiting at a destination
    CW_P2P_OVERHEAD = 64     // that each message counts beside its data
};

/** Messages of different spaces never meet. A front end has those from CW_P2P_SPACES * its own
 *  number on, which no other has. */
enum { CW_P2P_SPACES = 8 };

/** By whom and to whom; `peer` of a receive may be CW_P2P_ANY. */
typedef struct cw_envelope {
    const char *call;  // for messages
    unsigned space;
    int tag, peer;
} cw_envelope_t;
enum { CW_P2P_ANY = -1 };

/** By each front end that uses them, after cw_init. */
void cw_p2p_open(const char *call);
/** After a barrier. What was not received in the spaces of the front end is dropped. */
void cw_p2p_close(unsigned front_end);
/** buf may be changed when it returns. nbytes < 2^31. [waits] */
void cw_p2p_send(const cw_envelope_t *to, const void *buf, size_t nbytes);
/** Returns the bytes of the message, at most nbytes (a larger one is fatal); *source_p: who sent
 *  it. [waits] */
size_t cw_p2p_receive(const cw_envelope_t *from, void *buf, size_t nbytes, int *source_p);

/** Both at a time: the send does not wait for the receive of the peer before this PE receives. */
size_t cw_p2p_send_receive(const cw_envelope_t *to, const void *send, size_t send_nbytes,
                           const cw_envelope_t *from, void *buf, size_t nbytes, int *source_p);

#endif
