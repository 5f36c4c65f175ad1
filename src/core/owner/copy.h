// SPDX-License-Identifier: BSD-3-Clause
//
// Copies by the owner: puts, gets and fills in memory that no other process can map or the network
// reach. Requests of active messages ask the owner, which copies in handlers when it polls, and
// replies. An operation counts its messages.
//
// What arrives is not trusted: an owner reads and writes only memory that its front end shares
// (cw_owner_config_t), and a reply names its request by a place in a table, which must be waiting
// for a reply of that PE.
// Threads: any. Blocking: a request waits for a place in the table, and as requests do.
#ifndef CW_OWNER_COPY_H
#define CW_OWNER_COPY_H

#include "core/am/am.h"
#include "core/owner/handle.h"
#include "core/owner/owner.h"

enum { CW_OWNER_AM_CLIENT = CW_AM_CLIENTS - 1 };  // number of this client of messages

/** Registers the handlers, before other PEs can know of this one. One owner of a process: its
 *  front end decides how calls wait for messages (cw_handle_messages). */
void cw_owner_copy_register(const cw_owner_t *owner);
/** The same for memory of its process that core/owner/private.h shares, beside an owner or not. */
void cw_owner_copy_register_shares(bool (*shares)(const void *addr, size_t nbytes));
/** The same for device memory alone, which core/device shares; what another owner copies stays. */
void cw_owner_copy_register_foreign(void);
/** Requests that came before are served from here on; counted. */
void cw_owner_copy_open(void);
/** As cw_am_close. */
void cw_owner_copy_close(void);

/** op counts until the copy is done. */
void cw_owner_copy_put(uint32_t pe, void *dest, const void *src, size_t nbytes, cw_handle_op_t *op);
/** To device memory of the owner. src: of the processors. */
void cw_owner_copy_put_foreign(uint32_t pe, void *dest, const void *src, size_t nbytes,
                               cw_handle_op_t *op);
/** From memory of either kind. dest: of the processors. */
void cw_owner_copy_get(void *dest, uint32_t pe, const void *src, size_t nbytes, cw_handle_op_t *op);
void cw_owner_copy_set(uint32_t pe, void *dest, int value, size_t nbytes, cw_handle_op_t *op);

#endif
