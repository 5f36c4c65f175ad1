/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What causeway/device.h needs of a language: the place of a thread, barriers, and loads, stores,
 * fences and atomics that all processors and devices of the machine take part in (system scope).
 *
 *   CUDA   by instructions of PTX, so that no header of a toolkit is needed (sm_70 and later)
 *   HIP    by clang's builtins
 *   C      on a processor; a thread is a block of its own, unless the macros below say otherwise
 *
 * Without a mark, an access is relaxed; _acq and _rel acquire and release. */
#ifndef CAUSEWAY_DEVICE_DIALECT_H
#define CAUSEWAY_DEVICE_DIALECT_H

#include <stdint.h>

#if defined(__CUDA__) || defined(__CUDACC__)
#define CWD_FN static inline __attribute__((device, always_inline, unused))
#define CWD_CUDA 1
#define CWD_WARP 32u
#elif defined(__HIP__)
#define CWD_FN static inline __attribute__((device, always_inline, unused))
#define CWD_HIP 1
#if defined(__AMDGCN_WAVEFRONT_SIZE)
#define CWD_WARP ((unsigned)__AMDGCN_WAVEFRONT_SIZE)
#else
#define CWD_WARP 64u
#endif
#else
#define CWD_FN static __inline__ __attribute__((unused))
#ifndef CWD_WARP
#define CWD_WARP 32u
#endif
#endif

/* ---- words */
#if defined(CWD_CUDA)
#define CWD_LOAD_BY(name, bits, reg, ptx)                                                         \
    CWD_FN uint##bits##_t cwd_##name##bits(const void *p)                                         \
    {                                                                                             \
        uint##bits##_t v;                                                                         \
        __asm__ volatile("ld." ptx ".sys.u" #bits " %0, [%1];" : "=" reg(v) : "l"(p) : "memory"); \
        return v;                                                                                 \
    }
CWD_LOAD_BY(load, 32, "r", "relaxed")
CWD_LOAD_BY(load, 64, "l", "relaxed")
CWD_LOAD_BY(load_acq, 32, "r", "acquire")
CWD_LOAD_BY(load_acq, 64, "l", "acquire")

#define CWD_STORE_BY(name, bits, reg, ptx)                                                     \
    CWD_FN void cwd_##name##bits(void *p, uint##bits##_t v)                                    \
    {                                                                                          \
        __asm__ volatile("st." ptx ".sys.u" #bits " [%0], %1;" : : "l"(p), reg(v) : "memory"); \
    }
CWD_STORE_BY(store, 32, "r", "relaxed")
CWD_STORE_BY(store, 64, "l", "relaxed")
CWD_STORE_BY(store_rel, 32, "r", "release")
CWD_STORE_BY(store_rel, 64, "l", "release")

#define CWD_ATOM_BY(name, bits, reg, ptx)                                  \
    CWD_FN uint##bits##_t cwd_atom_##name##bits(void *p, uint##bits##_t v) \
    {                                                                      \
        uint##bits##_t old;                                                \
        __asm__ volatile("atom.acq_rel.sys." ptx #bits " %0, [%1], %2;"    \
                         : "=" reg(old)                                    \
                         : "l"(p), reg(v)                                  \
                         : "memory");                                      \
        return old;                                                        \
    }
#define CWD_ATOMS_OF(bits, reg)          \
    CWD_ATOM_BY(add, bits, reg, "add.u") \
    CWD_ATOM_BY(and, bits, reg, "and.b") \
    CWD_ATOM_BY(or, bits, reg, "or.b")   \
    CWD_ATOM_BY(xor, bits, reg, "xor.b") \
    CWD_ATOM_BY(swap, bits, reg, "exch.b")
CWD_ATOMS_OF(32, "r")
CWD_ATOMS_OF(64, "l")

#define CWD_CSWAP_BY(bits, reg)                                                                 \
    CWD_FN uint##bits##_t cwd_atom_cswap##bits(void *p, uint##bits##_t from, uint##bits##_t to) \
    {                                                                                           \
        uint##bits##_t old;                                                                     \
        __asm__ volatile("atom.acq_rel.sys.cas.b" #bits " %0, [%1], %2, %3;"                    \
                         : "=" reg(old)                                                         \
                         : "l"(p), reg(from), reg(to)                                           \
                         : "memory");                                                           \
        return old;                                                                             \
    }
CWD_CSWAP_BY(32, "r")
CWD_CSWAP_BY(64, "l")

#else /* HIP and C */
#if defined(CWD_HIP)
#define CWD_ORDER(order) __ATOMIC_##order, __HIP_MEMORY_SCOPE_SYSTEM
#define CWD_BUILTIN(name) __hip_atomic_##name
#define CWD_BUILTIN_N(name) __hip_atomic_##name
#define CWD_ATOMIC_AT(p) ((void)0)
#else
#define CWD_ORDER(order) __ATOMIC_##order
#define CWD_BUILTIN(name) __atomic_##name
#define CWD_BUILTIN_N(name) __atomic_##name##_n
#ifndef CWD_ATOMIC_AT
#define CWD_ATOMIC_AT(p) ((void)0) /* a test looks where atomics go */
#endif
#endif

#define CWD_WORDS_OF(bits)                                                         \
    CWD_FN uint##bits##_t cwd_load##bits(const void *p)                            \
    {                                                                              \
        return CWD_BUILTIN_N(load)((const uint##bits##_t *)p, CWD_ORDER(RELAXED)); \
    }                                                                              \
    CWD_FN uint##bits##_t cwd_load_acq##bits(const void *p)                        \
    {                                                                              \
        return CWD_BUILTIN_N(load)((const uint##bits##_t *)p, CWD_ORDER(ACQUIRE)); \
    }                                                                              \
    CWD_FN void cwd_store##bits(void *p, uint##bits##_t v)                         \
    {                                                                              \
        CWD_BUILTIN_N(store)((uint##bits##_t *)p, v, CWD_ORDER(RELAXED));          \
    }                                                                              \
    CWD_FN void cwd_store_rel##bits(void *p, uint##bits##_t v)                     \
    {                                                                              \
        CWD_BUILTIN_N(store)((uint##bits##_t *)p, v, CWD_ORDER(RELEASE));          \
    }
CWD_WORDS_OF(32)
CWD_WORDS_OF(64)

#define CWD_ATOM_BY(bits, name, builtin)                                   \
    CWD_FN uint##bits##_t cwd_atom_##name##bits(void *p, uint##bits##_t v) \
    {                                                                      \
        CWD_ATOMIC_AT(p);                                                  \
        return builtin((uint##bits##_t *)p, v, CWD_ORDER(ACQ_REL));        \
    }
#define CWD_ATOMS_OF(bits)                           \
    CWD_ATOM_BY(bits, add, CWD_BUILTIN(fetch_add))   \
    CWD_ATOM_BY(bits, and, CWD_BUILTIN(fetch_and))   \
    CWD_ATOM_BY(bits, or, CWD_BUILTIN(fetch_or))     \
    CWD_ATOM_BY(bits, xor, CWD_BUILTIN(fetch_xor))   \
    CWD_ATOM_BY(bits, swap, CWD_BUILTIN_N(exchange)) \
    CWD_FN uint##bits##_t cwd_atom_cswap##bits(void *p, uint##bits##_t from, uint##bits##_t to)
CWD_ATOMS_OF(32)
{
    CWD_ATOMIC_AT(p);
#if defined(CWD_HIP)
    __hip_atomic_compare_exchange_strong((uint32_t *)p, &from, to, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM);
#else
    __atomic_compare_exchange_n((uint32_t *)p, &from, to, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
#endif
    return from;
}
CWD_ATOMS_OF(64)
{
    CWD_ATOMIC_AT(p);
#if defined(CWD_HIP)
    __hip_atomic_compare_exchange_strong((uint64_t *)p, &from, to, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM);
#else
    __atomic_compare_exchange_n((uint64_t *)p, &from, to, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
#endif
    return from;
}
#endif

/* ---- units of copies */
typedef uint64_t __attribute__((may_alias)) cwd_u64_t;
typedef uint32_t __attribute__((may_alias)) cwd_u32_t;
typedef uint16_t __attribute__((may_alias)) cwd_u16_t;

CWD_FN void cwd_copy16(uint64_t to, uint64_t from)
{
#if defined(CWD_CUDA)
    uint64_t a, b;
    __asm__ volatile("ld.v2.u64 {%0, %1}, [%2];" : "=l"(a), "=l"(b) : "l"(from) : "memory");
    __asm__ volatile("st.v2.u64 [%0], {%1, %2};" : : "l"(to), "l"(a), "l"(b) : "memory");
#else
    cwd_u64_t *t = (cwd_u64_t *)(uintptr_t)to;
    const cwd_u64_t *f = (const cwd_u64_t *)(uintptr_t)from;
    t[0] = f[0];
    t[1] = f[1];
#endif
}

/* ---- fences, places, barriers */
#if defined(CWD_CUDA)
#define CWD_SPECIAL(name, ptx)                                \
    CWD_FN unsigned cwd_##name(void)                          \
    {                                                         \
        unsigned v;                                           \
        __asm__ volatile("mov.u32 %0, %%" ptx ";" : "=r"(v)); \
        return v;                                             \
    }
CWD_SPECIAL(tid_x, "tid.x")
CWD_SPECIAL(tid_y, "tid.y")
CWD_SPECIAL(tid_z, "tid.z")
CWD_SPECIAL(ntid_x, "ntid.x")
CWD_SPECIAL(ntid_y, "ntid.y")
CWD_SPECIAL(ntid_z, "ntid.z")

CWD_FN void cwd_fence_system(void)
{
    __asm__ volatile("fence.sc.sys;" : : : "memory");
}
CWD_FN void cwd_block_sync(void)
{
    __asm__ volatile("barrier.sync 0;" : : : "memory");
}
CWD_FN void cwd_warp_sync(void)
{
    __asm__ volatile("bar.warp.sync 0xffffffff;" : : : "memory");
}
CWD_FN void cwd_pause(void)
{
    __asm__ volatile("nanosleep.u32 100;" : : : "memory");
}
#elif defined(CWD_HIP)
CWD_FN unsigned cwd_tid_x(void)
{
    return __builtin_amdgcn_workitem_id_x();
}
CWD_FN unsigned cwd_tid_y(void)
{
    return __builtin_amdgcn_workitem_id_y();
}
CWD_FN unsigned cwd_tid_z(void)
{
    return __builtin_amdgcn_workitem_id_z();
}
CWD_FN unsigned cwd_ntid_x(void)
{
    return __builtin_amdgcn_workgroup_size_x();
}
CWD_FN unsigned cwd_ntid_y(void)
{
    return __builtin_amdgcn_workgroup_size_y();
}
CWD_FN unsigned cwd_ntid_z(void)
{
    return __builtin_amdgcn_workgroup_size_z();
}
CWD_FN void cwd_fence_system(void)
{
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
}
CWD_FN void cwd_block_sync(void)
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
CWD_FN void cwd_warp_sync(void)
{
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
}
CWD_FN void cwd_pause(void)
{
    __builtin_amdgcn_s_sleep(2);
}
#else
CWD_FN void cwd_fence_system(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
#ifndef CWD_THREAD /* of the block, how many it has, its barriers */
#define CWD_THREAD() 0u
#define CWD_THREADS() 1u
#define CWD_BLOCK_SYNC() ((void)0)
#define CWD_WARP_SYNC() ((void)0)
#define CWD_PAUSE() ((void)0)
#endif
CWD_FN void cwd_block_sync(void)
{
    CWD_BLOCK_SYNC();
}
CWD_FN void cwd_warp_sync(void)
{
    CWD_WARP_SYNC();
}
CWD_FN void cwd_pause(void)
{
    CWD_PAUSE();
}
#endif

#ifndef CWD_THREAD
#define CWD_THREAD() (cwd_tid_x() + cwd_ntid_x() * (cwd_tid_y() + cwd_ntid_y() * cwd_tid_z()))
#define CWD_THREADS() (cwd_ntid_x() * cwd_ntid_y() * cwd_ntid_z())
#endif

/* A thread's place in its group: a thread alone, its warp, its block. */
CWD_FN unsigned cwd_warp_thread(void)
{
    return CWD_THREAD() % CWD_WARP;
}
CWD_FN unsigned cwd_warp_threads(void)
{
    unsigned left = CWD_THREADS() - (CWD_THREAD() - cwd_warp_thread());
    return left < CWD_WARP ? left : CWD_WARP;
}

#endif
