// SPDX-License-Identifier: BSD-3-Clause
//
// Every put and get by itself: typed, sized and in bytes, blocking and not, strided, in blocks,
// single values, and the puts with signals. See every.h.
#include "every.h"

static uint64_t sig;

// ---------------------------------------------------------------- contiguous
#define DEFINE_BULK(FN, SIZE, FROM, ...)    \
    static bool check_##FN(void)            \
    {                                       \
        prepare();                          \
        FN(__VA_ARGS__);                    \
        settle();                           \
        return shows(FROM, COUNT * (SIZE)); \
    }
#define ENTRY_BULK(FN, ...) ENTRY_IN_TABLE(FN)

// A put to the next PE is checked by what the previous one sent; a get by the next PE's data.
#define BULK_PAIR(K, PUT, CTX_PUT, GET, CTX_GET, SIZE, N)                                      \
    K##_BULK(PUT, SIZE, prev, D, S, N, next) K##_BULK(CTX_PUT, SIZE, prev, ctx, D, S, N, next) \
    K##_BULK(GET, SIZE, next, D, S, N, next) K##_BULK(CTX_GET, SIZE, next, ctx, D, S, N, next)
#define BULK_TYPED(K, N, T)                                                                  \
    BULK_PAIR(K, shmem_##N##_put, shmem_ctx_##N##_put, shmem_##N##_get, shmem_ctx_##N##_get, \
              sizeof(T), COUNT)                                                              \
    BULK_PAIR(K, shmem_##N##_put_nbi, shmem_ctx_##N##_put_nbi, shmem_##N##_get_nbi,          \
              shmem_ctx_##N##_get_nbi, sizeof(T), COUNT)
#define BULK_SIZED(K, B)                                                                       \
    BULK_PAIR(K, shmem_put##B, shmem_ctx_put##B, shmem_get##B, shmem_ctx_get##B, B / 8, COUNT) \
    BULK_PAIR(K, shmem_put##B##_nbi, shmem_ctx_put##B##_nbi, shmem_get##B##_nbi,               \
              shmem_ctx_get##B##_nbi, B / 8, COUNT)
#define BULK_BYTES(K)                                                                              \
    BULK_PAIR(K, shmem_putmem, shmem_ctx_putmem, shmem_getmem, shmem_ctx_getmem, 101, COUNT * 101) \
    BULK_PAIR(K, shmem_putmem_nbi, shmem_ctx_putmem_nbi, shmem_getmem_nbi, shmem_ctx_getmem_nbi,   \
              101, COUNT * 101)

// ---------------------------------------------------------------- one value
#define DEFINE_P(FN, T, ...)                                            \
    static bool check_##FN(void)                                        \
    {                                                                   \
        T got, *to = D, value = VALUE(T, turn * 64 + me);               \
        prepare();                                                      \
        FN(__VA_ARGS__);                                                \
        settle();                                                       \
        memcpy(&got, dest, sizeof(got));                                \
        return got == VALUE(T, turn * 64 + prev) && guarded(sizeof(T)); \
    }
#define DEFINE_G(FN, T, ...)                                  \
    static bool check_##FN(void)                              \
    {                                                         \
        T *from = (T *)(void *)source;                        \
        *from = VALUE(T, turn * 64 + me);                     \
        pshmem_barrier_all();                                 \
        return FN(__VA_ARGS__) == VALUE(T, turn * 64 + next); \
    }
#define ENTRY_P(FN, ...) ENTRY_IN_TABLE(FN)
#define ENTRY_G(FN, ...) ENTRY_IN_TABLE(FN)
#define SINGLE_TYPED(K, N, T)                                                                  \
    K##_P(shmem_##N##_p, T, to, value, next) K##_P(shmem_ctx_##N##_p, T, ctx, to, value, next) \
    K##_G(shmem_##N##_g, T, from, next) K##_G(shmem_ctx_##N##_g, T, ctx, from, next)

// ---------------------------------------------------------------- strided, in blocks
#define DST 3
#define SST 4
#define BLOCK 2

/** Checks COUNT blocks of nblock elements at their strides, and that nothing else was written. */
static bool shows_strided(int from, size_t size, size_t nblock)
{
    for (size_t b = 0, i; b < COUNT; b++) {
        for (i = 0; i < nblock * size; i++)
            if (dest[b * DST * size + i] != pattern(from, GUARD + b * SST * size + i))
                return false;
        for (; i < DST * size; i++)
            if (dest[b * DST * size + i] != 0xEE)
                return false;
    }
    return guarded(COUNT * DST * size);
}

#define DEFINE_STRIDED(FN, SIZE, FROM, NBLOCK, ...) \
    static bool check_##FN(void)                    \
    {                                               \
        prepare();                                  \
        FN(__VA_ARGS__);                            \
        settle();                                   \
        return shows_strided(FROM, SIZE, NBLOCK);   \
    }
#define ENTRY_STRIDED(FN, ...) ENTRY_IN_TABLE(FN)
#define STRIDED(K, IPUT, IGET, CTX_IPUT, CTX_IGET, SIZE)                   \
    K##_STRIDED(IPUT, SIZE, prev, 1, D, S, DST, SST, COUNT, next)          \
    K##_STRIDED(CTX_IPUT, SIZE, prev, 1, ctx, D, S, DST, SST, COUNT, next) \
    K##_STRIDED(IGET, SIZE, next, 1, D, S, DST, SST, COUNT, next)          \
    K##_STRIDED(CTX_IGET, SIZE, next, 1, ctx, D, S, DST, SST, COUNT, next)
#define BLOCKED(K, IBPUT, IBGET, CTX_IBPUT, CTX_IBGET, SIZE)                           \
    K##_STRIDED(IBPUT, SIZE, prev, BLOCK, D, S, DST, SST, BLOCK, COUNT, next)          \
    K##_STRIDED(CTX_IBPUT, SIZE, prev, BLOCK, ctx, D, S, DST, SST, BLOCK, COUNT, next) \
    K##_STRIDED(IBGET, SIZE, next, BLOCK, D, S, DST, SST, BLOCK, COUNT, next)          \
    K##_STRIDED(CTX_IBGET, SIZE, next, BLOCK, ctx, D, S, DST, SST, BLOCK, COUNT, next)
#define STRIDED_TYPED(K, N, T)                                                                     \
    STRIDED(K, shmem_##N##_iput, shmem_##N##_iget, shmem_ctx_##N##_iput, shmem_ctx_##N##_iget,     \
            sizeof(T))                                                                             \
    BLOCKED(K, shmem_##N##_ibput, shmem_##N##_ibget, shmem_ctx_##N##_ibput, shmem_ctx_##N##_ibget, \
            sizeof(T))
#define STRIDED_SIZED(K, B)                                                               \
    STRIDED(K, shmem_iput##B, shmem_iget##B, shmem_ctx_iput##B, shmem_ctx_iget##B, B / 8) \
    BLOCKED(K, shmem_ibput##B, shmem_ibget##B, shmem_ctx_ibput##B, shmem_ctx_ibget##B, B / 8)

// ---------------------------------------------------------------- with a signal
#define DEFINE_SIGNALLED(FN, SIZE, ...)                 \
    static bool check_##FN(void)                        \
    {                                                   \
        sig = 3;                                        \
        prepare();                                      \
        FN(__VA_ARGS__);                                \
        settle();                                       \
        return shows(prev, COUNT * (SIZE)) && sig == 8; \
    }
#define ENTRY_SIGNALLED(FN, ...) ENTRY_IN_TABLE(FN)
#define SIGNALLED(K, FN, CTX_FN, SIZE, N)                             \
    K##_SIGNALLED(FN, SIZE, D, S, N, &sig, 5, SHMEM_SIGNAL_ADD, next) \
    K##_SIGNALLED(CTX_FN, SIZE, ctx, D, S, N, &sig, 8, SHMEM_SIGNAL_SET, next)
#define SIGNALLED_TYPED(K, N, T)                                                       \
    SIGNALLED(K, shmem_##N##_put_signal, shmem_ctx_##N##_put_signal, sizeof(T), COUNT) \
    SIGNALLED(K, shmem_##N##_put_signal_nbi, shmem_ctx_##N##_put_signal_nbi, sizeof(T), COUNT)
#define SIGNALLED_SIZED(K, B)                                                    \
    SIGNALLED(K, shmem_put##B##_signal, shmem_ctx_put##B##_signal, B / 8, COUNT) \
    SIGNALLED(K, shmem_put##B##_signal_nbi, shmem_ctx_put##B##_signal_nbi, B / 8, COUNT)
#define SIGNALLED_BYTES(K)                                                       \
    SIGNALLED(K, shmem_putmem_signal, shmem_ctx_putmem_signal, 101, COUNT * 101) \
    SIGNALLED(K, shmem_putmem_signal_nbi, shmem_ctx_putmem_signal_nbi, 101, COUNT * 101)

#define DEFINE_SIGNAL(FN, RESULT, ...) \
    static bool check_##FN(void)       \
    {                                  \
        sig = 3;                       \
        pshmem_barrier_all();          \
        FN(__VA_ARGS__);               \
        settle();                      \
        return sig == (RESULT);        \
    }
#define ENTRY_SIGNAL(FN, ...) ENTRY_IN_TABLE(FN)
#define SIGNALS(K)                                           \
    K##_SIGNAL(shmem_signal_add, 10, &sig, 7, next)          \
    K##_SIGNAL(shmem_ctx_signal_add, 11, ctx, &sig, 8, next) \
    K##_SIGNAL(shmem_signal_set, 4, &sig, 4, next)           \
    K##_SIGNAL(shmem_ctx_signal_set, 5, ctx, &sig, 5, next)

static bool check_shmem_signal_fetch(void)
{
    sig = (uint64_t)turn << 40;
    return shmem_signal_fetch(&sig) == (uint64_t)turn << 40;
}

static bool check_shmem_signal_wait_until(void)
{
    sig = 0;
    pshmem_barrier_all();
    bool right = true;
    if (me == (turn + 1) % npes) {
        nap();
        pshmem_signal_set(&sig, 77, (int)(turn % npes));
    }
    if (me == turn % npes)
        right = shmem_signal_wait_until(&sig, SHMEM_CMP_GE, 70) == 77;
    pshmem_barrier_all();
    return right;
}

// ---------------------------------------------------------------- the lists
#define TYPED(K, N, T) \
    BULK_TYPED(K, N, T) SINGLE_TYPED(K, N, T) STRIDED_TYPED(K, N, T) SIGNALLED_TYPED(K, N, T)
#define SIZED(K, B) BULK_SIZED(K, B) STRIDED_SIZED(K, B) SIGNALLED_SIZED(K, B)
#define DEFINE_TYPED(N, T) TYPED(DEFINE, N, T)
#define DEFINE_SIZED(B) SIZED(DEFINE, B)
#define ENTRY_TYPED(N, T) TYPED(ENTRY, N, T)
#define ENTRY_SIZED(B) SIZED(ENTRY, B)

// clang-format off
RMA_TYPES(DEFINE_TYPED)
SIZES(DEFINE_SIZED)
BULK_BYTES(DEFINE)
SIGNALLED_BYTES(DEFINE)
SIGNALS(DEFINE)

static const check_t checks[] = {
    RMA_TYPES(ENTRY_TYPED) SIZES(ENTRY_SIZED) BULK_BYTES(ENTRY) SIGNALLED_BYTES(ENTRY)
    SIGNALS(ENTRY)
    ENTRY_IN_TABLE(shmem_signal_fetch) ENTRY_IN_TABLE(shmem_signal_wait_until)
};
// clang-format on

int main(int argc, char **argv)
{
    return every_main(argc, argv, checks, sizeof(checks) / sizeof(checks[0]));
}
