// SPDX-License-Identifier: BSD-3-Clause
//
// The helpers of a client of GASNet, written the way clients write them: a header of its own with
// names of GASNet's preprocessor, its own GASNET_Safe, polling by macros.
#ifndef GASNET_CLIENT_H
#define GASNET_CLIENT_H

#include <gasnet.h>
#include <gasnet_coll.h>
#include <gasnet_core.h>
#include <gasnet_core_fwd.h>
#include <gasnet_fwd.h>
#include <gasnet_tools.h>
#include <gasnet_vis.h>
#include <stdio.h>
#include <stdlib.h>
#if HAVE_PTHREAD_H
#include <pthread.h>
#endif

#ifndef _INCLUDED_GASNET_H
#error "gasnet.h does not say that it was included"
#endif
#if SIZEOF_VOID_P != 8 || SIZEOF_LONG != 8 || SIZEOF_INT != 4 || INT_MAX < 1
#error "sizes"
#endif
#if GASNET_RELEASE_VERSION_MAJOR < 2025
#error "release"
#endif
#if !WANTED_CONDUIT || \
    defined(GASNET_CONDUIT_SMP) + defined(GASNET_CONDUIT_UDP) + defined(GASNET_CONDUIT_OFI) != 1
#error "the conduit is not the one of the makefile fragment"
#elif GASNET_MAXEPS != (GASNET_CONDUIT_OFI ? 33 : 1)
#error "endpoints"
#endif
#ifdef SHMEM_MAJOR_VERSION
#error "a client of GASNet got an OpenSHMEM"
#endif

#define GASNET_Safe(fncall)                                                                 \
    do {                                                                                    \
        int client_rc = (fncall);                                                           \
        if (client_rc != GASNET_OK) {                                                       \
            fprintf(stderr, "%s at %s:%s: %s(%i)\n", _STRINGIFY(fncall), __FILE__,           \
                    _STRINGIFY(__LINE__), gasnet_ErrorName(client_rc), client_rc);          \
            gasnet_exit(client_rc);                                                         \
        }                                                                                   \
    } while (0)

#define MSG0(...) (gasnet_mynode() == 0 ? (void)(printf(__VA_ARGS__), fflush(stdout)) : (void)0)
#define BARRIER()                                                                           \
    do {                                                                                    \
        gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);                             \
        GASNET_Safe(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS));                  \
    } while (0)

static char client_id[] GASNETT_USED =
    "$Conduit: " GASNET_CORE_NAME_STR " " _STRINGIFY(GASNET_CORE_VERSION) " $";

GASNETT_THREADKEY_DEFINE(client_thread);

#endif
