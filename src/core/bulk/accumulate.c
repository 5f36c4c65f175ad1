// SPDX-License-Identifier: BSD-3-Clause
//
// On the node: block by block under the block's lock. Off the node: products, in messages or
// staged.
#include "core/bulk/accumulate.h"

#include "core/observe/watch.h"
#include "core/port/ctx.h"
#include "core/progress/block_lock.h"
#include "core/rma/batch.h"
#include "core/rma/send.h"
#include "core/route/request.h"

#define PIECES_OF_LOCK 64u  // of one block, after which others get the lock
#define PIECE_MIN 256u      // bytes: with less room a message is sent before a longer piece

// ---------------------------------------------------------------- here

/** Bytes, at most nbytes, of the parts that begin in offset's block, to which they belong; only
 *  unaligned ones reach beyond it. */
static size_t in_block(uint64_t offset, size_t part, size_t nbytes)
{
    uint64_t room = CW_BLOCK_NBYTES - offset % CW_BLOCK_NBYTES;
    room = (room + part - 1) & ~(uint64_t)(part - 1);
    return nbytes < room ? nbytes : (size_t)room;
}

static void release(cw_accumulate_lock_t *held)
{
    if (held->lock)
        cwu_unlock(held->lock);
    held->lock = NULL;
}

/** Holds that block's lock, and no other. Pieces that follow each other in one block share it for a
 *  while. */
static void hold(cw_accumulate_lock_t *held, uint64_t offset)
{
    cwu_lock_t *lock = cw_block_lock(offset);
    if (CW_LIKELY(lock == held->lock) && --held->left > 0)
        return;
    release(held);
    cw_block_lock_take(lock);
    held->lock = lock;
    held->left = PIECES_OF_LOCK;
}

/** All parts begin in one block. */
static void add_locked(cw_accumulate_lock_t *held, uint64_t offset, void *dest, cwu_number_t type,
                       const void *scale, const void *src, size_t nbytes)
{
    hold(held, offset);
    if (scale)
        cwu_numbers_add_scaled(type, scale, dest, src, nbytes);
    else
        cwu_numbers_add(type, dest, src, nbytes);
}

/** The parts begin in two blocks: each is added under its own lock. */
static void add_across(cw_accumulate_lock_t *held, uint64_t offset, char *dest, cwu_number_t type,
                       const void *scale, const void *src)
{
    char product[CW_NUMBER_MAX];
    size_t part = cwu_number_size(type) / 2;
    cwu_numbers_scale(type, scale, product, src, 2 * part);
    type = cwu_number_part(type);
    add_locked(held, offset, dest, type, NULL, product, part);
    add_locked(held, offset + part, dest + part, type, NULL, product + part, part);
}

static void add_here(cw_accumulate_lock_t *held, uint64_t offset, void *dest, cwu_number_t type,
                     const void *scale, const void *src, size_t nbytes)
{
    if (!scale)
        type = cwu_number_part(type);
    size_t number = cwu_number_size(type), part = cwu_number_size(cwu_number_part(type)), n;
    char *to = dest;
    for (const char *from = src; nbytes > 0; from += n, to += n, offset += n, nbytes -= n) {
        n = in_block(offset, part, nbytes);
        n &= ~(number - 1);
        if (n > 0) {
            add_locked(held, offset, to, type, scale, from, n);
        } else {
            n = number;
            add_across(held, offset, to, type, scale, from);
        }
    }
}

void cw_accumulate_here(uint64_t offset, void *dest, cwu_number_t type, const void *scale,
                        const void *src, size_t nbytes)
{
    cw_accumulate_lock_t held = {NULL, 0};
    add_here(&held, offset, dest, type, scale, src, nbytes);
    release(&held);
}

// ---------------------------------------------------------------- there

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
        cw_ctx_must(
            cw_ctx_request_send(a->ctx, a->rank, a->target->conn, &req->header, a->nbytes, NULL),
            "accumulate", a->ctx, a->rank);
        cw_ctx_mark(a->ctx);
    }
    a->nbytes = sizeof *req;
}

/** How much of a piece the message still takes; 0: send it first. */
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
        record[words - 1] = 0;  // padding
        record[0] = CW_ACCUMULATE_RECORD(offset, n);
        if (a->scaled)
            cwu_numbers_scale(a->type, a->scale, record + 1, src, n);
        else
            memcpy(record + 1, src, n);
        a->nbytes += words * sizeof *record;
    }
}

// ---------------------------------------------------------------- either

/** First contact, or a watched context. */
static CW_NOINLINE void begin_cold(cw_accumulate_t *a)
{
    if (CW_UNLIKELY(!cw_world.plain))
        a->frame = cw_ctx_watch(a->ctx, CW_OP_ACCUMULATE, NULL, NULL, 0, a->rank);
    a->target = cw_request_reach(a->ctx, "accumulate", a->rank, &a->delta);
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
    a->held = (cw_accumulate_lock_t){NULL, 0};
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

static CW_NOINLINE CW_COLD void no_numbers(const cw_accumulate_t *a, size_t nbytes)
{
    cwu_fatal("accumulate of %zu bytes to PE %d: that is no multiple of %zu, the size of what is "
              "added there",
              nbytes, cw_ctx_pe(a->ctx, a->rank), cwu_number_size(a->type));
}

void cw_accumulate_add(cw_accumulate_t *a, void *dest, const void *src, size_t nbytes)
{
    uint64_t offset = (uintptr_t)dest + a->offset;
    if (CW_UNLIKELY(cwu_number_splits(nbytes, a->type)))
        no_numbers(a, nbytes);
    if (CW_UNLIKELY(a->frame != NULL))
        a->frame->nbytes += nbytes;
    if (a->target)
        pack(a, offset, src, nbytes);
    else
        add_here(&a->held, offset, cw_local_address(a->delta, dest), a->type,
                 a->scaled ? a->scale : NULL, src, nbytes);
}

static size_t rows_in_block(uint64_t offset, ptrdiff_t stride, size_t nbytes, size_t n)
{
    uint64_t room = CW_BLOCK_NBYTES - offset % CW_BLOCK_NBYTES;
    if (nbytes > room)
        return 0;
    if (stride <= 0)
        return 1;
    uint64_t more = (room - nbytes) / (uint64_t)stride;
    return more < n ? (size_t)more + 1 : n;
}

/** The rows of a block under one lock, and those that cross its end. */
static void add_rows_here(cw_accumulate_t *a, uintptr_t dest, ptrdiff_t dest_stride, uintptr_t src,
                          ptrdiff_t src_stride, size_t nbytes, size_t n)
{
    const void *scale = a->scaled ? a->scale : NULL;
    cwu_number_t type = scale ? a->type : cwu_number_part(a->type);
    for (size_t k; n > 0; n -= k) {
        uint64_t offset = dest + a->offset;
        void *to = cw_local_address(a->delta, (void *)dest);
        k = rows_in_block(offset, dest_stride, nbytes, n);
        if (k > 0) {
            hold(&a->held, offset);
            cwu_numbers_add_rows(type, scale, to, dest_stride, (const void *)src, src_stride,
                                 nbytes, k);
        } else {
            add_here(&a->held, offset, to, type, scale, (const void *)src, nbytes);
            k = 1;
        }
        dest += (uintptr_t)dest_stride * k;
        src += (uintptr_t)src_stride * k;
    }
}

void cw_accumulate_add_rows(cw_accumulate_t *a, void *dest, ptrdiff_t dest_stride, const void *src,
                            ptrdiff_t src_stride, size_t nbytes, size_t n)
{
    uintptr_t to = (uintptr_t)dest, from = (uintptr_t)src;
    bool whole = !cwu_number_splits(nbytes, a->type);
    if (CW_LIKELY(!a->target && !a->frame && whole)) {
        add_rows_here(a, to, dest_stride, from, src_stride, nbytes, n);
        return;
    }
    for (; n > 0; n--, to += (uintptr_t)dest_stride, from += (uintptr_t)src_stride)
        cw_accumulate_add(a, (void *)to, (const void *)from, nbytes);
}

void cw_accumulate_end(cw_accumulate_t *a)
{
    release(&a->held);
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
