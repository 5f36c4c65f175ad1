// SPDX-License-Identifier: BSD-3-Clause
//
// Memory and descriptors, one of which may be refused (fault.c).
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "fault.h"
#include "wrap.h"

/** Sets errno as the call does that fails. */
static bool fails(sim_fault_t kind, int error)
{
    if (!sim_fault_hits(kind))
        return false;
    errno = error;
    return true;
}
#define NO_MEMORY fails(SIM_FAULT_MEMORY, ENOMEM)
#define NO_DESCRIPTOR fails(SIM_FAULT_DESCRIPTORS, EMFILE)

SIM_WRAPPER(void *, malloc, size_t nbytes)
{
    return NO_MEMORY ? NULL : __real_malloc(nbytes);
}

SIM_WRAPPER(void *, calloc, size_t n, size_t nbytes)
{
    return NO_MEMORY ? NULL : __real_calloc(n, nbytes);
}

SIM_WRAPPER(void *, realloc, void *block, size_t nbytes)
{
    return NO_MEMORY ? NULL : __real_realloc(block, nbytes);
}

SIM_WRAPPER(void *, aligned_alloc, size_t alignment, size_t nbytes)
{
    return NO_MEMORY ? NULL : __real_aligned_alloc(alignment, nbytes);
}

SIM_WRAPPER(char *, strdup, const char *text)
{
    return NO_MEMORY ? NULL : __real_strdup(text);
}

SIM_WRAPPER(FILE *, open_memstream, char **text, size_t *nbytes)
{
    return NO_MEMORY ? NULL : __real_open_memstream(text, nbytes);
}

SIM_WRAPPER(FILE *, fopen, const char *path, const char *mode)
{
    return NO_DESCRIPTOR || sim_hides(path) ? NULL : __real_fopen(path, mode);
}

SIM_WRAPPER(FILE *, fopen64, const char *path, const char *mode)
{
    return NO_DESCRIPTOR || sim_hides(path) ? NULL : __real_fopen64(path, mode);
}

SIM_WRAPPER(int, socket, int domain, int type, int protocol)
{
    return NO_DESCRIPTOR ? -1 : __real_socket(domain, type, protocol);
}

SIM_WRAPPER(int, eventfd, unsigned count, int flags)
{
    return NO_DESCRIPTOR ? -1 : __real_eventfd(count, flags);
}

SIM_WRAPPER(int, memfd_create, const char *name, unsigned flags)
{
    return NO_DESCRIPTOR ? -1 : __real_memfd_create(name, flags);
}

SIM_WRAPPER(int, dup, int fd)
{
    return NO_DESCRIPTOR ? -1 : __real_dup(fd);
}
