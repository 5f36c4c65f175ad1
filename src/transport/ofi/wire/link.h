// SPDX-License-Identifier: BSD-3-Clause
//
// What a client sees of a link, one connection between its process's server and that of another
// node (server/link.h), and how it uses one.
//
// Threads: the calls under the lock that server_progress is called under. Blocking: never.
#ifndef CWT_OFI_WIRE_LINK_H
#define CWT_OFI_WIRE_LINK_H

#include <stdatomic.h>

#include "wire.h"

typedef struct ofi_link {
    uint32_t puts;            // modulo 2^32
    _Atomic uint32_t proved;  // of these, the ones that are in the target's memory
} ofi_link_t;

/** Are there puts that are not proved? By the only thread that puts; no lock. */
static inline bool ofi_link_unproved(const ofi_link_t *link)
{
    return atomic_load_explicit(&link->proved, memory_order_acquire) != link->puts;
}

/** The other server, as a client that is connected to it knows it. */
typedef struct ofi_link_to {
    int node;
    const ofi_blob_t *blob;
    uint64_t key, base;
} ofi_link_to_t;

typedef struct ofi_link_calls {
    /** The link to a node, in whatever state; NULL: no memory, or no room for its read. */
    ofi_link_t *(*of)(cwt_server_t *server, int node);
    /** One step towards a link that can be used; true: it can. hello: number, nonce and PE of an
     *  attempt to connect, if it is this side that connects. */
    bool (*step)(ofi_link_t *link, const ofi_link_to_t *to, const ofi_hello_t *hello);
    /** Does the next step need a hello? */
    bool (*connects)(const ofi_link_t *link);
    /** RDM: must the other side hear that this one is there? */
    bool (*invites)(const ofi_link_t *link);
    /** 0, or the provider's error: nothing was put. */
    ssize_t (*put)(ofi_link_t *link, const void *src, size_t nbytes, uint64_t offset);
    /** Starts what proves the puts so far, if it can be started now and is not under way. False:
     *  the link has ended. */
    bool (*prove)(ofi_link_t *link);
} ofi_link_calls_t;

#endif
