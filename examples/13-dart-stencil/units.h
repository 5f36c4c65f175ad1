// SPDX-License-Identifier: BSD-3-Clause
//
// Shared by the examples on DART: begin, this unit's memory, the time, ends by an error.
#ifndef UNITS_H
#define UNITS_H

#include <dash/dart/if/dart.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../number.h"

static int me, nunits;

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Ends all units if the call has failed.
static inline void must(dart_ret_t rc, const char *call)
{
    if (rc == DART_OK)
        return;
    fprintf(stderr, "FAILED: %s gives error %d on unit %d\n", call, (int)rc, me);
    dart_abort(EXIT_FAILURE);
}

static inline void begin(int *argc, char ***argv)
{
    dart_global_unit_t id;
    size_t size;
    must(dart_init(argc, argv), "dart_init");
    must(dart_myid(&id), "dart_myid");
    must(dart_size(&size), "dart_size");
    me = id.id;
    nunits = (int)size;
}

// A segment of all units; *own_p: this unit's part of it. Collective.
static inline dart_gptr_t allocate(size_t nelem, dart_datatype_t type, void **own_p)
{
    dart_gptr_t gptr, own;
    must(dart_team_memalloc_aligned(DART_TEAM_ALL, nelem, type, &gptr),
         "dart_team_memalloc_aligned");
    own = gptr;
    dart_gptr_setunit(&own, DART_TEAM_UNIT_ID(me));
    must(dart_gptr_getaddr(own, own_p), "dart_gptr_getaddr");
    return gptr;
}

static inline uint64_t sum_of_all(uint64_t mine)
{
    uint64_t all = 0;
    must(dart_allreduce(&mine, &all, 1, DART_TYPE_ULONGLONG, DART_OP_SUM, DART_TEAM_ALL),
         "dart_allreduce");
    return all;
}

// Frees the segment and leaves; only unit 0 knows the number of errors. Returns the exit status.
static inline int finish(dart_gptr_t gptr, uint64_t errors)
{
    must(dart_bcast(&errors, 1, DART_TYPE_ULONGLONG, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL),
         "dart_bcast");
    must(dart_team_memfree(gptr), "dart_team_memfree");
    must(dart_exit(), "dart_exit");
    return errors ? EXIT_FAILURE : EXIT_SUCCESS;
}

// Wrong arguments.
static inline int refuse(const char *usage)
{
    if (me == 0)
        fprintf(stderr, "usage: %s\n", usage);
    dart_exit();
    return EXIT_FAILURE;
}

#endif
