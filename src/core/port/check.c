// SPDX-License-Identifier: BSD-3-Clause
//
// Checks the arguments of transfers.
#include "core/port/check.h"

#include <pthread.h>

#include "core/mem/foreign.h"
#include "core/mem/memory.h"
#include "core/mem/segment.h"
#include "core/observe/address.h"
#include "core/observe/check.h"
#include "core/observe/known.h"
#include "core/port/ctx.h"
#include "core/world/front_end.h"

// more bytes than addresses: a negative count
#define LARGEST_COUNT ((size_t)1 << 47)

/** The one that ended the job, or was forgotten. */
static const char *life_name(const char *call)
{
    const cw_front_end_t *f = cw_front_end_of(call);
    return cw_world.finalized ? f->finalize : f->init;
}

static void check_life(const char *call)
{
    if (!cw_world.initialized)
        cw_check_failed(call,
                        cw_world.finalized ? "called after %s; move %s after the last use"
                                           : "called before %s; call %s first",
                        life_name(call), life_name(call));
}

static void check_pe(const char *call, int pe)
{
    if (pe < 0 || pe >= cw_world.npes)
        cw_check_failed(call, "there is no PE %d; this job has PEs 0 to %d", pe, cw_world.npes - 1);
}

static noreturn void refuse_count(const char *call, size_t nbytes)
{
    cw_check_failed(call, "the count is negative or absurd (%zd bytes)", (ssize_t)nbytes);
}

void cw_count_refused(size_t nbytes)
{
    refuse_count("transfer", nbytes);
}

void cw_validate(const char *call, const void *symmetric, size_t nbytes, int pe)
{
    const cwt_layout_t *l = &cw_segment.layout;
    check_life(call);
    check_pe(call, pe);
    if (cw_known_seen(CW_KNOWN_REMOTE, CW_KNOWN_SYMMETRIC, symmetric, nbytes))
        return;
    if (nbytes > LARGEST_COUNT)
        refuse_count(call, nbytes);
    if (cw_foreign_is_symmetric(symmetric, nbytes))
        return;
    cw_check_block(call, symmetric, nbytes);
    if (!cw_is_symmetric(symmetric, nbytes))
        cw_check_failed(call,
                        "%s, %zu bytes, is not symmetric here; symmetric are the heap "
                        "(%s) %p-%p and the program's static data %p-%p",
                        cw_at(symmetric, nbytes), nbytes, cw_names()->alloc,
                        (void *)(cw_segment.heap + CW_COLL_SCRATCH),
                        (void *)(cw_segment.heap + l->heap_nbytes), (void *)cw_segment.origin,
                        (void *)(cw_segment.origin + l->data_nbytes));
}

// ---------------------------------------------------------------- transfers

/** By any mapping of this process; UINT64_MAX: none. */
static uint64_t object_offset(const void *addr)
{
    const cwt_layout_t *l = &cw_segment.layout;
    uint64_t at = (uintptr_t)addr - cw_segment.origin;
    if (at < l->data_nbytes || (at >= l->heap_offset && at < l->heap_offset + l->heap_nbytes))
        return cw_slice_offset((uint32_t)cw_world.slot) + at;
    at = (uintptr_t)addr - (uintptr_t)cw_segment.base;
    return at < cw_segment.nbytes ? at : UINT64_MAX;
}

bool cw_check_overlaps(const void *a, size_t a_nbytes, const void *b, size_t b_nbytes, int pe)
{
    if (cw_world.node_of_pe[pe] != cw_world.node || !a_nbytes || !b_nbytes)
        return false;
    uint64_t x = object_offset(a);
    uint64_t y =
        cw_slice_offset((uint32_t)cw_world.slot_of_pe[pe]) + ((uintptr_t)b - cw_segment.origin);
    return x != UINT64_MAX && x < y + b_nbytes && y < x + a_nbytes;
}

static bool is_atomic(cw_op_t op)
{
    return op >= CW_OP_ATOMIC && op <= CW_OP_ATOMIC_NBI;
}

static const char *call_of(cw_op_t op)
{
    return is_atomic(op)            ? "atomic"
           : op == CW_OP_ACCUMULATE ? "accumulate"
           : op >= CW_OP_GET        ? "get"
                                    : "put";
}

static void check_arguments(cw_op_t op, const void *symmetric, size_t nbytes, const void *local,
                            size_t local_nbytes, int pe)
{
    const char *call = call_of(op);
    bool reads = op >= CW_OP_GET;
    check_pe(call, pe);
    if (nbytes == 0)
        return;
    cw_validate(call, symmetric, nbytes, pe);
    if (is_atomic(op) && (uintptr_t)symmetric % nbytes)
        cw_check_failed(
            call,
            "the variable at %s is not aligned to its %zu bytes; declare it with its type, do not "
            "place it by hand",
            cw_at(symmetric, nbytes), nbytes);
    bool in_registers =
        op == CW_OP_P || op == CW_OP_G || op == CW_OP_ATOMIC || op == CW_OP_ATOMIC_FETCH;
    if (in_registers)
        return;
    cw_check_buffer(call, is_atomic(op) ? "fetch" : reads ? "dest" : "source", local, local_nbytes);
    bool strided = op == CW_OP_PUT_STRIDED || op == CW_OP_GET_STRIDED;
    if (!strided && cw_check_overlaps(local, nbytes, symmetric, nbytes, pe))
        cw_check_failed(
            call,
            "source and dest (%zu bytes, on PE %d) overlap: %s and %s are the same memory; use "
            "memmove, or another buffer",
            nbytes, pe, cw_at(reads ? symmetric : local, nbytes),
            cw_at(reads ? local : symmetric, nbytes));
}

static void check_transfer(cw_op_t op, const void *symmetric, size_t nbytes, const void *local,
                           size_t local_nbytes, int pe)
{
    check_life(call_of(op));
    if (CW_CHECKING())
        check_arguments(op, symmetric, nbytes, local, local_nbytes, pe);
}

// ---------------------------------------------------------------- contexts

static const char *whose_team(const cw_ctx_t *ctx)
{
    return ctx->size == cw_world.npes ? "job" : "context's team";
}

void cw_ctx_validate(const cw_ctx_t *ctx, const char *call, int rank)
{
    if (ctx == &cw_ctx_none)
        cw_check_failed(call, "the context is not valid; use %s, or one whose creation returned 0",
                        cw_names()->ctx_default);
    if (ctx->size == 0)
        cw_check_failed(call, "the context has been destroyed; create another, or use %s",
                        cw_names()->ctx_default);
    if (rank < 0 || rank >= ctx->size)
        cw_check_failed(call, "there is no PE %d; this %s has PEs 0 to %d", rank, whose_team(ctx),
                        ctx->size - 1);
    if ((ctx->options & CW_CTX_PRIVATE) && ctx->thread != (uintptr_t)pthread_self())
        cw_check_failed(call,
                        "a context created with %s is used by another thread than its creator; "
                        "create it without that option, or one for each thread",
                        cw_names()->ctx_private);
}

cw_frame_t *cw_ctx_watch_spans(const cw_ctx_t *ctx, cw_op_t op, const void *symmetric,
                               size_t nbytes, const void *local, size_t local_nbytes, int rank)
{
    if (cw_world.initialized)
        cw_ctx_validate(ctx, call_of(op), rank);
    int pe = cw_ctx_pe(ctx, rank);
    // Inner transfers of a routine were checked with it.
    if (CW_LIKELY(cw_watch_is_outermost()) || !cw_world.initialized)
        check_transfer(op, symmetric, nbytes, local, local_nbytes, pe);
    else
        cw_check_not_in_handler(cw_op_name(op));
    return cw_watch_transfer(op, nbytes, pe);
}

cw_frame_t *cw_ctx_watch(const cw_ctx_t *ctx, cw_op_t op, const void *symmetric, const void *local,
                         size_t nbytes, int rank)
{
    return cw_ctx_watch_spans(ctx, op, symmetric, nbytes, local, nbytes, rank);
}

void cw_ctx_saw(const cw_ctx_t *ctx, const void *symmetric, const void *local, size_t nbytes,
                int rank, uintptr_t word)
{
    const unsigned changes = atomic_load(&cw_block_changes);
    const cw_known_span_t *there =
        cw_known_seen(CW_KNOWN_REMOTE, CW_KNOWN_SYMMETRIC, symmetric, nbytes);
    const cw_known_span_t *here = cw_known_seen(CW_KNOWN_LOCAL, cw_world.pe, local, nbytes);
    if (!there || !here)
        return;
    // else a transfer between them may overlap
    if (!here->shared ||
        !cw_check_overlaps((void *)here->begin, here->end - here->begin, (void *)there->begin,
                           there->end - there->begin, cw_ctx_pe(ctx, rank)))
        cw_pair_remember(CW_PAIR_SYMMETRIC, word, word, changes, there, here);
}
