// SPDX-License-Identifier: BSD-3-Clause
//
// Names for the compiler, operating system and processor of a compilation, as clients of GASNet's
// tools test them: each PLATFORM_ name that applies is 1, the others are not defined. Causeway
// builds with GNU-compatible compilers on Linux; other names are known so far as the compiler
// defines them.
#ifndef GASNET_PORTABLE_PLATFORM_H
#define GASNET_PORTABLE_PLATFORM_H

// Open MPI's mpi.h has some of these names, too, from an old release of GASNet. Behind it they are
// defined anew; before it they stand for those of that header, which has the same values.
#if defined(OPAL_PORTABLE_PLATFORM_H)
#undef PLATFORM_COMPILER_FAMILYID
#undef PLATFORM_COMPILER_FAMILYNAME
#undef PLATFORM_COMPILER_GNU
#undef PLATFORM_COMPILER_GNU_C
#undef PLATFORM_COMPILER_GNU_CXX
#undef PLATFORM_COMPILER_UNKNOWN
#undef PLATFORM_COMPILER_VERSION
#undef PLATFORM_COMPILER_VERSION_INT
#undef PLATFORM_COMPILER_VERSION_STR
#else
#define OPAL_PORTABLE_PLATFORM_H
#endif

#define PLATFORM_STRINGIFY_(x) #x
#define PLATFORM_STRINGIFY(x) PLATFORM_STRINGIFY_(x)
#define PLATFORM_COMPILER_VERSION_INT(major, minor, patch) \
    (((major) << 16) | ((minor) << 8) | (patch))

#if defined(__clang__)
#define PLATFORM_COMPILER_CLANG 1
#define PLATFORM_COMPILER_FAMILYNAME CLANG
#define PLATFORM_COMPILER_FAMILYID 19
#define PLATFORM_COMPILER_VERSION \
    PLATFORM_COMPILER_VERSION_INT(__clang_major__, __clang_minor__, __clang_patchlevel__)
#define PLATFORM_COMPILER_VERSION_STR __clang_version__
#if defined(__cplusplus)
#define PLATFORM_COMPILER_CLANG_CXX 1
#else
#define PLATFORM_COMPILER_CLANG_C 1
#endif
#elif defined(__GNUC__)
#define PLATFORM_COMPILER_GNU 1
#define PLATFORM_COMPILER_FAMILYNAME GNU
#define PLATFORM_COMPILER_FAMILYID 1
#define PLATFORM_COMPILER_VERSION \
    PLATFORM_COMPILER_VERSION_INT(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__)
#define PLATFORM_COMPILER_VERSION_STR __VERSION__
#if defined(__cplusplus)
#define PLATFORM_COMPILER_GNU_CXX 1
#else
#define PLATFORM_COMPILER_GNU_C 1
#endif
#else
#define PLATFORM_COMPILER_UNKNOWN 1
#define PLATFORM_COMPILER_FAMILYNAME UNKNOWN
#define PLATFORM_COMPILER_FAMILYID 9999
#define PLATFORM_COMPILER_VERSION 0
#define PLATFORM_COMPILER_VERSION_STR ""
#endif
#if defined(__cplusplus)
#define PLATFORM_COMPILER_CXX_LANGUAGE 1
#define PLATFORM_COMPILER_CXX_LANGLVL __cplusplus
#define PLATFORM_COMPILER_ID (PLATFORM_COMPILER_FAMILYID + 10000)
#else
#define PLATFORM_COMPILER_C_LANGUAGE 1
#define PLATFORM_COMPILER_C_LANGLVL __STDC_VERSION__
#define PLATFORM_COMPILER_ID PLATFORM_COMPILER_FAMILYID
#endif
#define PLATFORM_COMPILER_VERSION_GT(a, b, c) \
    (PLATFORM_COMPILER_VERSION > PLATFORM_COMPILER_VERSION_INT(a, b, c))
#define PLATFORM_COMPILER_VERSION_GE(a, b, c) \
    (PLATFORM_COMPILER_VERSION >= PLATFORM_COMPILER_VERSION_INT(a, b, c))
#define PLATFORM_COMPILER_VERSION_EQ(a, b, c) \
    (PLATFORM_COMPILER_VERSION == PLATFORM_COMPILER_VERSION_INT(a, b, c))
#define PLATFORM_COMPILER_VERSION_LE(a, b, c) \
    (PLATFORM_COMPILER_VERSION <= PLATFORM_COMPILER_VERSION_INT(a, b, c))
#define PLATFORM_COMPILER_VERSION_LT(a, b, c) \
    (PLATFORM_COMPILER_VERSION < PLATFORM_COMPILER_VERSION_INT(a, b, c))

// Which compiler it is, as text.
#define PLATFORM_COMPILER_IDSTR                                     \
    "|COMPILER_FAMILY:" PLATFORM_STRINGIFY(PLATFORM_COMPILER_FAMILYNAME) \
    "|COMPILER_VERSION:" PLATFORM_COMPILER_VERSION_STR "|"

#if defined(__linux__)
#define PLATFORM_OS_LINUX 1
#define PLATFORM_OS_FAMILYNAME LINUX
#else
#define PLATFORM_OS_UNKNOWN 1
#define PLATFORM_OS_FAMILYNAME UNKNOWN
#endif

#if defined(__x86_64__)
#define PLATFORM_ARCH_X86_64 1
#define PLATFORM_ARCH_FAMILYNAME X86_64
#elif defined(__i386__)
#define PLATFORM_ARCH_X86 1
#define PLATFORM_ARCH_FAMILYNAME X86
#elif defined(__aarch64__)
#define PLATFORM_ARCH_AARCH64 1
#define PLATFORM_ARCH_FAMILYNAME AARCH64
#elif defined(__powerpc__) || defined(__powerpc64__)
#define PLATFORM_ARCH_POWERPC 1
#define PLATFORM_ARCH_FAMILYNAME POWERPC
#elif defined(__riscv)
#define PLATFORM_ARCH_RISCV 1
#define PLATFORM_ARCH_FAMILYNAME RISCV
#else
#define PLATFORM_ARCH_UNKNOWN 1
#define PLATFORM_ARCH_FAMILYNAME UNKNOWN
#endif

#if defined(__LP64__) || defined(_LP64)
#define PLATFORM_ARCH_64 1
#else
#define PLATFORM_ARCH_32 1
#endif
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define PLATFORM_ARCH_BIG_ENDIAN 1
#else
#define PLATFORM_ARCH_LITTLE_ENDIAN 1
#endif

#endif
