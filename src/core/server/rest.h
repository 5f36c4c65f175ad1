// SPDX-License-Identifier: BSD-3-Clause
//
// The server's rest between rounds of progress (rest.c). Threads: the server's.
#ifndef CW_CORE_REST_H
#define CW_CORE_REST_H

#include "transport/transport.h"

/** Sleeps, after ops->server_may_block, until traffic, ops->server_wake, the limit, or it has woken
 *  a PE whose word changed without an event. */
void cw_server_rest(cwt_server_t *server, uint64_t limit_ns);

#endif
