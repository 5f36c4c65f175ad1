// SPDX-License-Identifier: BSD-3-Clause
//
// Signals: puts that update a word at the target after their data, and operations on such a word.
#include "core/mem/foreign.h"
#include "shmem/p2p.h"
#include "shmem/shm.h"

typedef struct signal {
    uint64_t *addr, value;
    int op;
} signal_update_t;

static cw_amo_op_t signal_op(const char *func, int sig_op)
{
    if (CW_UNLIKELY(sig_op != SHMEM_SIGNAL_SET && sig_op != SHMEM_SIGNAL_ADD))
        cw_check_failed(shm_call_name(func),
                        "%d is not a signal operation; use SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD",
                        sig_op);
    return sig_op == SHMEM_SIGNAL_SET ? CW_AMO_SET : CW_AMO_ADD;
}

static void put_signal(const char *func, cw_ctx_t *ctx, void *dest, const void *source,
                       size_t nbytes, signal_update_t s, int pe, bool nbi)
{
    cw_amo_op_t op = signal_op(func, s.op);
    if (SHM_CHECKING()) {
        shm_check_rank(func, ctx, pe);
        shm_check_count(func, "bytes", nbytes, 1);
        shm_check_operand(func, "dest", dest, nbytes);
        if (!cw_foreign_is_symmetric(s.addr, sizeof(*s.addr)))
            shm_check_variable(func, "sig_addr", s.addr, sizeof(*s.addr));
        if ((uintptr_t)s.addr + sizeof(*s.addr) > (uintptr_t)dest &&
            (uintptr_t)s.addr < (uintptr_t)dest + nbytes)
            cw_check_failed(
                shm_call_name(func),
                "sig_addr %s lies inside dest %s, %zu bytes; give the signal a variable of "
                "its own",
                cw_at(s.addr, sizeof(uint64_t)), cw_at(dest, nbytes), nbytes);
    }
    cw_put_signal(ctx, dest, source, nbytes, s.addr, s.value, op, pe, nbi);
}

#define PUT_SIGNAL(NAME, TYPE, SIZE, NBI)                                                  \
    void pshmem_##NAME(TYPE *dest, const TYPE *source, size_t nelems, uint64_t *sig_addr,  \
                       uint64_t signal, int sig_op, int pe)                                \
    { put_signal(__func__, &cw_ctx_default, dest, source, nelems * (SIZE),                 \
                 (signal_update_t){sig_addr, signal, sig_op}, pe, NBI); }                  \
    void pshmem_ctx_##NAME(shmem_ctx_t ctx, TYPE *dest, const TYPE *source, size_t nelems, \
                           uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)        \
    { put_signal(__func__, SHM_CTX(ctx), dest, source, nelems * (SIZE),                    \
                 (signal_update_t){sig_addr, signal, sig_op}, pe, NBI); }                  \
    SHM_WEAK(shmem_##NAME); SHM_WEAK(shmem_ctx_##NAME);

#define TYPED(N, T)                                 \
    PUT_SIGNAL(N##_put_signal, T, sizeof(T), false) \
    PUT_SIGNAL(N##_put_signal_nbi, T, sizeof(T), true)
#define SIZED(S)                                    \
    PUT_SIGNAL(put##S##_signal, void, S / 8, false) \
    PUT_SIGNAL(put##S##_signal_nbi, void, S / 8, true)
SHM_TYPES_RMA(TYPED)
SHM_SIZES(SIZED)
PUT_SIGNAL(putmem_signal, void, 1, false)
PUT_SIGNAL(putmem_signal_nbi, void, 1, true)

#define SIGNAL_UPDATE(NAME, OP)                                                                 \
    void pshmem_signal_##NAME(uint64_t *sig_addr, uint64_t signal, int pe)                      \
    { cw_amo_posting(&cw_ctx_default, sig_addr, OP, sizeof(*sig_addr), signal, pe); }           \
    void pshmem_ctx_signal_##NAME(shmem_ctx_t ctx, uint64_t *sig_addr, uint64_t signal, int pe) \
    { cw_amo_posting(SHM_CTX(ctx), sig_addr, OP, sizeof(*sig_addr), signal, pe); }              \
    SHM_WEAK(shmem_signal_##NAME); SHM_WEAK(shmem_ctx_signal_##NAME);
SIGNAL_UPDATE(set, CW_AMO_SET)
SIGNAL_UPDATE(add, CW_AMO_ADD)

static void check_signal(const char *func, const uint64_t *sig_addr)
{
    if (SHM_CHECKING())
        shm_check_variable(func, "sig_addr", sig_addr, sizeof(*sig_addr));
}

/** Acquire: pairs with the release of the update that put-signal makes after its data. */
uint64_t pshmem_signal_fetch(const uint64_t *sig_addr)
{
    SHM_ENTER();
    check_signal(__func__, sig_addr);
    return cw_amo_polling(sig_addr, sizeof *sig_addr);
}
SHM_WEAK(shmem_signal_fetch);

uint64_t pshmem_signal_wait_until(uint64_t *sig_addr, int cmp, uint64_t cmp_value)
{
    SHM_ENTER();
    check_signal(__func__, sig_addr);
    shm_check_compare(__func__, cmp);
    cw_wait_t w = CW_WAIT_FOR(shm_call_name(__func__), sig_addr, sizeof *sig_addr);
    shm_key_t want = shm_key(cmp_value, SHM_KIND(uint64_t)), seen;
    cw_wait_on_t on;
    if (CW_UNLIKELY(!cw_world.plain)) {
        on = shm_wait_on(sig_addr, SHM_KIND(uint64_t), cmp, want, 0, 1);
        w.on = &on;
    }
    while (!shm_matches(seen = shm_load_key(sig_addr, SHM_KIND(uint64_t)), cmp, want))
        cw_wait_round(&w);
    cw_wait_done(&w);
    return (uint64_t)shm_key((uint64_t)seen, SHM_KIND(uint64_t));  // the key of a key is the value
}
SHM_WEAK(shmem_signal_wait_until);
