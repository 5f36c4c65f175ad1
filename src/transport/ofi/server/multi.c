// SPDX-License-Identifier: BSD-3-Clause
//
// Receive buffers that take many messages each (FI_MULTI_RECV), for the common queue of a server
// with one RDM endpoint: its memory does not grow with its clients, and a buffer is posted once for
// hundreds of short messages. Where the provider does not offer them or refuses one of the calls,
// each peer has buffers of its own, as many as its client has credits (rdm.c); with MSG endpoints
// always. CAUSEWAY_MULTI_RECV=0 asks for that.
//
// Messages lie behind one another without gaps, so most are not aligned and must be copied.
#include "server.h"

#include <stdlib.h>
#include <string.h>

static ssize_t post(struct fid_ep *ep, ofi_op_t *op)
{
    struct iovec iov = {.iov_base = op->buf, .iov_len = OFI_MULTI_NBYTES};
    struct fi_msg msg = {
        .msg_iov = &iov, .desc = &op->desc, .iov_count = 1, .addr = FI_ADDR_UNSPEC, .context = op};
    ssize_t rc;
    op->kind = OFI_RECV_MANY;
    do  // the queue is not full; a provider may still be busy
        rc = fi_recvmsg(ep, &msg, FI_MULTI_RECV);
    while (rc == -FI_EAGAIN);
    return rc;
}

/** Sets the room below which the provider returns a buffer: that of the longest message. */
static bool set_room(struct fid_ep *ep)
{
    size_t room = CWT_MESSAGE_MAX;
    return fi_setopt(&ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &room, sizeof room) == 0;
}

/** shm of libfabric 1.17 crashes in options of these buffers. tcp (net in 1.17) returns a buffer
 *  before 1.20 with its last message, even if earlier ones are still coming in: their bytes would
 *  be written over those of messages that follow. */
static bool provider_fails(const char *name)
{
    bool early = strcmp(name, "net") == 0 || strcmp(name, "tcp") == 0;
    return strcmp(name, "shm") == 0 || (early && FI_VERSION_LT(ofi_lib.version, FI_VERSION(1, 20)));
}

bool ofi_multi_open(ofi_multi_t *multi, const ofi_device_t *device)
{
    const char *name = ofi_choice.info->fabric_attr->prov_name;
    if (!ofi_choice.multi_recv || !cwu_env.multi_recv || provider_fails(name) ||
        !set_room(device->ep))
        return false;
    multi->memory = aligned_alloc(4096, OFI_MULTI_BUFFERS * OFI_MULTI_NBYTES);
    if (!multi->memory ||
        ofi_register_buffers(device->domain, multi->memory, OFI_MULTI_BUFFERS * OFI_MULTI_NBYTES,
                             &multi->mr) != 0) {
        ofi_multi_close(multi);
        return false;
    }
    for (uint32_t i = 0; i < OFI_MULTI_BUFFERS; i++) {
        ofi_op_t *op = &multi->ops[i];
        op->buf = multi->memory + (size_t)i * OFI_MULTI_NBYTES;
        op->desc = multi->mr ? fi_mr_desc(multi->mr) : NULL;
        ssize_t rc = post(device->ep, op);
        if (rc == 0)
            multi->posted++;
        else
            cwu_debug("libfabric (%s): a buffer for many messages is refused: %s", name,
                      ofi_reason(rc));
        if (multi->posted == 0)
            break;  // if the first is refused, all are; one is enough
    }
    cwu_debug("node server: %u buffers for the messages of all clients", multi->posted);
    if (multi->posted == 0)
        ofi_multi_close(multi);
    return multi->posted > 0;
}

void ofi_multi_close(ofi_multi_t *multi)
{
    if (multi->mr)
        fi_close(&multi->mr->fid);
    free(multi->memory);
    memset(multi, 0, sizeof *multi);
}

/** Where a message can be read: in the buffer if it is aligned there, otherwise a copy. NULL: its
 *  place or size is not valid. */
static void *readable(const ofi_op_t *op, void *at, size_t nbytes, void *room)
{
    uintptr_t offset = (uintptr_t)at - (uintptr_t)op->buf;
    if (nbytes == 0 || nbytes > CWT_MESSAGE_MAX || offset > OFI_MULTI_NBYTES ||
        nbytes > OFI_MULTI_NBYTES - offset)
        return NULL;
    return (uintptr_t)at % sizeof(uint64_t) == 0 ? at : memcpy(room, at, nbytes);
}

void ofi_multi_received(cwt_server_t *server, ofi_op_t *op, const struct fi_cq_data_entry *entry)
{
    _Alignas(8) uint8_t room[CWT_MESSAGE_MAX];
    if (entry->flags & FI_RECV) {  // otherwise only the end of the buffer
        void *msg = readable(op, entry->buf, entry->len, room);
        if (msg)
            ofi_server_request(server, NULL, msg, entry->len);
        else if (entry->len > 0)
            ofi_server_drop(server, "malformed");
    }
    if (entry->flags & FI_MULTI_RECV)
        ofi_multi_again(server, op);
}

void ofi_multi_again(cwt_server_t *server, ofi_op_t *op)
{
    ssize_t rc = post(server->device.ep, op);
    if (rc != 0 && --server->multi.posted == 0)
        cwu_error("libfabric (%s): the node server cannot post buffers for messages again: %s; set "
                  "CAUSEWAY_MULTI_RECV=0",
                  ofi_choice.info->fabric_attr->prov_name, ofi_reason(rc));
}
