// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet on Causeway: versions, the configuration, and the limits that a preprocessor may test.
// See gasnet(3).
#ifndef GASNET_CONFIG_H
#define GASNET_CONFIG_H

#include <limits.h>
#include <stdint.h>

#define GASNET_SPEC_VERSION_MAJOR 1
#define GASNET_SPEC_VERSION_MINOR 8
#define GASNET_VERSION GASNET_SPEC_VERSION_MAJOR
// The release whose interface this is, by which clients know what they may call. (GASNET_CAUSEWAY:
// the library that implements it.)
#ifndef GASNET_RELEASE_VERSION_MAJOR
#define GASNET_RELEASE_VERSION_MAJOR 2025
#define GASNET_RELEASE_VERSION_MINOR 8
#define GASNET_RELEASE_VERSION_PATCH 0
#endif
#define GASNET_CAUSEWAY 1

// The conduit is that of the include path, which the makefile fragments set; without one it is ofi.
#if __has_include(<gasnet_core_fwd.h>)
#include <gasnet_core_fwd.h>
#else
#include "ofi-conduit/gasnet_core_fwd.h"
#endif
#define GASNET_CONDUIT_NAME GASNET_CORE_NAME
#define GASNET_CONDUIT_NAME_STR GASNET_CORE_NAME_STR

#define GASNET_NDEBUG 1          // arguments are checked where CAUSEWAY_CHECK=1 is set
#define GASNET_PSHM 1            // nodes of one host reach each other by load and store
#define GASNET_NULL_ARGV_OK 1    // gasnet_init(NULL, NULL) and its like
#define GASNET_ALIGNED_SEGMENTS 0
#define GASNET_MAXNODES 0x7fffffff
#define GASNET_HIDDEN_AM_CONCURRENCY_LEVEL 0  // handlers run in threads of the program only

#if defined(__x86_64__) || defined(__i386__)
#define GASNET_PAGESIZE 4096
#else
#define GASNET_PAGESIZE 65536
#endif

#if UINTPTR_MAX == 0xffffffffffffffffu
#define SIZEOF_GASNET_REGISTER_VALUE_T 8
#else
#define SIZEOF_GASNET_REGISTER_VALUE_T 4
#endif

// ------------------------------------- what clients take from these headers besides the interface
#include "causeway/gasnet-names.h"

// ---------------------------------------------------------------- what this program chose
#if !defined(GASNET_SEQ) && !defined(GASNET_PAR) && !defined(GASNET_PARSYNC)
#error "define one of GASNET_SEQ, GASNET_PAR and GASNET_PARSYNC before gasnet.h is included"
#elif defined(GASNET_SEQ) + defined(GASNET_PAR) + defined(GASNET_PARSYNC) != 1
#error "define only one of GASNET_SEQ, GASNET_PAR and GASNET_PARSYNC"
#elif defined(GASNET_SEQ)
#define GASNET_CAUSEWAY_THREADS 1
#define GASNET_CAUSEWAY_THREADS_NAME "SEQ"
#elif defined(GASNET_PARSYNC)
#define GASNET_CAUSEWAY_THREADS 2
#define GASNET_CAUSEWAY_THREADS_NAME "PARSYNC"
#else
#define GASNET_CAUSEWAY_THREADS 3
#define GASNET_CAUSEWAY_THREADS_NAME "PAR"
#endif

#if defined(GASNET_SEGMENT_FAST) + defined(GASNET_SEGMENT_LARGE) + \
        defined(GASNET_SEGMENT_EVERYTHING) >                       \
    1
#error "define only one of GASNET_SEGMENT_FAST, GASNET_SEGMENT_LARGE and GASNET_SEGMENT_EVERYTHING"
#elif defined(GASNET_SEGMENT_LARGE)
#define GASNET_CAUSEWAY_SEGMENT 2
#define GASNET_CAUSEWAY_SEGMENT_NAME "LARGE"
#elif defined(GASNET_SEGMENT_EVERYTHING)
#define GASNET_CAUSEWAY_SEGMENT 3
#define GASNET_CAUSEWAY_SEGMENT_NAME "EVERYTHING"
#else
#ifndef GASNET_SEGMENT_FAST
#define GASNET_SEGMENT_FAST 1
#endif
#define GASNET_CAUSEWAY_SEGMENT 1
#define GASNET_CAUSEWAY_SEGMENT_NAME "FAST"
#endif

// Threads that may use the library at a time. There is no limit; clients size tables and segments
// by it, so it is that of GASNet's own default.
#ifdef GASNET_SEQ
#define GASNETI_MAX_THREADS 1
#else
#define GASNETI_MAX_THREADS 256
#endif

#define GASNET_CAUSEWAY_MODE (GASNET_CAUSEWAY_THREADS * 16 + GASNET_CAUSEWAY_SEGMENT)

// The library holds one such string for each configuration.
#define GASNET_CONFIG_STRING                                                    \
    "Causeway GASNet 1.8,CONDUIT=OFI,THREADMODEL=" GASNET_CAUSEWAY_THREADS_NAME \
    ",SEGMENT=" GASNET_CAUSEWAY_SEGMENT_NAME

#endif
