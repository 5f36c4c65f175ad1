// SPDX-License-Identifier: BSD-3-Clause
//
// The receives of one endpoint: a bounded number of them. An RDM endpoint, a server's or a
// client's, has one pool for all its connections: few buffers that take many messages each, where
// the provider has them, else a buffer for each message, and more of these with each connection
// until the pool is full. A connection of MSG endpoints has a pool of its own.
//
// A provider that is busy does not take a receive: then it is late, and posted with a later round
// of progress. A pool never waits.
//
// Threads: those of the endpoint's owner, one at a time.
#ifndef CWT_OFI_RECEIVES_H
#define CWT_OFI_RECEIVES_H

#include <rdma/fi_eq.h>

#include "pool.h"
#include "transport/ofi/lib/device.h"

#define OFI_RECEIVES_MAX 256u  // of an RDM endpoint

typedef struct ofi_receives {
    ofi_device_t *device;
    struct fid_ep *ep;      // NULL: none yet, or none any more
    cwt_conn_t *conn;       // MSG, a client's: whose they are
    struct ofi_peer *peer;  // MSG, a server's
    struct ofi_buffers *blocks;
    size_t longest;  // message
    uint32_t count;  // receives, posted and late
    uint32_t late;   // of these
    ofi_op_t *first_late;
    uint32_t *late_p;  // sum of `late` over all pools of the owner
    bool many;         // buffers for many messages
    ssize_t why;       // the last one was not taken; 0: all were
} ofi_receives_t;

/** An empty pool; late_p: the owner's sum. longest: bytes of a message. */
void ofi_receives_init(ofi_receives_t *r, ofi_device_t *device, struct fid_ep *ep, uint32_t *late_p,
                       size_t longest);
/** Posts buffers of that size for many messages each. False: the provider has none, or refuses
 *  them. */
bool ofi_receives_many(ofi_receives_t *r, size_t nbytes);
/** Adds up to `count` receives, as many as endpoint and completion queue have room for: of the
 *  queue's, one of `parts` parts. Posted at once if there is an endpoint. 0, or CW_ENOMEM: there is
 *  none at all. */
int ofi_receives_add(ofi_receives_t *r, uint32_t count, uint32_t parts);
/** Posts all of a pool on a new endpoint; 0 or CW_E…. */
int ofi_receives_start(ofi_receives_t *r, struct fid_ep *ep);
/** The endpoint is closed: nothing is posted until the next start. */
void ofi_receives_stop(ofi_receives_t *r);
/** Posts a receive again, or makes it late. Otherwise it is lost: CW_E…. */
int ofi_receives_again(ofi_op_t *op);
/** Posts late receives until the provider refuses one. */
int ofi_receives_retry(ofi_receives_t *r);
/** A message in a buffer for many, where it can be read: there if it is aligned, else in room
 *  (the longest, aligned). NULL: its place or size is not valid. */
void *ofi_receives_message(const ofi_op_t *op, const struct fi_cq_data_entry *entry, void *room);
/** The endpoint is closed, and no completion will name a buffer. */
void ofi_receives_close(ofi_receives_t *r);

#endif
