// SPDX-License-Identifier: BSD-3-Clause
//
// Names that headers of GASNet always gave and that its clients use, though they are no part of its
// interface: results of its configuration and helpers of its preprocessor. Each gives way to a
// definition of the client that comes first.
#ifndef CAUSEWAY_GASNET_NAMES_H
#define CAUSEWAY_GASNET_NAMES_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#ifndef GASNET_CAUSEWAY_LIBRARY
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/param.h>
#include <sys/types.h>
#include <unistd.h>
#if defined(GASNET_PAR) || defined(GASNET_PARSYNC)
#include <pthread.h>
#endif
#endif

#ifndef _STRINGIFY
#define _STRINGIFY_HELPER(x) #x
#define _STRINGIFY(x) _STRINGIFY_HELPER(x)
#endif
#ifndef _CONCAT
#define _CONCAT_HELPER(a, b) a##b
#define _CONCAT(a, b) _CONCAT_HELPER(a, b)
#endif

#ifndef HAVE_PTHREAD_H
#define HAVE_PTHREAD_H 1
#endif
// Each by itself: a configuration of the client's may have some.
#ifndef HAVE_ALLOCA_H
#define HAVE_ALLOCA_H 1
#endif
#ifndef HAVE_CLOCK_GETTIME
#define HAVE_CLOCK_GETTIME 1
#endif
#ifndef HAVE_EXECINFO_H
#define HAVE_EXECINFO_H 1
#endif
#ifndef HAVE_FORK
#define HAVE_FORK 1
#endif
#ifndef HAVE_INTTYPES_H
#define HAVE_INTTYPES_H 1
#endif
#ifndef HAVE_MALLOC_H
#define HAVE_MALLOC_H 1
#endif
#ifndef HAVE_MEMORY_H
#define HAVE_MEMORY_H 1
#endif
#ifndef HAVE_MMAP
#define HAVE_MMAP 1
#endif
#ifndef HAVE_NANOSLEEP
#define HAVE_NANOSLEEP 1
#endif
#ifndef HAVE_POPEN
#define HAVE_POPEN 1
#endif
#ifndef HAVE_POSIX_MEMALIGN
#define HAVE_POSIX_MEMALIGN 1
#endif
#ifndef HAVE_PTHREAD_KILL
#define HAVE_PTHREAD_KILL 1
#endif
#ifndef HAVE_PTHREAD_SETCONCURRENCY
#define HAVE_PTHREAD_SETCONCURRENCY 1
#endif
#ifndef HAVE_PTHREAD_SIGMASK
#define HAVE_PTHREAD_SIGMASK 1
#endif
#ifndef HAVE_PUTENV
#define HAVE_PUTENV 1
#endif
#ifndef HAVE_SCHED_YIELD
#define HAVE_SCHED_YIELD 1
#endif
#ifndef HAVE_SETENV
#define HAVE_SETENV 1
#endif
#ifndef HAVE_SIGPROCMASK
#define HAVE_SIGPROCMASK 1
#endif
#ifndef HAVE_STDDEF_H
#define HAVE_STDDEF_H 1
#endif
#ifndef HAVE_STDINT_H
#define HAVE_STDINT_H 1
#endif
#ifndef HAVE_STDLIB_H
#define HAVE_STDLIB_H 1
#endif
#ifndef HAVE_STRINGS_H
#define HAVE_STRINGS_H 1
#endif
#ifndef HAVE_STRING_H
#define HAVE_STRING_H 1
#endif
#ifndef HAVE_SYS_PARAM_H
#define HAVE_SYS_PARAM_H 1
#endif
#ifndef HAVE_SYS_RESOURCE_H
#define HAVE_SYS_RESOURCE_H 1
#endif
#ifndef HAVE_SYS_SOCKET_H
#define HAVE_SYS_SOCKET_H 1
#endif
#ifndef HAVE_SYS_STAT_H
#define HAVE_SYS_STAT_H 1
#endif
#ifndef HAVE_SYS_TYPES_H
#define HAVE_SYS_TYPES_H 1
#endif
#ifndef HAVE_UCONTEXT_H
#define HAVE_UCONTEXT_H 1
#endif
#ifndef HAVE_UNISTD_H
#define HAVE_UNISTD_H 1
#endif
#ifndef HAVE_UNSETENV
#define HAVE_UNSETENV 1
#endif
#ifndef HAVE_USLEEP
#define HAVE_USLEEP 1
#endif
#ifndef STDC_HEADERS
#define STDC_HEADERS 1
#endif
#ifndef SIZEOF_VOID_P
#define SIZEOF_CHAR 1
#define SIZEOF_SHORT __SIZEOF_SHORT__
#define SIZEOF_INT __SIZEOF_INT__
#define SIZEOF_LONG __SIZEOF_LONG__
#define SIZEOF_LONG_LONG __SIZEOF_LONG_LONG__
#define SIZEOF_VOID_P __SIZEOF_POINTER__
#define SIZEOF_SIZE_T __SIZEOF_SIZE_T__
#define SIZEOF_PTRDIFF_T __SIZEOF_PTRDIFF_T__
#define SIZEOF_FLOAT __SIZEOF_FLOAT__
#define SIZEOF_DOUBLE __SIZEOF_DOUBLE__
#define SIZEOF_LONG_DOUBLE __SIZEOF_LONG_DOUBLE__
#endif

#ifndef PRIuSZ
#define PRIdSZ "zd"
#define PRIiSZ "zi"
#define PRIuSZ "zu"
#define PRIoSZ "zo"
#define PRIxSZ "zx"
#define PRIXSZ "zX"
#endif
#ifndef PRIuPD
#define PRIdPD "td"
#define PRIiPD "ti"
#define PRIuPD "tu"
#define PRIoPD "to"
#define PRIxPD "tx"
#define PRIXPD "tX"
#endif

#endif
