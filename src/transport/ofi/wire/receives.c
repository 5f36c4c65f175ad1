// SPDX-License-Identifier: BSD-3-Clause
//
// Receives of one endpoint: blocks of buffers, posted, late, or for many messages.
//
// Buffers that take many messages each (FI_MULTI_RECV) are for RDM endpoints: their memory does not
// grow with the connections, and a buffer is posted once for hundreds of short messages.
// CAUSEWAY_MULTI_RECV=0 asks for plain ones. Messages lie behind one another without gaps, so most
// are not aligned and must be copied.
#include "receives.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MANY_BUFFERS 4u

/** A block of buffers, registered if the provider wants that. */
typedef struct ofi_buffers {
    struct ofi_buffers *next;
    uint8_t *memory;
    size_t nbytes;  // of all
    struct fid_mr *mr;
    uint32_t count;
    ofi_op_t ops[];
} ofi_buffers_t;

static void close_block(ofi_buffers_t *block)
{
    if (block->mr)
        fi_close(&block->mr->fid);
    if (block->memory)
        munmap(block->memory, block->nbytes);
    free(block);
}

static ofi_buffers_t *open_block(ofi_receives_t *r, ofi_kind_t kind, uint32_t count, size_t nbytes)
{
    ofi_buffers_t *block = calloc(1, sizeof *block + count * sizeof block->ops[0]);
    if (!block)
        return NULL;
    block->count = count;
    block->nbytes = count * nbytes;
    block->memory = ofi_map_pages(block->nbytes);
    if (!block->memory ||
        ofi_register_buffers(r->device, block->memory, block->nbytes, &block->mr) != 0) {
        close_block(block);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        ofi_op_t *op = &block->ops[i];
        op->receives = r;
        op->kind = kind;
        op->buf = block->memory + i * nbytes;
        op->nbytes = nbytes;
        op->desc = block->mr ? fi_mr_desc(block->mr) : NULL;
    }
    return block;
}

static ssize_t post(const ofi_receives_t *r, ofi_op_t *op)
{
    if (op->kind == OFI_RECV)
        return fi_recv(r->ep, op->buf, op->nbytes, op->desc, FI_ADDR_UNSPEC, &op->context);
    struct iovec iov = {.iov_base = op->buf, .iov_len = op->nbytes};
    struct fi_msg msg = {
        .msg_iov = &iov, .desc = &op->desc, .iov_count = 1, .addr = FI_ADDR_UNSPEC, .context = op};
    return fi_recvmsg(r->ep, &msg, FI_MULTI_RECV);
}

static void push_late(ofi_receives_t *r, ofi_op_t *op)
{
    op->next = r->first_late;
    r->first_late = op;
    r->late++;
    ++*r->late_p;
}

static ofi_op_t *pop_late(ofi_receives_t *r)
{
    ofi_op_t *op = r->first_late;
    r->first_late = op->next;
    r->late--;
    --*r->late_p;
    return op;
}

int ofi_receives_again(ofi_op_t *op)
{
    ofi_receives_t *r = op->receives;
    ssize_t rc = r->ep ? post(r, op) : 0;
    if (rc == -FI_EAGAIN)
        push_late(r, op);
    if (rc == 0 || rc == -FI_EAGAIN)
        return 0;
    r->count--;
    r->why = rc;
    ofi_device_give(r->device, 1);
    cwu_debug("libfabric (%s): a receive cannot be posted: %s; %u are left",
              ofi_choice.info->fabric_attr->prov_name, ofi_reason(rc), r->count);
    return ofi_errno_to_cw(rc);
}

int ofi_receives_retry(ofi_receives_t *r)
{
    int rc = 0;
    for (uint32_t tries = r->late; tries > 0 && rc == 0; tries--) {
        uint32_t others = r->late - 1;
        rc = ofi_receives_again(pop_late(r));
        if (r->late > others)
            break;
    }
    return rc;
}

void ofi_receives_init(ofi_receives_t *r, ofi_device_t *device, struct fid_ep *ep, uint32_t *late_p,
                       size_t longest)
{
    *r = (ofi_receives_t){.device = device, .ep = ep, .late_p = late_p, .longest = longest};
}

// ---------------------------------------------------------------- a buffer for each message

/** All of them, the first time: what fails is said, but for descriptors, which may yet be had. */
static int post_block(ofi_buffers_t *block)
{
    int rc = 0;
    for (uint32_t i = 0; i < block->count && rc == 0; i++)
        rc = ofi_receives_again(&block->ops[i]);
    if (rc != 0 && !ofi_no_files())
        cwu_error("libfabric (%s): posting a buffer for messages failed: %s",
                  ofi_choice.info->fabric_attr->prov_name, ofi_reason(block->ops[0].receives->why));
    return rc;
}

int ofi_receives_add(ofi_receives_t *r, uint32_t count, uint32_t parts)
{
    uint32_t most = ofi_device_receives(r->device);
    if (!ofi_choice.msg && most > OFI_RECEIVES_MAX)
        most = OFI_RECEIVES_MAX;
    uint32_t room = r->many || r->count >= most ? 0 : most - r->count;
    count = ofi_device_take(r->device, count < room ? count : room, parts);
    if (count == 0)
        return r->count > 0 ? 0 : CW_ENOMEM;
    ofi_buffers_t *block = open_block(r, OFI_RECV, count, r->longest);
    if (!block) {
        ofi_device_give(r->device, count);
        return r->count > 0 ? 0 : CW_ENOMEM;
    }
    block->next = r->blocks;
    r->blocks = block;
    r->count += count;
    return r->ep ? post_block(block) : 0;
}

int ofi_receives_start(ofi_receives_t *r, struct fid_ep *ep)
{
    int rc = 0;
    r->ep = ep;
    r->why = 0;
    for (ofi_buffers_t *block = r->blocks; block && rc == 0; block = block->next)
        rc = post_block(block);
    return rc;
}

void ofi_receives_stop(ofi_receives_t *r)
{
    while (r->first_late)
        (void)pop_late(r);
    r->ep = NULL;
}

void ofi_receives_close(ofi_receives_t *r)
{
    ofi_receives_stop(r);
    while (r->blocks) {
        ofi_buffers_t *block = r->blocks;
        r->blocks = block->next;
        close_block(block);
    }
    if (r->device)
        ofi_device_give(r->device, r->count);
    memset(r, 0, sizeof *r);
}

// ---------------------------------------------------------------- buffers for many messages

/** shm of libfabric 1.17 crashes in options of these buffers. tcp (net in 1.17) returns a buffer
 *  before 1.20 with its last message, even if earlier ones are still coming in: their bytes would
 *  be written over those of messages that follow. */
static bool provider_fails(const char *name)
{
    bool early = strcmp(name, "net") == 0 || strcmp(name, "tcp") == 0;
    return strcmp(name, "shm") == 0 || (early && FI_VERSION_LT(ofi_lib.version, FI_VERSION(1, 20)));
}

/** Sets the room below which the provider returns a buffer: that of the longest message. */
static bool set_room(struct fid_ep *ep, size_t room)
{
    return fi_setopt(&ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &room, sizeof room) == 0;
}

bool ofi_receives_many(ofi_receives_t *r, size_t nbytes)
{
    const char *name = ofi_choice.info->fabric_attr->prov_name;
    if (!ofi_choice.multi_recv || !cwu_env.multi_recv || provider_fails(name) ||
        !set_room(r->ep, r->longest))
        return false;
    uint32_t count = ofi_device_take(r->device, MANY_BUFFERS, 1);
    ofi_buffers_t *block = open_block(r, OFI_RECV_MANY, count, nbytes);
    if (!block) {
        ofi_device_give(r->device, count);
        return false;
    }
    r->blocks = block;
    r->count = count;
    // if the first is refused, all are; one is enough
    bool taken = ofi_receives_again(&block->ops[0]) == 0;
    for (uint32_t i = 1; i < count && taken; i++)
        (void)ofi_receives_again(&block->ops[i]);
    r->many = taken;
    if (!taken) {
        r->blocks = NULL;
        close_block(block);
        ofi_device_give(r->device, r->count);
        r->count = 0;
    }
    cwu_debug("%u buffers for the messages of all connections", r->count);
    return taken;
}

void *ofi_receives_message(const ofi_op_t *op, const struct fi_cq_data_entry *entry, void *room)
{
    uintptr_t at = (uintptr_t)entry->buf, offset = at - (uintptr_t)op->buf;
    if (entry->len == 0 || entry->len > op->receives->longest || offset > op->nbytes ||
        entry->len > op->nbytes - offset)
        return NULL;
    return at % sizeof(uint64_t) == 0 ? entry->buf : memcpy(room, entry->buf, entry->len);
}
