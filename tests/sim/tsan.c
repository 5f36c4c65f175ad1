// SPDX-License-Identifier: BSD-3-Clause
//
// What the compiler calls under -fsanitize=thread: the simulator's in place of libtsan's. Each
// atomic access, and each plain one of memory that is not the thread's own stack, is a scheduling
// point.
#include "exhaust.h"
#include "model.h"
#include "sites.h"

#define HOOK __attribute__((visibility("default")))

void __tsan_init(void) HOOK;
void __tsan_init(void)
{
}

// ---------------------------------------------------------------- stacks

void __tsan_func_entry(void *caller) HOOK;
void __tsan_func_entry(void *caller)
{
    if (!sim_inside())
        return;
    sim_thread_t *me = SIM_ME;
    sim_sites_pass(caller);
    if (me->depth < SIM_FRAMES)
        me->stack[me->depth] = caller;
    me->depth++;
}

void __tsan_func_exit(void) HOOK;
void __tsan_func_exit(void)
{
    if (sim_inside() && SIM_ME->depth > 0)
        SIM_ME->depth--;
}

// ---------------------------------------------------------------- plain accesses

#define ALWAYS __attribute__((always_inline)) static inline

ALWAYS void here(const volatile void *at, size_t nbytes, bool writes)
{
    SIM_ME->at = __builtin_return_address(0);
    sim_point_at((const void *)at, nbytes, writes);
}

/** The same for an atomic: its memory order, which an option may weaken. */
ALWAYS int atomic_here(const volatile void *at, size_t nbytes, bool writes, int order)
{
    sim_sites_pass(__builtin_return_address(0));
    here(at, nbytes, writes);
    return sim_sites_order(__builtin_return_address(0), order);
}

ALWAYS bool is_shared(const void *at)
{
    return sim_inside() && !sim_on_stack(at);
}

ALWAYS void reads(const void *at, size_t nbytes)
{
    if (!is_shared(at))
        return;
    here(at, nbytes, false);
    if (sim->model != SIM_SC)
        sim_plain_read(at, nbytes);
}

ALWAYS void writes(void *at, size_t nbytes)
{
    if (!is_shared(at))
        return;
    here(at, nbytes, true);
    if (sim->model != SIM_SC)
        sim_plain_write(at, nbytes);
}

#define PLAIN(n)                                   \
    void __tsan_read##n(void *at) HOOK;            \
    void __tsan_read##n(void *at)                  \
    {                                              \
        reads(at, n);                              \
    }                                              \
    void __tsan_write##n(void *at) HOOK;           \
    void __tsan_write##n(void *at)                 \
    {                                              \
        writes(at, n);                             \
    }                                              \
    void __tsan_unaligned_read##n(void *at) HOOK;  \
    void __tsan_unaligned_read##n(void *at)        \
    {                                              \
        reads(at, n);                              \
    }                                              \
    void __tsan_unaligned_write##n(void *at) HOOK; \
    void __tsan_unaligned_write##n(void *at)       \
    {                                              \
        writes(at, n);                             \
    }                                              \
    void __tsan_volatile_read##n(void *at) HOOK;   \
    void __tsan_volatile_read##n(void *at)         \
    {                                              \
        reads(at, n);                              \
    }                                              \
    void __tsan_volatile_write##n(void *at) HOOK;  \
    void __tsan_volatile_write##n(void *at)        \
    {                                              \
        writes(at, n);                             \
    }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void __tsan_read_range(void *at, unsigned long nbytes) HOOK;
void __tsan_read_range(void *at, unsigned long nbytes)
{
    reads(at, nbytes);
}

void __tsan_write_range(void *at, unsigned long nbytes) HOOK;
void __tsan_write_range(void *at, unsigned long nbytes)
{
    writes(at, nbytes);
}

// ---------------------------------------------------------------- atomics
//
// Outside of a run (the driver, a process before its start and after its end) they are the
// machine's own.

#define HERE(bits, writes) atomic_here(at, bits / 8, writes, order)
#define FETCH(bits, name, op, builtin)                                                         \
    uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *at, uint##bits##_t v, \
                                                int order) HOOK;                               \
    uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *at, uint##bits##_t v, \
                                                int order)                                     \
    {                                                                                          \
        if (!sim_inside())                                                                     \
            return builtin(at, v, __ATOMIC_SEQ_CST);                                           \
        return (uint##bits##_t)sim_rmw(at, bits / 8, op, v, HERE(bits, true));               \
    }
#define ATOMIC(bits)                                                                              \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *at, int order) HOOK; \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *at, int order)       \
    {                                                                                             \
        if (!sim_inside())                                                                        \
            return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                         \
        return (uint##bits##_t)sim_load(at, bits / 8, HERE(bits, false));                        \
    }                                                                                             \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *at, uint##bits##_t v, int order)    \
        HOOK;                                                                                     \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *at, uint##bits##_t v, int order)    \
    {                                                                                             \
        if (!sim_inside()) {                                                                      \
            __atomic_store_n(at, v, __ATOMIC_SEQ_CST);                                            \
            return;                                                                               \
        }                                                                                         \
        sim_store(at, bits / 8, v, HERE(bits, true));                                           \
    }                                                                                             \
    FETCH(bits, exchange, SIM_SWAP, __atomic_exchange_n)                                          \
    FETCH(bits, fetch_add, SIM_ADD, __atomic_fetch_add)                                           \
    FETCH(bits, fetch_sub, SIM_SUB, __atomic_fetch_sub)                                           \
    FETCH(bits, fetch_and, SIM_AND, __atomic_fetch_and)                                           \
    FETCH(bits, fetch_or, SIM_OR, __atomic_fetch_or)                                              \
    FETCH(bits, fetch_xor, SIM_XOR, __atomic_fetch_xor)                                           \
    FETCH(bits, fetch_nand, SIM_NAND, __atomic_fetch_nand)                                        \
    CAS(bits, strong)                                                                             \
    CAS(bits, weak)
#define CAS(bits, how)                                                                           \
    int __tsan_atomic##bits##_compare_exchange_##how(volatile uint##bits##_t *at,                \
                                                     uint##bits##_t *expected, uint##bits##_t v, \
                                                     int order, int on_failure) HOOK;            \
    int __tsan_atomic##bits##_compare_exchange_##how(volatile uint##bits##_t *at,                \
                                                     uint##bits##_t *expected, uint##bits##_t v, \
                                                     int order, int on_failure)                  \
    {                                                                                            \
        if (!sim_inside())                                                                       \
            return __atomic_compare_exchange_n(at, expected, v, 0, __ATOMIC_SEQ_CST,             \
                                               __ATOMIC_SEQ_CST);                                \
        order = HERE(bits, true);                                                              \
        uint64_t old = *expected;                                                                \
        bool done = sim_cas(at, bits / 8, &old, v, order, on_failure);                           \
        *expected = (uint##bits##_t)old;                                                         \
        return done;                                                                             \
    }
ATOMIC(8)
ATOMIC(16)
ATOMIC(32)
ATOMIC(64)

void __tsan_atomic_thread_fence(int order) HOOK;
void __tsan_atomic_thread_fence(int order)
{
    if (!sim_inside()) {
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        return;
    }
    sim_fence(atomic_here(NULL, 0, false, order));
}

void __tsan_atomic_signal_fence(int order) HOOK;
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}
