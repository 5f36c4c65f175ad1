// SPDX-License-Identifier: BSD-3-Clause
//
// On the node: block by block under the block's lock. Off the node: the products, packed into
// messages, or staged (stage.h) where there are many.
#include "core/bulk/accumulate.h"

#include "core/observe/watch.h"
#include "core/rma/batch.h"
#include "core/rma/block_lock.h"
#include "core/rma/ctx.h"
#include "core/rma/request.h"

#define PIECE_MIN 256u  // bytes: a message with less room left is sent before a longer piece

// ---------------------------------------------------------------- here

/** Bytes from offset to the end of its block, at most nbytes. */
static size_t in_block(uint64_t offset, size_t nbytes)
{
    uint64_t room = CW_BLOCK_NBYTES - offset % CW_BLOCK_NBYTES;
    return nbytes < room ? nbytes : (size_t)room;
}

/** All lies in one block. */
static void add_locked(uint64_t offset, void *dest, cwu_number_t type, const void *scale,
                       const void *src, size_t nbytes)
{
    cwu_lock_t *lock = cw_block_lock(offset);
    cw_block_lock_take(lock);
    if (scale)
        cwu_numbers_add_scaled(type, scale, dest, src, nbytes);
    else
        cwu_numbers_add(type, dest, src, nbytes);
    cwu_unlock(lock);
}

/** A number whose parts lie in two blocks: each part is added under the lock of its own. */
static void add_across(uint64_t offset, char *dest, cwu_number_t type, const void *scale,
                       const void *src)
{
    char product[CW_NUMBER_MAX];
    size_t part = cwu_number_size(type) / 2;
    cwu_numbers_scale(type, scale, product, src, 2 * part);
    type = cwu_number_part(type);
    add_locked(offset, dest, type, NULL, product, part);
    add_locked(offset + part, dest + part, type, NULL, product + part, part);
}

void cw_accumulate_here(uint64_t offset, void *dest, cwu_number_t type, const void *scale,
                        const void *src, size_t nbytes)
{
    if (!scale)
        type = cwu_number_part(type);
    size_t number = cwu_number_size(type), n;
    char *to = dest;
    for (const char *from = src; nbytes > 0; from += n, to += n, offset += n, nbytes -= n) {
        n = in_block(offset, nbytes);
        n &= ~(number - 1);
        if (n > 0) {
            add_locked(offset, to, type, scale, from, n);
        } else {
            n = number;
            add_across(offset, to, type, scale, from);
        }
    }
}

// ---------------------------------------------------------------- there

/** Where the next message, or body, is made. */
static uint64_t *buffer(cw_accumulate_t *a)
{
    if (a->staged && a->nbytes == sizeof(cw_req_accumulate_t))
        a->body = cw_stage_body(&a->stage);
    return a->staged ? a->body : a->message;
}

static void send(cw_accumulate_t *a)
{
    cw_req_accumulate_t *req = (cw_req_accumulate_t *)(void *)buffer(a);
    *req = (cw_req_accumulate_t){.header = {.op = CW_REQ_ACCUMULATE},
                                 .part = cwu_number_part(a->type)};
    if (a->staged) {
        cw_stage_send(&a->stage, a->nbytes);
    } else {
        cw_ctx_must(cw_transport->request(a->target->conn, &req->header, a->nbytes, NULL),
                    "accumulate", a->ctx, a->rank);
        cw_ctx_mark(a->ctx);
    }
    a->nbytes = sizeof *req;
}

/** How much of a piece the message still takes. 0: send it first. */
static size_t room_for(const cw_accumulate_t *a, size_t nbytes)
{
    size_t all = a->staged ? a->stage.room : sizeof a->message;
    size_t used = a->nbytes + sizeof(uint64_t);  // the record's word
    size_t room = used < all ? all - used : 0;
    room = room < CW_PIECE_NBYTES_MAX ? room : CW_PIECE_NBYTES_MAX;
    if (nbytes <= room)
        return nbytes;
    room &= ~(cwu_number_size(a->type) - 1);
    return room < PIECE_MIN ? 0 : room;
}

static void pack(cw_accumulate_t *a, uint64_t offset, const char *src, size_t nbytes)
{
    for (size_t n; nbytes > 0; offset += n, src += n, nbytes -= n) {
        if ((n = room_for(a, nbytes)) == 0) {
            send(a);
            n = room_for(a, nbytes);
        }
        uint64_t *record = buffer(a) + a->nbytes / sizeof *record;
        size_t words = 1 + (n + 7) / 8;
        record[words - 1] = 0;  // what pads the last word
        record[0] = CW_ACCUMULATE_RECORD(offset, n);
        if (a->scaled)
            cwu_numbers_scale(a->type, a->scale, record + 1, src, n);
        else
            memcpy(record + 1, src, n);
        a->nbytes += words * sizeof *record;
    }
}

// ---------------------------------------------------------------- either

/** The word of the PE is not local: first contact, or a watched context. */
static CW_NOINLINE void begin_cold(cw_accumulate_t *a)
{
    if (CW_UNLIKELY(!cw_world.plain))
        a->frame = cw_ctx_watch(a->ctx, CW_OP_ACCUMULATE, NULL, NULL, 0, a->rank);
    a->target = cw_reach(a->ctx, "accumulate", a->rank, &a->delta);
    if (a->target)
        cw_batch_pass(a->ctx, a->rank);
}

void cw_accumulate_begin(cw_accumulate_t *a, cw_ctx_t *ctx, cwu_number_t type, const void *scale,
                         int rank, size_t total)
{
    a->ctx = ctx;
    a->rank = rank;
    a->type = type;
    a->scaled = !cwu_number_is_one(type, scale);
    if (a->scaled)
        memcpy(a->scale, scale, cwu_number_size(type));
    a->frame = NULL;
    a->target = NULL;
    a->nbytes = sizeof(cw_req_accumulate_t);
    uintptr_t word = cw_peer_word(ctx, rank);
    if (cw_word_is_local(word))
        a->delta = word;
    else if (!(a->target = cw_warm_target(word)))
        begin_cold(a);
    a->staged = a->target && cw_stage_begin(&a->stage, ctx, rank, a->target, total, "accumulate");
    int slot = cw_world.slot_of_pe[cw_ctx_pe(ctx, rank)];
    a->offset = cw_slice_offset((uint32_t)slot) - cw_segment.origin;
}

static CW_NOINLINE CW_COLD void misaligned(const cw_accumulate_t *a, const void *dest,
                                           size_t nbytes)
{
    size_t part = cwu_number_size(cwu_number_part(a->type));
    cwu_fatal("accumulate of %zu bytes to %p of PE %d: both must be multiples of %zu, the size of "
              "what is added there",
              nbytes, dest, cw_ctx_pe(a->ctx, a->rank), part);
}

void cw_accumulate_add(cw_accumulate_t *a, void *dest, const void *src, size_t nbytes)
{
    uint64_t offset = (uintptr_t)dest + a->offset;
    if (CW_UNLIKELY(cwu_number_splits((uintptr_t)dest, cwu_number_part(a->type)) ||
                    cwu_number_splits(nbytes, a->type)))
        misaligned(a, dest, nbytes);
    if (CW_UNLIKELY(a->frame != NULL))
        a->frame->nbytes += nbytes;
    if (a->target)
        pack(a, offset, src, nbytes);
    else
        cw_accumulate_here(offset, cw_local_address(a->delta, dest), a->type,
                           a->scaled ? a->scale : NULL, src, nbytes);
}

void cw_accumulate_end(cw_accumulate_t *a)
{
    if (!a->target)
        cw_ctx_stored(a->ctx, a->rank);
    else if (a->nbytes > sizeof(cw_req_accumulate_t))
        send(a);
    if (a->staged)
        cw_stage_end(&a->stage);
    if (CW_UNLIKELY(a->frame != NULL))
        cw_watch_end(a->frame);
}

void cw_accumulate(cw_ctx_t *ctx, cwu_number_t type, const void *scale, void *dest, const void *src,
                   size_t nbytes, int rank)
{
    cw_accumulate_t a;
    cw_accumulate_begin(&a, ctx, type, scale, rank, nbytes);
    cw_accumulate_add(&a, dest, src, nbytes);
    cw_accumulate_end(&a);
}
