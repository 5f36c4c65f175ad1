// SPDX-License-Identifier: BSD-3-Clause
//
// The server's rest between rounds of progress (rest.c). Threads: the server's.
#ifndef CW_CORE_REST_H
#define CW_CORE_REST_H

#include "transport/transport.h"

/** Sleeps until traffic, ops->server_wake, or the limit, after ops->server_may_block; meanwhile
 *  wakes PEs whose words have changed, if no event tells of that, and returns when it has woken
 *  one. */
void cw_server_rest(cwt_server_t *server, uint64_t limit_ns);

#endif
