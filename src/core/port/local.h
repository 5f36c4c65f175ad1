// SPDX-License-Identifier: BSD-3-Clause
//
// Stores, loads and copies within the node. Threads: any. Blocking: never.
#ifndef CW_CORE_PORT_LOCAL_H
#define CW_CORE_PORT_LOCAL_H

#include "core/mem/copy.h"
#include "core/port/hot.h"

static CW_ALWAYS_INLINE void cw_store_bits(void *p, uint64_t bits, size_t nbytes)
{
    switch (nbytes) {
    case 1:
        __atomic_store_n((uint8_t *)p, (uint8_t)bits, __ATOMIC_RELAXED);
        break;
    case 2:
        __atomic_store_n((uint16_t *)p, (uint16_t)bits, __ATOMIC_RELAXED);
        break;
    case 4:
        __atomic_store_n((uint32_t *)p, (uint32_t)bits, __ATOMIC_RELAXED);
        break;
    default:
        __atomic_store_n((uint64_t *)p, bits, __ATOMIC_RELAXED);
        break;
    }
}

/** Acquire: a get is complete on return. */
static CW_ALWAYS_INLINE uint64_t cw_load_bits(const void *p, size_t nbytes)
{
    switch (nbytes) {
    case 1:
        return __atomic_load_n((const uint8_t *)p, __ATOMIC_ACQUIRE);
    case 2:
        return __atomic_load_n((const uint16_t *)p, __ATOMIC_ACQUIRE);
    case 4:
        return __atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE);
    default:
        return __atomic_load_n((const uint64_t *)p, __ATOMIC_ACQUIRE);
    }
}

/** Less than 8 bytes. A word is stored once: memcpy of a variable size stores overlapping halves,
 *  and a flag that its owner clears in between would rise again. */
static CW_ALWAYS_INLINE void cw_copy_word(void *dest, const void *src, size_t nbytes)
{
    if (nbytes == 4)
        memcpy(dest, src, 4);
    else if (nbytes == 2)
        memcpy(dest, src, 2);
    else
        memcpy(dest, src, nbytes);
}

/** CW_LONG_COPY bytes or more; ends the job if no memory has as many. */
void cw_copy_long(void *dest, const void *src, size_t nbytes) CW_NOINLINE;

static CW_ALWAYS_INLINE void cw_copy(void *dest, const void *src, size_t nbytes)
{
    if (nbytes == 8)  // the most frequent
        memcpy(dest, src, 8);
    else if (CW_UNLIKELY(nbytes >= CW_LONG_COPY))
        cw_copy_long(dest, src, nbytes);
    else if (nbytes > 8)
        memcpy(dest, src, nbytes);
    else
        cw_copy_word(dest, src, nbytes);
}

/** After the loads of a blocking get. x86 keeps loads in order, and a call keeps the compiler from
 *  moving them. */
static CW_ALWAYS_INLINE void cw_get_done(void)
{
#if !defined(__x86_64__)
    atomic_thread_fence(memory_order_acquire);
#endif
}

/** For copies up to this size a PE that goes to sleep meanwhile need not be woken: its sleep's
 *  time-out covers it (core/progress/wait.h). */
#define CW_SHORT_COPY 4096u
void cw_put_and_wake(void *dest, const void *src, size_t nbytes, int rank,
                     cw_ctx_t *ctx) CW_NOINLINE;

#endif
