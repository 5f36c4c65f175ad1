// SPDX-License-Identifier: BSD-3-Clause
//
// Point-to-point synchronization: the typed entry points. The wait for one word is inline, because
// its latency matters most; sets are in p2p_sets.c.
#include "shmem/p2p.h"
#include "base/compiler.h"

static CW_ALWAYS_INLINE void wait_until(const char *func, const void *ivar, shm_kind_t kind,
                                        int cmp, shm_key_t value)
{
    shm_check_compare(func, cmp);
    if (SHM_CHECKING())
        shm_check_variable(func, "ivar", ivar, kind / 2);
    if (CW_LIKELY(shm_matches(shm_load_key(ivar, kind), cmp, value)))
        return;
    cw_wait_t w = CW_WAIT_FOR(shm_call_name(func), ivar, kind / 2);
    cw_wait_on_t on;
    if (CW_UNLIKELY(!cw_world.plain)) {
        on = shm_wait_on(ivar, kind, cmp, value, 0, 1);
        w.on = &on;
    }
    do
        cw_wait_round(&w);
    while (!shm_matches(shm_load_key(ivar, kind), cmp, value));
    cw_wait_done(&w);
}

static CW_ALWAYS_INLINE int test(const char *func, const void *ivar, shm_kind_t kind, int cmp,
                                 shm_key_t value)
{
    shm_check_compare(func, cmp);
    if (SHM_CHECKING())
        shm_check_variable(func, "ivar", ivar, kind / 2);
    if (shm_matches(shm_load_key(ivar, kind), cmp, value))
        return 1;
    cw_wait_tested();
    if (!shm_matches(shm_load_key(ivar, kind), cmp, value))
        return 0;
    cw_wait_found();
    return 1;
}

#define KEY(T, v) shm_key((uint64_t)(v), SHM_KIND(T))

#define ONE(N, T)                                                                      \
    void pshmem_##N##_wait_until(T *ivar, int cmp, T cmp_value)                        \
    { SHM_ENTER(); wait_until(__func__, ivar, SHM_KIND(T), cmp, KEY(T, cmp_value)); }  \
    int pshmem_##N##_test(T *ivar, int cmp, T cmp_value)                               \
    { SHM_ENTER(); return test(__func__, ivar, SHM_KIND(T), cmp, KEY(T, cmp_value)); } \
    SHM_WEAK(shmem_##N##_wait_until); SHM_WEAK(shmem_##N##_test);
SHM_TYPES_SYNC(ONE)
SHM_TYPES_SYNC_SHORT(ONE)

// A set compared with one value, and with a value for each word.
#define SET(T) \
    &(shm_wait_set_t){__func__, ivars, SHM_KIND(T), cmp, nelems, status, KEY(T, cmp_value), NULL}
#define VECTOR(T) \
    &(shm_wait_set_t){__func__, ivars, SHM_KIND(T), cmp, nelems, status, 0, cmp_values}

#define SETS(N, T, FORM, VALUE, MAKE)                                                              \
    void pshmem_##N##_wait_until_all##FORM(T *ivars, size_t nelems, const int *status, int cmp,    \
                                           VALUE)                                                  \
    { SHM_ENTER(); shm_set_wait_all(MAKE(T)); }                                                    \
    size_t pshmem_##N##_wait_until_any##FORM(T *ivars, size_t nelems, const int *status, int cmp,  \
                                             VALUE)                                                \
    { SHM_ENTER(); return shm_set_wait_any(MAKE(T)); }                                             \
    size_t pshmem_##N##_wait_until_some##FORM(T *ivars, size_t nelems, size_t *indices,            \
                                              const int *status, int cmp, VALUE)                   \
    { SHM_ENTER(); return shm_set_wait_some(MAKE(T), indices); }                                   \
    int pshmem_##N##_test_all##FORM(T *ivars, size_t nelems, const int *status, int cmp, VALUE)    \
    { SHM_ENTER(); return shm_set_test_all(MAKE(T)); }                                             \
    size_t pshmem_##N##_test_any##FORM(T *ivars, size_t nelems, const int *status, int cmp, VALUE) \
    { SHM_ENTER(); return shm_set_test_any(MAKE(T)); }                                             \
    size_t pshmem_##N##_test_some##FORM(T *ivars, size_t nelems, size_t *indices,                  \
                                        const int *status, int cmp, VALUE)                         \
    { SHM_ENTER(); return shm_set_test_some(MAKE(T), indices); }                                   \
    SHM_WEAK(shmem_##N##_wait_until_all##FORM); SHM_WEAK(shmem_##N##_wait_until_any##FORM);        \
    SHM_WEAK(shmem_##N##_wait_until_some##FORM); SHM_WEAK(shmem_##N##_test_all##FORM);             \
    SHM_WEAK(shmem_##N##_test_any##FORM); SHM_WEAK(shmem_##N##_test_some##FORM);

#define ONE_VALUE(N, T) SETS(N, T, , T cmp_value, SET)
#define MANY_VALUES(N, T) SETS(N, T, _vector, const T *cmp_values, VECTOR)
// of short, too, as others have them, of which the specification has single variables alone
SHM_TYPES_SYNC_SET(ONE_VALUE)
SHM_TYPES_SYNC_SET(MANY_VALUES)

// --------------------------------------------- deprecated: waiting for a change, and untyped names
#define WAIT(N, T)                                                                             \
    void pshmem_##N##_wait(T *ivar, T cmp_value)                                               \
    { SHM_ENTER(); wait_until(__func__, ivar, SHM_KIND(T), SHMEM_CMP_NE, KEY(T, cmp_value)); } \
    SHM_WEAK(shmem_##N##_wait);
SHM_TYPES_WAIT_OLD(WAIT)

SHM_OLD_NAME(shmem_wait, shmem_long_wait);
SHM_OLD_NAME(shmem_wait_until, shmem_long_wait_until);
