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
#ifndef SIZEOF_VOID_P
#define SIZEOF_CHAR 1
#define SIZEOF_SHORT __SIZEOF_SHORT__
#define SIZEOF_INT __SIZEOF_INT__
#define SIZEOF_LONG __SIZEOF_LONG__
#define SIZEOF_LONG_LONG __SIZEOF_LONG_LONG__
#define SIZEOF_VOID_P __SIZEOF_POINTER__
#define SIZEOF_SIZE_T __SIZEOF_SIZE_T__
#define SIZEOF_PTRDIFF_T __SIZEOF_PTRDIFF_T__
#endif

#ifndef PRIuSZ
#define PRIdSZ "zd"
#define PRIiSZ "zi"
#define PRIuSZ "zu"
#define PRIoSZ "zo"
#define PRIxSZ "zx"
#define PRIXSZ "zX"
#endif

#endif
