// SPDX-License-Identifier: BSD-3-Clause
//
// Links: one connection between the servers of two nodes, by which the PEs that host them put into
// each other's memory (ADR 127). A client's connection carries data one way only, so that TCP
// acknowledges by messages of its own what no data of the other direction acknowledges; a link
// carries both directions. It is a part of the server's device, so that the target's server sees
// what comes by it, as all else.
//
//   MSG   the server of the lower node connects, that of the higher one accepts
//   RDM   the servers' endpoints put to each other; the provider has one connection for both, which
//         the lower node's makes: it invites the other one when it has it
//
//   NONE -> CONNECTING -> TESTING -> UP -> LOST     TESTING: reads show that it works
//     ^----------'-----------'
//
// Threads: all under the lock that server_progress is called under. Blocking: never.
#ifndef CWT_OFI_LINK_H
#define CWT_OFI_LINK_H

#include "server.h"
#include "transport/ofi/wire/link.h"

typedef enum ofi_link_state {
    OFI_LINK_NONE,
    OFI_LINK_CONNECTING,
    OFI_LINK_TESTING,
    OFI_LINK_UP,
    OFI_LINK_LOST  // for good
} ofi_link_state_t;

typedef struct ofi_server_link {
    ofi_link_t seen;  // first
    struct ofi_server_link *next;
    cwt_server_t *server;
    int node;
    ofi_link_state_t state;
    ofi_peer_t *peer;  // MSG
    struct fid_ep *ep;
    fi_addr_t fi_addr;
    uint64_t key, base;
    ofi_hello_t hello;  // MSG: of the side that connects
    uint64_t birth;     // of the other server
    uint64_t again_ns;  // not before, after a failure
    ofi_op_t read;      // under way while `reading`
    bool reading;
    bool invited;      // RDM: the other side is there
    uint32_t tested;   // reads that came back
    uint32_t covered;  // puts before the read
    uint64_t scratch;  // where reads go
} ofi_server_link_t;

extern const ofi_link_calls_t ofi_link_calls;

/** A read has ended. */
void ofi_link_read_ended(ofi_op_t *op, bool failed);
/** A put of some link has failed. */
void ofi_links_put_failed(cwt_server_t *server);
/** MSG: its peer is connected; with the other side's private data. */
void ofi_link_connected(ofi_server_link_t *link, const void *data, size_t nbytes);
/** MSG: its peer ends. */
void ofi_link_ended(ofi_server_link_t *link);
/** RDM: the server of that node is there. */
void ofi_link_invited(cwt_server_t *server, uint32_t node);
void ofi_links_close(cwt_server_t *server);

#endif
