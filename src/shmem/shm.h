// SPDX-License-Identifier: BSD-3-Clause
//
// What the files of the OpenSHMEM front end share: the name-shifting of entry points, and the checks of calls.
//
// Each routine's body is the pshmem_ function; SHM_WEAK makes the shmem_ name a weak alias of it, which a profiling
// tool may replace. Bodies call core and shm_ functions only, never another entry point.
// Checks: RMA and atomics are checked by core, where "not initialised" and CAUSEWAY_CHECK=1 lead anyway (core/hot.h);
// all other routines begin with SHM_ENTER. Arguments are looked at only in checking mode.
// Threads: no state of its own.
#ifndef SHM_SHM_H
#define SHM_SHM_H

#include "core/amo.h"
#include "core/coll/coll.h"
#include "core/core.h"
#include "core/rma.h"
#include "core/wait.h"
#include "pshmem.h"
#include "shmem.h"
#include "shmem/types.def"

#define SHM_WEAK(name) extern __typeof__(p##name) name __attribute__((weak, alias("p" #name)))

/** The body under one name serves a second, older one: both entry points of it. */
#define SHM_OLD_NAME(old, now)                                                       \
    extern __typeof__(p##now) p##old __attribute__((alias("p" #now)));               \
    extern __typeof__(p##now) old __attribute__((weak, alias("p" #now)))

/** The user's name of the routine whose body is `func` (__func__ of a pshmem_ function). */
static inline const char *shm_call_name(const char *func)
{
    return func[0] == 'p' ? func + 1 : func;
}

noreturn void shm_not_initialized(const char *func) __attribute__((cold));
noreturn void shm_bad_context(const char *func) __attribute__((cold));
noreturn void shm_bad_team(const char *func) __attribute__((cold));
noreturn void shm_bad_compare(const char *func, int cmp) __attribute__((cold));

// Checking mode only: each ends the job with a message when the argument is wrong.
void shm_check_symmetric(const char *func, const char *what, const void *addr, size_t nbytes);
void shm_check_pe(const char *func, int pe);
void shm_check_count(const char *func, const char *what, size_t nelems, size_t elem_nbytes);

#define SHM_ENTER()                                     \
    do {                                                \
        if (CW_UNLIKELY(!cw_world.initialized))         \
            shm_not_initialized(__func__);              \
    } while (0)

#define SHM_CHECKING() CW_UNLIKELY(cw_world.check)

/** The core's context behind a handle. */
static inline __attribute__((always_inline)) cw_ctx_t *shm_ctx(shmem_ctx_t ctx, const char *func)
{
    if (CW_UNLIKELY(ctx != SHMEM_CTX_DEFAULT))
        shm_bad_context(func);
    return &cw_ctx_default;
}
#define SHM_CTX(ctx) shm_ctx((ctx), __func__)

/** A value of 1, 2, 4 or 8 bytes as the low bits of a word, whatever its type. */
static inline __attribute__((always_inline)) uint64_t shm_bits(const void *value, size_t nbytes)
{
    uint8_t b1;
    uint16_t b2;
    uint32_t b4;
    uint64_t b8;
    switch (nbytes) {
    case 1:
        return memcpy(&b1, value, 1), b1;
    case 2:
        return memcpy(&b2, value, 2), b2;
    case 4:
        return memcpy(&b4, value, 4), b4;
    default:
        return memcpy(&b8, value, 8), b8;
    }
}

/** The reverse: the value whose bits those are. */
static inline __attribute__((always_inline)) void shm_from_bits(void *value, uint64_t bits, size_t nbytes)
{
    uint8_t b1 = (uint8_t)bits;
    uint16_t b2 = (uint16_t)bits;
    uint32_t b4 = (uint32_t)bits;
    switch (nbytes) {
    case 1:
        memcpy(value, &b1, 1);
        break;
    case 2:
        memcpy(value, &b2, 2);
        break;
    case 4:
        memcpy(value, &b4, 4);
        break;
    default:
        memcpy(value, &bits, 8);
        break;
    }
}

#endif
