// SPDX-License-Identifier: BSD-3-Clause
//
// What the core's fast paths read of a transport without calling it: the record of a target PE, and
// that of a connection. Filled in by the transport; threads as in transport.h.
#ifndef CW_TRANSPORT_RECORDS_H
#define CW_TRANSPORT_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct cwt_conn cwt_conn_t;

/**
 * One record per (context, touched PE): all that a scalar put needs, one cache line. The API's
 * inlined put calls
 *     inject(ep, &value, size, fabric_addr, (uintptr_t)dest + base, key)
 * directly, and then stores a non-zero `last`: in this order, so that a thread that reads and
 * clears `last` and then flushes has the put before the flush. Where the provider's demands do not
 * allow that (several keys, no completion promise, locks) the record holds a shim of the transport
 * with the same signature, ep = the target itself. Up to ops->inject_most() bytes may go this way.
 * A non-zero return means "not taken": the caller uses ops->put, which waits and reports.
 */
typedef struct cwt_target {
    ssize_t (*inject)(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr, uint64_t addr,
                      uint64_t key);
    void *ep;
    uint64_t fabric_addr;
    uint64_t base;  // symmetric address here -> remote address as the provider takes it
    uint64_t key;
    uint64_t last;  // atomic; non-zero: something was injected since the last quiet
    cwt_conn_t *conn;
    uint64_t offset;  // symmetric address here -> offset in the target's node object
} cwt_target_t;
_Static_assert(sizeof(cwt_target_t) == 64, "one cache line");

/**
 * What every cwt_conn_t begins with: all that a short message without a reply needs. While nbytes
 * <= most, !down and (int32_t)(stop - sent) > 0, its sender may fill in header.token and reply_id =
 * id, call
 *     inject(ep, msg, nbytes, fabric_addr)
 * and count: sent++, token++. Otherwise, or when inject returns non-zero (then nothing is
 * counted), it calls ops->message.
 */
typedef struct cwt_channel {
    ssize_t (*inject)(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr);
    void *ep;
    uint64_t fabric_addr;
    uint64_t token;  // of the next request: no two have the same
    uint64_t id;
    uint32_t sent;  // requests sent on the connection
    uint32_t stop;
    uint32_t most;  // bytes; 0: never this way
    bool down;
} cwt_channel_t;

#endif
