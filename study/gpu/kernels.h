// SPDX-License-Identifier: BSD-3-Clause
//
// The kernels of ./dev gpu, once for a card (kernels.cu) and once as C functions for the driver of
// tests/gpu/fake (card.c). All have the same arguments. `result` is a symmetric word of the host.
#ifndef STUDY_GPU_KERNELS_H
#define STUDY_GPU_KERNELS_H

#include <causeway/device.h>

typedef struct card_args {
    void *at;     // symmetric
    void *local;  // of the device
    void *back;   // of the device
    uint64_t *result, *flag;
    uint64_t n;
    int pe, what;
} card_args_t;

/** What a kernel has found wrong. */
CWD_FN void card_report(const cwd_world_t *w, const card_args_t *a, uint64_t wrong)
{
    cwd_uint64_p(w, a->result, wrong, w->pe);
    cwd_quiet(w);
}

CARD_KERNEL(card_nothing)
{
    (void)w, (void)a;
}

/** Values and atomics on ten words. */
CARD_KERNEL(card_values)
{
    uint64_t *p = (uint64_t *)a->at, wrong = 0;
    int32_t *narrow = (int32_t *)(p + 8);
    int pe = a->pe;
    cwd_uint64_p(w, p, 0x0123456789abcdefull, pe);
    cwd_double_p(w, (double *)(p + 1), -2.25, pe);
    cwd_int8_p(w, (int8_t *)(p + 2), -3, pe);
    cwd_uint16_p(w, (uint16_t *)(p + 3), 60000, pe);
    cwd_quiet(w);
    wrong += cwd_uint64_g(w, p, pe) != 0x0123456789abcdefull;
    wrong += cwd_double_g(w, (double *)(p + 1), pe) != -2.25;
    wrong += cwd_int8_g(w, (int8_t *)(p + 2), pe) != -3;
    wrong += cwd_uint16_g(w, (uint16_t *)(p + 3), pe) != 60000;
    cwd_uint64_atomic_set(w, p + 4, 40, pe);
    cwd_quiet(w);
    wrong += cwd_uint64_atomic_fetch_add(w, p + 4, 2, pe) != 40;
    wrong += cwd_uint64_atomic_swap(w, p + 4, 7, pe) != 42;
    wrong += cwd_uint64_atomic_compare_swap(w, p + 4, 6, 100, pe) != 7;
    wrong += cwd_uint64_atomic_compare_swap(w, p + 4, 7, 8, pe) != 7;
    wrong += cwd_uint64_atomic_fetch_inc(w, p + 4, pe) != 8;
    wrong += cwd_uint64_atomic_fetch_xor(w, p + 4, 0xff, pe) != 9;
    wrong += cwd_uint64_atomic_fetch_and(w, p + 4, 0xf0, pe) != 0xf6;
    wrong += cwd_uint64_atomic_fetch_or(w, p + 4, 3, pe) != 0xf0;
    wrong += cwd_uint64_atomic_fetch(w, p + 4, pe) != 0xf3;
    cwd_int32_atomic_set(w, narrow, -5, pe);
    cwd_int32_atomic_add(w, narrow, -1, pe);
    cwd_fence(w);
    wrong += cwd_int32_atomic_fetch_add(w, narrow, 1, pe) != -6;
    wrong += cwd_int32_atomic_compare_swap(w, narrow, -5, 9, pe) != -5;
    wrong += cwd_int32_atomic_swap(w, narrow, 1, pe) != 9;
    card_report(w, a, wrong);
}

/** From `local` to `at`, and from there to `back`, by a thread, a warp, a block. */
CARD_KERNEL(card_bytes)
{
    if (a->what == 0 && CWD_THREAD() == 0) {
        cwd_put(w, a->at, a->local, a->n, a->pe);
        cwd_quiet(w);
        cwd_get(w, a->back, a->at, a->n, a->pe);
    } else if (a->what == 1 && CWD_THREAD() < CWD_WARP) {
        cwd_put_nbi_warp(w, a->at, a->local, a->n, a->pe);
        cwd_quiet(w);
        cwd_get_nbi_warp(w, a->back, a->at, a->n, a->pe);
        cwd_quiet(w);
    } else if (a->what == 2) {
        cwd_put_block(w, a->at, a->local, a->n, a->pe);
        cwd_quiet(w);
        cwd_block_sync();
        cwd_get_block(w, a->back, a->at, a->n, a->pe);
    }
}

/** Waits for a processor, then puts with signal to one. */
CARD_KERNEL(card_answer)
{
    uint64_t wrong = cwd_signal_wait_until(w, a->flag, CWD_GE, a->n) != a->n;
    cwd_put_signal_block(w, a->at, a->local, 4000, a->result + 1, 1, CWD_SIGNAL_ADD, a->pe);
    if (CWD_THREAD() == 0)
        card_report(w, a, wrong);
}

/** Every thread n times: two additions to a word of each PE, and a swap loop on the next. */
CARD_KERNEL(card_storm)
{
    uint64_t *p = (uint64_t *)a->at;
    for (uint64_t i = 0; i < a->n; i++)
        for (int pe = 0; pe < w->npes; pe++) {
            uint64_t old, now;
            cwd_uint64_atomic_add(w, p, 1, pe);
            (void)cwd_uint64_atomic_fetch_add(w, p, 2, pe);
            old = cwd_uint64_atomic_fetch(w, p + 1, pe);
            while ((now = cwd_uint64_atomic_compare_swap(w, p + 1, old, old + 1, pe)) != old)
                old = now;
        }
    cwd_quiet(w);
}

// ---------------------------------------------------------------- for times: one thread, n rounds
CARD_KERNEL(card_p)
{
    for (uint64_t i = 0; i < a->n; i++)
        cwd_uint64_p(w, (uint64_t *)a->at, i, a->pe);
    cwd_quiet(w);
}

CARD_KERNEL(card_p_quiet)
{
    for (uint64_t i = 0; i < a->n; i++) {
        cwd_uint64_p(w, (uint64_t *)a->at, i, a->pe);
        cwd_quiet(w);
    }
}

CARD_KERNEL(card_g)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < a->n; i++)
        sum += cwd_uint64_g(w, (uint64_t *)a->at, a->pe);
    card_report(w, a, sum);
}

CARD_KERNEL(card_add)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < a->n; i++)
        sum += cwd_uint64_atomic_fetch_add(w, (uint64_t *)a->at, 1, a->pe);
    card_report(w, a, sum);
}

/** The same by the mapping, without a call. */
CARD_KERNEL(raw_p)
{
    volatile uint64_t *p = (volatile uint64_t *)cwd_ptr(w, a->at, a->pe);
    for (uint64_t i = 0; i < a->n; i++)
        *p = i;
    cwd_fence_system();
}

CARD_KERNEL(raw_p_quiet)
{
    volatile uint64_t *p = (volatile uint64_t *)cwd_ptr(w, a->at, a->pe);
    for (uint64_t i = 0; i < a->n; i++) {
        *p = i;
        cwd_fence_system();
    }
}

CARD_KERNEL(raw_g)
{
    volatile uint64_t *p = (volatile uint64_t *)cwd_ptr(w, a->at, a->pe);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < a->n; i++)
        sum += *p;
    card_report(w, a, sum);
}

CARD_KERNEL(raw_add)
{
    uint64_t *p = (uint64_t *)cwd_ptr(w, a->at, a->pe), sum = 0;
    for (uint64_t i = 0; i < a->n; i++)
        sum += cwd_atom_add64(p, 1);
    card_report(w, a, sum);
}

/** n rounds of 8 bytes and a flag to a processor, and its answer. */
CARD_KERNEL(card_ping)
{
    for (uint64_t i = 1; i <= a->n; i++) {
        cwd_put_signal(w, a->at, a->local, 8, a->result + 2, i, CWD_SIGNAL_SET, a->pe);
        cwd_signal_wait_until(w, a->flag, CWD_GE, i);
    }
}

#endif
