// SPDX-License-Identifier: BSD-3-Clause
//
// Copies by the owner: puts, gets and fills in memory that no other process can map or the network
// reach. Active messages ask the owner, which copies when it polls, and replies.
//
// What arrives is not trusted: an owner touches only memory that its front end shares
// (cw_owner_config_t), and a reply names a place in a table, which must wait for a reply of that
// PE.
// Threads: any. Blocking: for a place in the table, and to send.
#ifndef CW_OWNER_COPY_H
#define CW_OWNER_COPY_H

#include "core/am/am.h"
#include "core/owner/handle.h"
#include "core/owner/owner.h"
#include "core/path/scatter.h"

enum { CW_OWNER_AM_CLIENT = CW_AM_CLIENTS - 1 };  // number of this client of messages

/** Registers handlers, before other PEs know of this one. A process has one such owner, whose front
 *  end decides how calls wait for messages (cw_handle_messages). */
void cw_owner_copy_register(const cw_owner_t *owner);
/** For memory of core/owner/private.h, with or without an owner. */
void cw_owner_copy_register_shares(bool (*shares)(const void *addr, size_t nbytes));
/** For device memory of core/device; adds to what is shared. */
void cw_owner_copy_register_foreign(void);
/** Serves requests from here on, earlier ones too; counted. */
void cw_owner_copy_open(void);
/** As cw_am_close. */
void cw_owner_copy_close(void);

/** op counts until the copy is done. */
void cw_owner_copy_put(uint32_t pe, void *dest, const void *src, size_t nbytes, cw_handle_op_t *op);
/** To device memory of the owner. src: host memory. */
void cw_owner_copy_put_foreign(uint32_t pe, void *dest, const void *src, size_t nbytes,
                               cw_handle_op_t *op);
/** From memory of either kind. dest: host memory. */
void cw_owner_copy_get(void *dest, uint32_t pe, const void *src, size_t nbytes, cw_handle_op_t *op);
void cw_owner_copy_set(uint32_t pe, void *dest, int value, size_t nbytes, cw_handle_op_t *op);

/** Pieces of one put or get; small ones travel packed. Host memory. */
typedef struct cw_owner_pieces {
    uint32_t pe;
    bool put;
    cw_handle_op_t *op;   // counts until the copies are done
    size_t nbytes;        // of the message so far
    cw_scatter_t *reply;  // of gets: where its bytes go
    uint64_t message[CW_AM_PACKET / sizeof(uint64_t)];
} cw_owner_pieces_t;

void cw_owner_pieces_begin(cw_owner_pieces_t *p, uint32_t pe, bool put, cw_handle_op_t *op);
void cw_owner_pieces_add(cw_owner_pieces_t *p, void *remote, void *local, size_t nbytes);
/** Sends what is left. */
void cw_owner_pieces_end(cw_owner_pieces_t *p);

#endif
