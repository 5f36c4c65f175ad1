/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Transfers, atomics and waits of kernels: shmemx_device_world(3). For CUDA (sm_70 and later) and
 * HIP, and for plain C and C++, where a thread of a processor makes the same calls.
 *
 * A kernel takes a cwd_world_t by value, which shmemx_device_world(3) fills in, and passes its
 * address to the calls. Addresses `dest`, `src`, `sig` with a PE are symmetric ones: of the
 * symmetric heap, static data, or the device heap. Local ones are the device's own memory, or
 * symmetric memory of this PE. Calls of a thread:
 *
 *     cwd_TYPE_p, _g                       a value
 *     cwd_put, cwd_get, cwd_put_nbi, cwd_get_nbi     bytes; _nbi: complete at quiet
 *     cwd_put_signal                       bytes, then the signal word
 *     cwd_TYPE_atomic_...                  fetch set, add inc and or xor (with fetch_, too), swap,
 *                                          compare_swap
 *     cwd_TYPE_wait_until, cwd_signal_wait_until     of a word of this PE
 *     cwd_fence, cwd_quiet, cwd_ptr, cwd_my_pe, cwd_n_pes
 *
 * The transfers of bytes also exist with _warp and _block: all threads of it make the call with the
 * same arguments, and what they stored before it is part of the source. */
#ifndef CAUSEWAY_DEVICE_H
#define CAUSEWAY_DEVICE_H

#include "device-dialect.h"
#include "device-wire.h"

enum { CWD_EQ, CWD_NE, CWD_GT, CWD_GE, CWD_LT, CWD_LE }; /* of waits */
enum { CWD_SIGNAL_SET = CWD_AMO_SET, CWD_SIGNAL_ADD = CWD_AMO_ADD };

/* ---- where memory of a PE is */

CWD_FN int cwd_my_pe(const cwd_world_t *w)
{
    return w->pe;
}

CWD_FN int cwd_n_pes(const cwd_world_t *w)
{
    return w->npes;
}

CWD_FN int cwd_is_device_memory(const cwd_world_t *w, uint64_t at)
{
    return at - w->device_at < w->device_nbytes;
}

/* Of a PE of this node, else 0. */
CWD_FN const cwd_peer_t *cwd_peer_of(const cwd_world_t *w, int pe)
{
    uint32_t slot = w->slot_of ? w->slot_of[pe] : (uint32_t)pe - w->first;
    return slot < w->nslots ? &w->peer[slot] : 0;
}

/* Where this device loads and stores the copy of `pe`; 0: it does not. */
CWD_FN void *cwd_ptr(const cwd_world_t *w, const void *symmetric, int pe)
{
    uint64_t at = (uint64_t)(uintptr_t)symmetric;
    const cwd_peer_t *peer = cwd_peer_of(w, pe);
    if (!peer)
        return 0;
    if (!cwd_is_device_memory(w, at))
        return at - w->host_at < w->host_reached ? (void *)(uintptr_t)(at + peer->host) : 0;
    return peer->direct ? (void *)(uintptr_t)(at + peer->device) : 0;
}

/* Local memory as this device finds it: symmetric memory of the host by the view that it loads and
 * stores, or 0. */
CWD_FN void *cwd_local(const cwd_world_t *w, const void *local)
{
    uint64_t at = (uint64_t)(uintptr_t)local;
    return at - w->host_at < w->host_nbytes ? cwd_ptr(w, local, w->pe) : (void *)(uintptr_t)local;
}

/* ---- requests, for what the device does not reach */

/* May ticket t use its place? The library has taken out the request before it there, and the kernel
 * that made that one has its answer. */
CWD_FN int cwd_has_room(const cwd_world_t *w, uint64_t t)
{
    uint64_t seen = cwd_load_acq64(&w->near_words->seen);
    if (t - seen > w->mask) {
        seen = cwd_load_acq64(w->taken);
        cwd_store_rel64(&w->near_words->seen, seen);
    }
    return t - seen <= w->mask && cwd_load_acq64(&w->reader[t & w->mask]) == 0;
}

/* Hands the request over and returns its ticket. It is handed over in the round that finds room,
 * since threads of its warp may wait for that. */
CWD_FN uint64_t cwd_post(const cwd_world_t *w, const cwd_request_t *r)
{
    uint64_t t = cwd_atom_add64(&w->near_words->tail, 1);
    volatile cwd_request_t *to = &w->ring[t & w->mask];
    for (int sent = 0; !sent;) {
        if (cwd_has_room(w, t)) {
            if (r->answered)
                cwd_store64(&w->reader[t & w->mask], t + 1);
            to->what = r->what;
            to->amo = r->amo;
            to->width = r->width;
            to->answered = r->answered;
            to->pe = r->pe;
            to->far_at = r->far_at;
            to->near_at = r->near_at;
            to->nbytes = r->nbytes;
            to->operand = r->operand;
            to->compare = r->compare;
            to->signal_at = r->signal_at;
            cwd_fence_system(); /* what this thread, and its group, has stored is there before it */
            cwd_store_rel64((void *)(uintptr_t)&to->turn, t + 1);
            sent = 1;
        } else {
            cwd_pause();
        }
    }
    return t;
}

/* The answer to a request that says `answered`. */
CWD_FN uint64_t cwd_ask(const cwd_world_t *w, const cwd_request_t *r, uint64_t *ticket)
{
    uint64_t t = cwd_post(w, r), value;
    const cwd_answer_t *a = &w->answer[t & w->mask];
    while (cwd_load_acq64(&a->turn) != t + 1)
        cwd_pause();
    value = cwd_load64(&a->value);
    cwd_store_rel64(&w->reader[t & w->mask], 0);
    *ticket = t;
    return value;
}

CWD_FN cwd_request_t cwd_request_of(int what, const void *far_at, const void *near_at,
                                    uint64_t nbytes, int pe)
{
    cwd_request_t r;
    r.turn = 0;
    r.what = (uint8_t)what;
    r.amo = r.width = r.answered = 0;
    r.pe = pe;
    r.far_at = (uint64_t)(uintptr_t)far_at;
    r.near_at = (uint64_t)(uintptr_t)near_at;
    r.nbytes = nbytes;
    r.operand = r.compare = r.signal_at = 0;
    return r;
}

CWD_FN uint64_t cwd_send(const cwd_world_t *w, cwd_request_t *r, int answered)
{
    uint64_t ticket;
    r->answered = (uint8_t)answered;
    if (answered)
        return cwd_ask(w, r, &ticket);
    cwd_post(w, r);
    return 0;
}

/* All requests so far, of any thread, are executed (CWD_FENCE) or complete (CWD_QUIET), in the eyes
 * of each thread that sees a later store of this one. */
CWD_FN void cwd_settle(const cwd_world_t *w, int what, uint64_t *word)
{
    uint64_t ticket;
    if (cwd_load_acq64(word) < cwd_load64(&w->near_words->tail)) {
        cwd_request_t r = cwd_request_of(what, 0, 0, 0, w->pe);
        r.answered = 1;
        cwd_ask(w, &r, &ticket);
        cwd_store_rel64(word, ticket + 1);
    }
    cwd_fence_system(); /* both, and what this thread has stored, before its next stores */
}

/* What this thread has done to a PE is visible there before what it does to it from here on. */
CWD_FN void cwd_fence(const cwd_world_t *w)
{
    cwd_settle(w, CWD_FENCE, &w->near_words->settled);
}

/* What this thread has done is in the memory of its targets, and _nbi calls are complete. */
CWD_FN void cwd_quiet(const cwd_world_t *w)
{
    cwd_settle(w, CWD_QUIET, &w->near_words->quieted);
}

/* ---- values */

CWD_FN void cwd_p(const cwd_world_t *w, void *dest, uint64_t bits, unsigned nbytes, int pe)
{
    volatile void *to = cwd_ptr(w, dest, pe);
    if (!to) {
        cwd_request_t r = cwd_request_of(CWD_P, dest, 0, nbytes, pe);
        r.width = (uint8_t)nbytes;
        r.operand = bits;
        cwd_send(w, &r, 0);
    } else if (nbytes == 8) {
        *(volatile uint64_t *)to = bits;
    } else if (nbytes == 4) {
        *(volatile uint32_t *)to = (uint32_t)bits;
    } else if (nbytes == 2) {
        *(volatile uint16_t *)to = (uint16_t)bits;
    } else {
        *(volatile uint8_t *)to = (uint8_t)bits;
    }
}

CWD_FN uint64_t cwd_g(const cwd_world_t *w, const void *src, unsigned nbytes, int pe)
{
    const volatile void *at = cwd_ptr(w, src, pe);
    if (!at) {
        cwd_request_t r = cwd_request_of(CWD_G, src, 0, nbytes, pe);
        r.width = (uint8_t)nbytes;
        return cwd_send(w, &r, 1);
    }
    return nbytes == 8   ? *(const volatile uint64_t *)at
           : nbytes == 4 ? *(const volatile uint32_t *)at
           : nbytes == 2 ? *(const volatile uint16_t *)at
                         : *(const volatile uint8_t *)at;
}

/* ---- atomics: of the device on device memory that it reaches; loads and stores of host memory of
 * the node; else requests, since a device's and a processor's on one word of host memory are not
 * exact */

CWD_FN uint64_t cwd_atom(void *at, int amo, unsigned nbytes, uint64_t operand, uint64_t compare)
{
#define CWD_CASE(AMO, name)                                             \
    case CWD_AMO_##AMO:                                                 \
        return nbytes == 4 ? cwd_atom_##name##32(at, (uint32_t)operand) \
                           : cwd_atom_##name##64(at, operand)
    switch (amo) {
        CWD_CASE(ADD, add);
        CWD_CASE(AND, and);
        CWD_CASE(OR, or);
        CWD_CASE(XOR, xor);
        CWD_CASE(SWAP, swap);
    case CWD_AMO_CSWAP:
        return nbytes == 4 ? cwd_atom_cswap32(at, (uint32_t)compare, (uint32_t)operand)
                           : cwd_atom_cswap64(at, compare, operand);
    case CWD_AMO_SET:
        if (nbytes == 4)
            cwd_store_rel32(at, (uint32_t)operand);
        else
            cwd_store_rel64(at, operand);
        return 0;
    default:
        return nbytes == 4 ? cwd_load_acq32(at) : cwd_load_acq64(at);
    }
#undef CWD_CASE
}

/* The old value, if it is wanted; else complete at quiet. */
CWD_FN uint64_t cwd_amo(const cwd_world_t *w, void *dest, int amo, unsigned nbytes,
                        uint64_t operand, uint64_t compare, int pe, int wanted)
{
    uint64_t at = (uint64_t)(uintptr_t)dest;
    const cwd_peer_t *peer = cwd_peer_of(w, pe);
    int on_device = cwd_is_device_memory(w, at);
    cwd_request_t r;
    if (peer && on_device && peer->atomic)
        return cwd_atom((void *)(uintptr_t)(at + peer->device), amo, nbytes, operand, compare);
    if (peer && amo <= CWD_AMO_SET && at - w->host_at < w->host_reached)
        return cwd_atom((void *)(uintptr_t)(at + peer->host), amo, nbytes, operand, compare);
    r = cwd_request_of(CWD_AMO, dest, 0, nbytes, pe);
    r.amo = (uint8_t)amo;
    r.width = (uint8_t)nbytes;
    r.operand = operand;
    r.compare = compare;
    return cwd_send(w, &r, wanted);
}

/* ---- bytes */

/* Thread `index` of `threads` copies its share in units of so many bytes, where both sides allow
 * that; the bytes that remain are left to smaller units. */
#define CWD_MOVE(size, copy_one)             \
    if (((to | from) & ((size)-1)) == 0) {   \
        uint64_t n = nbytes / (size), i;     \
        for (i = index; i < n; i += threads) \
            copy_one;                        \
        to += n * (size);                    \
        from += n * (size);                  \
        nbytes -= n * (size);                \
    }
#define CWD_UNIT(type, from_type) \
    CWD_MOVE(sizeof(type), ((type *)(uintptr_t)to)[i] = ((from_type *)(uintptr_t)from)[i])

CWD_FN void cwd_store_bytes(void *dest, const void *src, uint64_t nbytes, unsigned index,
                            unsigned threads)
{
    uint64_t to = (uint64_t)(uintptr_t)dest, from = (uint64_t)(uintptr_t)src;
    CWD_MOVE(16u, cwd_copy16(to + 16 * i, from + 16 * i))
    CWD_UNIT(cwd_u64_t, const cwd_u64_t)
    CWD_UNIT(cwd_u32_t, const cwd_u32_t)
    CWD_UNIT(cwd_u16_t, const cwd_u16_t)
    CWD_UNIT(uint8_t, const uint8_t)
}

/* Loads that no cache of the device answers. */
CWD_FN void cwd_load_bytes(void *dest, const void *src, uint64_t nbytes, unsigned index,
                           unsigned threads)
{
    uint64_t to = (uint64_t)(uintptr_t)dest, from = (uint64_t)(uintptr_t)src;
    CWD_UNIT(cwd_u64_t, const volatile cwd_u64_t)
    CWD_UNIT(cwd_u32_t, const volatile cwd_u32_t)
    CWD_UNIT(cwd_u16_t, const volatile cwd_u16_t)
    CWD_UNIT(uint8_t, const volatile uint8_t)
}
#undef CWD_UNIT
#undef CWD_MOVE

/* A request of the group's first thread. waits: the local memory is free, or filled, on return. */
CWD_FN void cwd_move_by_request(const cwd_world_t *w, int what, const void *far_at,
                                const void *near_at, uint64_t nbytes, int pe, int waits,
                                unsigned index)
{
    if (index == 0 && nbytes > 0) {
        cwd_request_t r = cwd_request_of(what, far_at, near_at, nbytes, pe);
        cwd_send(w, &r, waits);
    }
}

/* nbytes: of what has not been stored yet. */
CWD_FN void cwd_signal(const cwd_world_t *w, void *dest, const void *src, uint64_t nbytes,
                       uint64_t *sig, uint64_t value, int op, int pe)
{
    cwd_fence_system();
    if (nbytes == 0) {
        (void)cwd_amo(w, sig, op, sizeof *sig, value, 0, pe, 0);
    } else {
        cwd_request_t r = cwd_request_of(CWD_PUT_SIGNAL, dest, src, nbytes, pe);
        r.amo = (uint8_t)op;
        r.width = sizeof *sig;
        r.operand = value;
        r.signal_at = (uint64_t)(uintptr_t)sig;
        cwd_send(w, &r, 1);
    }
}

#define CWD_GROUP(group, index, threads, sync)                                                     \
    CWD_FN void cwd_put_by##group(const cwd_world_t *w, void *dest, const void *src,               \
                                  uint64_t nbytes, int pe, int waits)                              \
    {                                                                                              \
        void *to = cwd_ptr(w, dest, pe), *from = cwd_local(w, src);                                \
        sync;                                                                                      \
        if (to && from)                                                                            \
            cwd_store_bytes(to, from, nbytes, index, threads);                                     \
        else                                                                                       \
            cwd_move_by_request(w, CWD_PUT, dest, src, nbytes, pe, waits, index);                  \
        sync;                                                                                      \
    }                                                                                              \
    CWD_FN void cwd_get_by##group(const cwd_world_t *w, void *dest, const void *src,               \
                                  uint64_t nbytes, int pe, int waits)                              \
    {                                                                                              \
        void *to = cwd_local(w, dest), *from = cwd_ptr(w, src, pe);                                \
        sync;                                                                                      \
        if (to && from)                                                                            \
            cwd_load_bytes(to, from, nbytes, index, threads);                                      \
        else                                                                                       \
            cwd_move_by_request(w, CWD_GET, src, dest, nbytes, pe, waits, index);                  \
        sync;                                                                                      \
    }                                                                                              \
    CWD_FN void cwd_put##group(const cwd_world_t *w, void *dest, const void *src, uint64_t nbytes, \
                               int pe)                                                             \
    {                                                                                              \
        cwd_put_by##group(w, dest, src, nbytes, pe, 1);                                            \
    }                                                                                              \
    CWD_FN void cwd_put_nbi##group(const cwd_world_t *w, void *dest, const void *src,              \
                                   uint64_t nbytes, int pe)                                        \
    {                                                                                              \
        cwd_put_by##group(w, dest, src, nbytes, pe, 0);                                            \
    }                                                                                              \
    CWD_FN void cwd_get##group(const cwd_world_t *w, void *dest, const void *src, uint64_t nbytes, \
                               int pe)                                                             \
    {                                                                                              \
        cwd_get_by##group(w, dest, src, nbytes, pe, 1);                                            \
    }                                                                                              \
    CWD_FN void cwd_get_nbi##group(const cwd_world_t *w, void *dest, const void *src,              \
                                   uint64_t nbytes, int pe)                                        \
    {                                                                                              \
        cwd_get_by##group(w, dest, src, nbytes, pe, 0);                                            \
    }                                                                                              \
    CWD_FN void cwd_put_signal##group(const cwd_world_t *w, void *dest, const void *src,           \
                                      uint64_t nbytes, uint64_t *sig, uint64_t value, int op,      \
                                      int pe)                                                      \
    {                                                                                              \
        void *to = cwd_ptr(w, dest, pe), *from = cwd_local(w, src);                                \
        sync;                                                                                      \
        if (to && from)                                                                            \
            cwd_store_bytes(to, from, nbytes, index, threads);                                     \
        sync;                                                                                      \
        if (index == 0)                                                                            \
            cwd_signal(w, dest, src, to &&from ? 0 : nbytes, sig, value, op, pe);                  \
        sync;                                                                                      \
    }
CWD_GROUP(, 0, 1, (void)0)
CWD_GROUP(_warp, cwd_warp_thread(), cwd_warp_threads(), cwd_warp_sync())
CWD_GROUP(_block, CWD_THREAD(), CWD_THREADS(), cwd_block_sync())
#undef CWD_GROUP

/* ---- calls by type */

#define CWD_VALUES(TYPE, type, bits)                                                 \
    CWD_FN void cwd_##TYPE##_p(const cwd_world_t *w, type *dest, type value, int pe) \
    {                                                                                \
        union {                                                                      \
            type value;                                                              \
            bits word;                                                               \
        } u;                                                                         \
        u.value = value;                                                             \
        cwd_p(w, dest, u.word, sizeof value, pe);                                    \
    }                                                                                \
    CWD_FN type cwd_##TYPE##_g(const cwd_world_t *w, const type *src, int pe)        \
    {                                                                                \
        union {                                                                      \
            type value;                                                              \
            bits word;                                                               \
        } u;                                                                         \
        u.word = (bits)cwd_g(w, src, sizeof u, pe);                                  \
        return u.value;                                                              \
    }
CWD_VALUES(int8, int8_t, uint8_t)
CWD_VALUES(uint8, uint8_t, uint8_t)
CWD_VALUES(int16, int16_t, uint16_t)
CWD_VALUES(uint16, uint16_t, uint16_t)
CWD_VALUES(int32, int32_t, uint32_t)
CWD_VALUES(uint32, uint32_t, uint32_t)
CWD_VALUES(int64, int64_t, uint64_t)
CWD_VALUES(uint64, uint64_t, uint64_t)
CWD_VALUES(float, float, uint32_t)
CWD_VALUES(double, double, uint64_t)
#undef CWD_VALUES

#define CWD_FETCHES(TYPE, type, name, AMO)                                                       \
    CWD_FN type cwd_##TYPE##_atomic_fetch_##name(const cwd_world_t *w, type *dest, type value,   \
                                                 int pe)                                         \
    {                                                                                            \
        return (type)cwd_amo(w, dest, CWD_AMO_##AMO, sizeof *dest, (uint64_t)value, 0, pe, 1);   \
    }                                                                                            \
    CWD_FN void cwd_##TYPE##_atomic_##name(const cwd_world_t *w, type *dest, type value, int pe) \
    {                                                                                            \
        (void)cwd_amo(w, dest, CWD_AMO_##AMO, sizeof *dest, (uint64_t)value, 0, pe, 0);          \
    }

#define CWD_ATOMICS(TYPE, type)                                                                   \
    CWD_FETCHES(TYPE, type, add, ADD)                                                             \
    CWD_FETCHES(TYPE, type, and, AND)                                                             \
    CWD_FETCHES(TYPE, type, or, OR)                                                               \
    CWD_FETCHES(TYPE, type, xor, XOR)                                                             \
    CWD_FN type cwd_##TYPE##_atomic_fetch_inc(const cwd_world_t *w, type *dest, int pe)           \
    {                                                                                             \
        return cwd_##TYPE##_atomic_fetch_add(w, dest, 1, pe);                                     \
    }                                                                                             \
    CWD_FN void cwd_##TYPE##_atomic_inc(const cwd_world_t *w, type *dest, int pe)                 \
    {                                                                                             \
        cwd_##TYPE##_atomic_add(w, dest, 1, pe);                                                  \
    }                                                                                             \
    CWD_FN type cwd_##TYPE##_atomic_fetch(const cwd_world_t *w, const type *src, int pe)          \
    {                                                                                             \
        return (type)cwd_amo(w, (void *)(uintptr_t)src, CWD_AMO_FETCH, sizeof *src, 0, 0, pe, 1); \
    }                                                                                             \
    CWD_FN void cwd_##TYPE##_atomic_set(const cwd_world_t *w, type *dest, type value, int pe)     \
    {                                                                                             \
        (void)cwd_amo(w, dest, CWD_AMO_SET, sizeof *dest, (uint64_t)value, 0, pe, 0);             \
    }                                                                                             \
    CWD_FN type cwd_##TYPE##_atomic_swap(const cwd_world_t *w, type *dest, type value, int pe)    \
    {                                                                                             \
        return (type)cwd_amo(w, dest, CWD_AMO_SWAP, sizeof *dest, (uint64_t)value, 0, pe, 1);     \
    }                                                                                             \
    CWD_FN type cwd_##TYPE##_atomic_compare_swap(const cwd_world_t *w, type *dest, type from,     \
                                                 type to, int pe)                                 \
    {                                                                                             \
        return (type)cwd_amo(w, dest, CWD_AMO_CSWAP, sizeof *dest, (uint64_t)to, (uint64_t)from,  \
                             pe, 1);                                                              \
    }                                                                                             \
    CWD_FN type cwd_##TYPE##_wait_until(const cwd_world_t *w, const type *word, int cmp,          \
                                        type value)                                               \
    {                                                                                             \
        const void *at = cwd_ptr(w, word, w->pe);                                                 \
        for (;;) {                                                                                \
            type now = (type)cwd_atom((void *)(uintptr_t)at, CWD_AMO_FETCH, sizeof now, 0, 0);    \
            if (cmp == CWD_EQ   ? now == value                                                    \
                : cmp == CWD_NE ? now != value                                                    \
                : cmp == CWD_GT ? now > value                                                     \
                : cmp == CWD_GE ? now >= value                                                    \
                : cmp == CWD_LT ? now < value                                                     \
                                : now <= value)                                                   \
                return now;                                                                       \
            cwd_pause();                                                                          \
        }                                                                                         \
    }
CWD_ATOMICS(int32, int32_t)
CWD_ATOMICS(uint32, uint32_t)
CWD_ATOMICS(int64, int64_t)
CWD_ATOMICS(uint64, uint64_t)
#undef CWD_ATOMICS
#undef CWD_FETCHES

CWD_FN uint64_t cwd_signal_wait_until(const cwd_world_t *w, const uint64_t *sig, int cmp,
                                      uint64_t value)
{
    return cwd_uint64_wait_until(w, sig, cmp, value);
}

#endif
