// SPDX-License-Identifier: BSD-3-Clause
//
// Shared by the files of the OpenSHMEM front end: the name-shifting of entry points, and the checks
// of calls.
//
// Each routine's body is the pshmem_ function; SHM_WEAK makes the shmem_ name a weak alias of it,
// which a profiling tool may replace. Bodies call core and shm_ functions only, never another entry
// point.
// Checks: core checks RMA and atomics, on its slow paths, which "not initialised" and
// CAUSEWAY_CHECK=1 select (core/port/hot.h). All other routines begin with SHM_ENTER, which also
// reports to observers (core/observe/watch.h) that the routine runs, until it returns. Arguments
// are checked in checking mode only.
// Threads: no state of its own.
#ifndef SHM_SHM_H
#define SHM_SHM_H

#include "base/compiler.h"
#include "core/coll/coll.h"
#include "core/core.h"
#include "core/observe/watch.h"
#include "core/progress/wait.h"
#include "core/rma/amo.h"
#include "core/rma/rma.h"
#include "pshmem.h"
#include "shmem.h"
#include "shmem/types.def"

#define SHM_WEAK(name) extern __typeof__(p##name) name CW_WEAK_ALIAS("p" #name)

/** Both entry points of an older name that shares the body of the current one. */
#define SHM_OLD_NAME(old, now)                           \
    extern __typeof__(p##now) p##old CW_ALIAS("p" #now); \
    extern __typeof__(p##now) old CW_WEAK_ALIAS("p" #now)

/** The user's name of the routine whose body is `func` (__func__ of a pshmem_ function). */
static inline const char *shm_call_name(const char *func)
{
    return func[0] == 'p' ? func + 1 : func;
}

/** The program has exited without finalize, which has finalized it (setup.c). */
extern bool shm_exited;
/** True for the exit handlers and destructors that are left then: what completes, meets or releases
 *  is done already. */
static inline bool shm_is_over(void)
{
    return CW_UNLIKELY(shm_exited) && !cw_world.initialized;
}

noreturn void shm_not_initialized(const char *func) CW_COLD;
noreturn void shm_bad_context(const char *func) CW_COLD;
noreturn void shm_bad_team(const char *func) CW_COLD;
noreturn void shm_bad_compare(const char *func, int cmp) CW_COLD;
noreturn void shm_bad_release(const char *func, const void *lock) CW_COLD;
noreturn void shm_bad_set(const char *func, const void *lock) CW_COLD;

// Checking mode only: each ends the job with a message when the argument is wrong.
void shm_check_symmetric(const char *func, const char *what, const void *addr, size_t nbytes);
/** The same for an operand that may be device memory. */
void shm_check_operand(const char *func, const char *what, const void *addr, size_t nbytes);
void shm_check_pe(const char *func, int pe);
void shm_check_context(const char *func, const cw_ctx_t *ctx);
void shm_check_rank(const char *func, const cw_ctx_t *ctx, int rank);
void shm_check_count(const char *func, const char *what, size_t nelems, size_t elem_nbytes);
/** A variable of a wait or an atomic: symmetric and aligned to its size. */
void shm_check_variable(const char *func, const char *what, const void *addr, size_t nbytes);
void shm_check_not_null(const char *func, const char *what, const void *addr);
/** Strides in elements: at least `least`, as the specification demands. */
void shm_check_stride(const char *func, const char *what, ptrdiff_t stride, ptrdiff_t least);
/** Two buffers of this PE. in_place: they may be the same buffer. */
void shm_check_overlap(const char *func, const void *dest, size_t ndest, const void *source,
                       size_t nsource, bool in_place);

/** The slow path of SHM_ENTER: fatal outside of init and finalize, else the routine's frame. */
cw_frame_t *shm_enter(const char *func) CW_COLD;

/** A statement at the start of a body (it declares a variable). */
#define SHM_ENTER() CW_WATCH(shm_enter(__func__))
/** For bodies whose instructions count: with observers on, `slow` does everything. */
#define SHM_ENTER_HOT(slow)                          \
    do {                                             \
        if (CW_UNLIKELY(!cw_world.plain)) {          \
            slow;                                    \
            return;                                  \
        }                                            \
    } while (0)

/** Reports the bytes that this PE contributes to a collective. */
#define SHM_BYTES(nbytes)                            \
    do {                                             \
        if (CW_UNLIKELY(!cw_world.plain))            \
            cw_watch_bytes(nbytes);                  \
    } while (0)

#define SHM_CHECKING() CW_CHECKING()

/** The context of a handle: its address, except for the two handles that are constants. */
static CW_ALWAYS_INLINE cw_ctx_t *shm_ctx(shmem_ctx_t ctx)
{
    if (CW_UNLIKELY((uintptr_t)ctx <= (uintptr_t)SHMEM_CTX_DEFAULT))
        return ctx == SHMEM_CTX_INVALID ? &cw_ctx_none : &cw_ctx_default;
    return (cw_ctx_t *)ctx;
}
#define SHM_CTX(ctx) shm_ctx(ctx)

/** The same for routines that do nothing with SHMEM_CTX_INVALID (NULL then); in checking mode it
 *  checks that the context exists. */
static CW_ALWAYS_INLINE cw_ctx_t *shm_ctx_or_none(shmem_ctx_t ctx, const char *func)
{
    if (CW_UNLIKELY(ctx == SHMEM_CTX_INVALID))
        return NULL;
    cw_ctx_t *c = shm_ctx(ctx);
    if (SHM_CHECKING())
        shm_check_context(func, c);
    return c;
}

/** A value of 1, 2, 4 or 8 bytes as the low bits of a word, whatever its type. */
static CW_ALWAYS_INLINE uint64_t shm_bits(const void *value, size_t nbytes)
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
static CW_ALWAYS_INLINE void shm_from_bits(void *value, uint64_t bits, size_t nbytes)
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
