// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics: by the CPU on this node, off-node by a request that the node server executes likewise,
// so there is one domain of atomicity. 4 or 8 bytes, unsigned; floating point goes by its bits.
// acq_rel: a PE that sees an atomic's result sees what came before it.
#ifndef CW_CORE_AMO_H
#define CW_CORE_AMO_H

#include "core/port/hot.h"
#include "core/route/request.h"

/** A put, then an update of the signal word: a PE that sees the signal sees the data. op:
 *  CW_AMO_SET or CW_AMO_ADD. */
void cw_put_signal(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, uint64_t *sig,
                   uint64_t value, cw_amo_op_t op, int rank, bool nbi);

/** Computed; returns the old value. */
uint64_t cw_amo_compute(void *p, cw_amo_op_t op, size_t nbytes, uint64_t operand);

#define CW_AMO_APPLY(type)                                                                         \
    static inline type cw_amo_apply_##type(type *p, cw_amo_op_t op, type operand, type compare)    \
    {                                                                                              \
        switch (op) {                                                                              \
        case CW_AMO_FETCH: return __atomic_load_n(p, __ATOMIC_ACQUIRE);                            \
        case CW_AMO_SET: __atomic_store_n(p, operand, __ATOMIC_RELEASE); return 0;                 \
        case CW_AMO_ADD: return __atomic_fetch_add(p, operand, __ATOMIC_ACQ_REL);                  \
        case CW_AMO_AND: return __atomic_fetch_and(p, operand, __ATOMIC_ACQ_REL);                  \
        case CW_AMO_OR: return __atomic_fetch_or(p, operand, __ATOMIC_ACQ_REL);                    \
        case CW_AMO_XOR: return __atomic_fetch_xor(p, operand, __ATOMIC_ACQ_REL);                  \
        case CW_AMO_SWAP: return __atomic_exchange_n(p, operand, __ATOMIC_ACQ_REL);                \
        case CW_AMO_CSWAP:                                                                         \
            __atomic_compare_exchange_n(p, &compare, operand, 0, __ATOMIC_ACQ_REL,                 \
                                        __ATOMIC_ACQUIRE);                                         \
            return compare;                                                                        \
        default: return (type)cw_amo_compute(p, op, sizeof *p, operand);                           \
        }                                                                                          \
    }
CW_AMO_APPLY(uint32_t)
CW_AMO_APPLY(uint64_t)
#undef CW_AMO_APPLY

/** On memory mapped here; one instruction for constant op and nbytes. */
static CW_ALWAYS_INLINE uint64_t cw_amo_local(void *p, cw_amo_op_t op, size_t nbytes,
                                              uint64_t operand, uint64_t compare)
{
    if (nbytes == 4)
        return cw_amo_apply_uint32_t((uint32_t *)p, op, (uint32_t)operand, (uint32_t)compare);
    return cw_amo_apply_uint64_t((uint64_t *)p, op, operand, compare);
}

uint64_t cw_amo_poll_again(const void *p, size_t nbytes, uint64_t value) CW_COLD;

/** A fetch on memory mapped here, for programs, which wait by loops of it. */
static CW_ALWAYS_INLINE uint64_t cw_amo_polling(const void *p, size_t nbytes)
{
    uint64_t value = cw_amo_local((void *)(uintptr_t)p, CW_AMO_FETCH, nbytes, 0, 0);
    return cw_wait_fetched(p, value) ? cw_amo_poll_again(p, nbytes, value) : value;
}

/** After an operation of a program on a word that is mapped here and stays as it was: its value. A
 *  test in vain, as a fetch. */
uint64_t cw_amo_left(const void *p, uint64_t value) CW_COLD;

/** Does a swap leave what it found? Programs wait by loops of those that do: for a lock, a turn. */
static CW_ALWAYS_INLINE bool cw_amo_swap_leaves(cw_amo_op_t op, uint64_t found, uint64_t operand,
                                                uint64_t compare)
{
    return op == CW_AMO_CSWAP ? found != compare : found == operand;
}

/** Operation and size, as in a request (core/route/request.h). */
static CW_ALWAYS_INLINE uint32_t cw_amo_kind(cw_amo_op_t op, size_t nbytes)
{
    return (uint32_t)op | (uint32_t)nbytes << 16;
}

/** Off the node. All arguments are in registers, in the API's order; the default context (plain)
 *  passes the word. Results of 4 bytes are zero-extended. */
uint64_t cw_amo_remote_plain(void *addr, uint64_t operand, int rank, uintptr_t word, uint32_t kind);
uint64_t cw_amo_remote(cw_ctx_t *ctx, void *addr, uint64_t operand, int rank, uint32_t kind);
uint64_t cw_amo_remote_cswap_plain(void *addr, uint64_t compare, uint64_t operand, int rank,
                                   uintptr_t word, uint32_t kind);
uint64_t cw_amo_remote_cswap(cw_ctx_t *ctx, void *addr, uint64_t compare, uint64_t operand,
                             int rank, uint32_t kind);
void cw_amo_remote_post_plain(void *addr, uint64_t operand, int rank, uintptr_t word,
                              uint32_t kind);
void cw_amo_remote_post(cw_ctx_t *ctx, void *addr, uint64_t operand, int rank, uint32_t kind);
void cw_amo_remote_signal(cw_ctx_t *ctx, void *addr, cw_amo_op_t op, size_t nbytes,
                          uint64_t operand, int rank);
void cw_amo_remote_notify(uint64_t *word, uint64_t value, int pe);
void cw_amo_remote_nbi(cw_ctx_t *ctx, void *fetch, void *addr, cw_amo_op_t op, size_t nbytes,
                       uint64_t operand, uint64_t compare, int rank);

/** Returns the old value; waits off the node. */
static CW_ALWAYS_INLINE uint64_t cw_amo_fetching(cw_ctx_t *ctx, void *addr, cw_amo_op_t op,
                                                 size_t nbytes, uint64_t operand, uint64_t compare,
                                                 int rank)
{
    uintptr_t word;
    if (cw_amo_is_here(ctx, rank, &word)) {
        uint64_t old = cw_amo_local(cw_local_address(word, addr), op, nbytes, operand, compare);
        if (op != CW_AMO_FETCH)
            cw_ctx_stored(ctx, rank);
        return old;
    }
    uint32_t kind = cw_amo_kind(op, nbytes);
    if (op == CW_AMO_CSWAP)
        return cw_ctx_is_plain(ctx)
                   ? cw_amo_remote_cswap_plain(addr, compare, operand, rank, word, kind)
                   : cw_amo_remote_cswap(ctx, addr, compare, operand, rank, kind);
    return cw_ctx_is_plain(ctx) ? cw_amo_remote_plain(addr, operand, rank, word, kind)
                                : cw_amo_remote(ctx, addr, operand, rank, kind);
}

/** Complete at quiet. */
static CW_ALWAYS_INLINE void cw_amo_posting(cw_ctx_t *ctx, void *addr, cw_amo_op_t op,
                                            size_t nbytes, uint64_t operand, int rank)
{
    uintptr_t word;
    if (cw_amo_is_here(ctx, rank, &word)) {
        cw_amo_local(cw_local_address(word, addr), op, nbytes, operand, 0);
        cw_ctx_stored(ctx, rank);
        return;
    }
    if (cw_ctx_is_plain(ctx))
        cw_amo_remote_post_plain(addr, operand, rank, word, cw_amo_kind(op, nbytes));
    else
        cw_amo_remote_post(ctx, addr, operand, rank, cw_amo_kind(op, nbytes));
}

/** As cw_amo_posting, but at once, and behind all puts to that PE. */
static CW_ALWAYS_INLINE void cw_amo_signalling(cw_ctx_t *ctx, void *addr, cw_amo_op_t op,
                                               size_t nbytes, uint64_t operand, int rank)
{
    uintptr_t delta;
    if (cw_amo_is_here(ctx, rank, &delta)) {
        cw_amo_local(cw_local_address(delta, addr), op, nbytes, operand, 0);
        cw_ctx_stored(ctx, rank);
        return;
    }
    cw_amo_remote_signal(ctx, addr, op, nbytes, operand, rank);
}

/** Sets a word of the library's own, as a signal. Usually leaves no mark: a quiet proves it beside
 *  something else. */
static CW_ALWAYS_INLINE void cw_amo_notifying(uint64_t *word, uint64_t value, int pe)
{
    uintptr_t delta;
    if (!cw_amo_is_here(&cw_ctx_default, pe, &delta)) {
        cw_amo_remote_notify(word, value, pe);
        return;
    }
    cw_amo_local(cw_local_address(delta, word), CW_AMO_SET, sizeof *word, value, 0);
    cw_ctx_stored(&cw_ctx_default, pe);
}

/** *fetch, of nbytes, is valid after quiet. */
static CW_ALWAYS_INLINE void cw_amo_fetching_nbi(cw_ctx_t *ctx, void *fetch, void *addr,
                                                 cw_amo_op_t op, size_t nbytes, uint64_t operand,
                                                 uint64_t compare, int rank)
{
    uintptr_t delta;
    if (cw_amo_is_here(ctx, rank, &delta)) {
        uint64_t old = cw_amo_local(cw_local_address(delta, addr), op, nbytes, operand, compare);
        if (nbytes == 4)
            *(uint32_t *)fetch = (uint32_t)old;
        else
            *(uint64_t *)fetch = old;
        if (op != CW_AMO_FETCH)
            cw_ctx_stored(ctx, rank);
        return;
    }
    cw_amo_remote_nbi(ctx, fetch, addr, op, nbytes, operand, compare, rank);
}

#endif
