// SPDX-License-Identifier: BSD-3-Clause
//
// Messages between two processes, any memory. Messages of a process to another are taken in the
// order in which they were sent, among those that a receive asks for.
//
// A small message goes at once, and waits at its destination until it is received: up to
// ACI_P2P_WAITING bytes of each sender. Beyond that, and with a large message, the send waits until
// the destination receives: only then the data travels, in pieces, to where it belongs. So what
// waits in a process is bounded, and a process that is slow to receive slows its senders down.
// Messages of a process to itself are copied, whatever their size.
//
// Threads: any; a receive takes what another thread of the process does not. Blocking: both calls;
// they sleep in the end and run handlers of messages.
#ifndef ACI_P2P_H
#define ACI_P2P_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ACI_P2P_WAITING = 16384,  // bytes that a sender may have waiting at a destination
    ACI_P2P_OVERHEAD = 64     // that each message counts beside its data
};

/** Messages of different spaces never meet: one is the program's, the others the library's. */
typedef enum aci_space { ACI_SPACE_USER, ACI_SPACE_GROUPS, ACI_SPACE_TREES } aci_space_t;

/** By whom and to whom; `peer` of a receive may be ACI_ANY. */
typedef struct aci_envelope {
    const char *call;  // for messages
    aci_space_t space;
    int tag, peer;
} aci_envelope_t;
enum { ACI_ANY = -1 };

void aci_p2p_open(void);
/** After a barrier. */
void aci_p2p_close(void);
/** buf may be changed when it returns. nbytes < 2^31. [waits] */
void aci_p2p_send(const aci_envelope_t *to, const void *buf, size_t nbytes);
/** Returns the bytes of the message, at most nbytes (a larger one is fatal); *source_p: who sent
 *  it. [waits] */
size_t aci_p2p_receive(const aci_envelope_t *from, void *buf, size_t nbytes, int *source_p);

#endif
