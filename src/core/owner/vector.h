// SPDX-License-Identifier: BSD-3-Clause
//
// Vector, indexed and strided transfers in owner's addresses: remote and local lists of regions, of
// one total length, whose bytes pair off in order. Contiguous pieces are copied within the node; to
// another node each is a put or get, small ones packed; one synchronization completes them all.
// Threads: any. Blocking: cw_vector_blocking, and for room to send.
#ifndef CW_OWNER_VECTOR_H
#define CW_OWNER_VECTOR_H

#include "base/copy/section.h"
#include "core/owner/handle.h"
#include "core/owner/owner.h"

enum { CW_VECTOR_MAX_LEVELS = CWU_SECTION_LEVELS };  // of strided lists

typedef struct cw_region {
    void *addr;
    size_t len;
} cw_region_t;

/** Regions one after the other. */
typedef struct cw_vector_list {
    const cw_region_t *regions;     // or
    void *const *addresses;         // all of len bytes; or
    char *base;                     // a strided section
    const size_t *strides, *count;  // [levels]; strides may stand for negative numbers
    size_t levels;
    size_t n, len;  // regions; bytes of each (not of `regions`)
} cw_vector_list_t;

// Lists are made in place, member by member: a copy would wait for these stores.
static inline void cw_vector_regions(cw_vector_list_t *list, size_t n, const cw_region_t *regions)
{
    list->regions = regions;
    list->addresses = NULL;
    list->base = NULL;
    list->levels = 0;
    list->n = n;
    list->len = 0;
}

static inline void cw_vector_indexed(cw_vector_list_t *list, size_t n, void *const *addresses,
                                     size_t len)
{
    list->regions = NULL;
    list->addresses = addresses;
    list->base = NULL;
    list->levels = 0;
    list->n = len ? n : 0;
    list->len = len;
}

/** At most CW_VECTOR_MAX_LEVELS levels; nbytes: of each region. */
static inline void cw_vector_strided(cw_vector_list_t *list, void *base, const size_t *strides,
                                     size_t nbytes, const size_t *count, size_t levels)
{
    list->regions = NULL;
    list->addresses = NULL;
    list->base = base;
    list->strides = strides;
    list->count = count;
    list->levels = levels;
    list->n = nbytes > 0;
    list->len = nbytes;
    for (size_t i = 0; i < levels; i++)
        list->n *= count[i];
}

size_t cw_vector_total(const cw_vector_list_t *list);

typedef struct cw_vector_walk {
    const cw_vector_list_t *list;
    size_t at;                           // next region
    size_t index[CW_VECTOR_MAX_LEVELS];  // of a strided section
} cw_vector_walk_t;

void cw_vector_begin(cw_vector_walk_t *walk, const cw_vector_list_t *list);
/** False: no region is left. */
bool cw_vector_next(cw_vector_walk_t *walk, char **addr_p, size_t *nbytes_p);

struct cw_rows;

typedef struct cw_vector {
    cw_owner_t *owner;
    const char *call;
    uint32_t pe;
    bool put;
    bool by_owner;  // the owner copies what mapping and network do not reach
    cw_vector_list_t remote, local;
} cw_vector_t;

/** Lists are of one kind (strided: the same counts) and total length; their addresses are
 *  checked. */
void cw_vector_blocking(const cw_vector_t *v);
cw_handle_t cw_vector_explicit(const cw_vector_t *v);
void cw_vector_implicit(const cw_vector_t *v);

/** For other memory: what pairs off, as rows of owner's addresses and of this process's. */
void cw_vector_rows(const cw_vector_t *v, void (*move)(void *data, const struct cw_rows *rows),
                    void *data);

#endif
