// SPDX-License-Identifier: BSD-3-Clause
//
// Allocation: coarrays and their aliases, and memory of one image.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "caf/gone.h"
#include "caf/prif/prf.h"
#include "caf/section.h"

/** The program's procedure that ends what is in a coarray. */
typedef void cleanup_fn(prf_coarray_t *handle);

typedef struct prf_whole {
    prf_coarray_t *first;    // the handle that its allocation gave
    prf_coarray_t *aliases;  // of it, the last one first
    cleanup_fn *cleanup;     // NULL: none
    void *context;           // the compiler's
} prf_whole_t;

/** What handles lead to whose coarray has been deallocated: no byte of it is there. */
static caf_coarray_t gone = {.symmetric = 1};

/** Handles of the coarrays deallocated last: the program may have kept them. */
static struct {
    prf_coarray_t *handle[64];
    unsigned next;
} kept;

PRF_API int causeway_prif_allocate_coarray(int corank, const int64_t *lower, int nupper,
                                           const int64_t *upper, size_t nbytes,
                                           prf_coarray_t **handle_p, void **memory_p, int *stat,
                                           cleanup_fn *cleanup);
PRF_API int causeway_prif_deallocate_coarrays(prf_coarray_t **handles, int n, int *stat);
PRF_API int causeway_prif_allocate(size_t nbytes, void **memory_p, int *stat);
PRF_API int causeway_prif_deallocate(void *memory, int *stat);
PRF_API prf_coarray_t *causeway_prif_alias_create(const prf_coarray_t *source, int corank,
                                                  const int64_t *lower, int nupper,
                                                  const int64_t *upper, size_t offset);
PRF_API void causeway_prif_alias_destroy(prf_coarray_t *alias);
PRF_API void causeway_prif_set_context_data(const prf_coarray_t *c, void *context);
PRF_API void *causeway_prif_get_context_data(const prf_coarray_t *c);
PRF_API void *causeway_prif_local_data_pointer(const prf_coarray_t *c);
PRF_API size_t causeway_prif_size_bytes(const prf_coarray_t *c);

// ---------------------------------------------------------------- cobounds
/** The program's; the last upper one may be left out. */
typedef struct cobounds {
    int corank, nupper;
    const int64_t *lower, *upper;
} cobounds_t;

static prf_coarray_t *new_handle(const cobounds_t *b)
{
    const size_t n = (size_t)b->corank;
    prf_coarray_t *c = calloc(1, sizeof *c + (2 * n - 1) * sizeof *c->bounds);
    if (!c)
        cwu_fatal("out of memory for a coarray's descriptor");
    c->corank = b->corank;
    memcpy(c->bounds, b->lower, n * sizeof *b->lower);
    memcpy(c->bounds + n, b->upper, (n - 1) * sizeof *b->upper);
    return c;
}

/** Do they have a place for each image of the team? Without the last upper one there is always
 *  one. */
static bool has_room(const cobounds_t *b)
{
    const uint64_t most = (uint64_t)caf_num_images();
    uint64_t n = 1;
    for (int i = 0; i < b->nupper; i++) {
        if (b->upper[i] < b->lower[i])
            return false;
        const uint64_t others = (uint64_t)b->upper[i] - (uint64_t)b->lower[i];
        if (n < most)  // no product beyond what is asked for
            n *= others < most ? others + 1 : most;
    }
    return b->nupper < b->corank || n >= most;
}

/** Has no codimension but the last one more cosubscripts than a coshape can say? */
static bool has_shape(const cobounds_t *b)
{
    for (int i = 0; i + 1 < b->corank; i++)
        if ((uint64_t)b->upper[i] - (uint64_t)b->lower[i] >= (uint64_t)INT64_MAX)
            return false;
    return true;
}

/** False: reported. */
static bool check_cobounds(const caf_status_t *status, const char *call, const cobounds_t *b)
{
    if (b->corank > CAF_MAX_DIMENSIONS)
        caf_fail(status, CAF_ERROR, call, "corank %d; Fortran has at most %d codimensions",
                 b->corank, CAF_MAX_DIMENSIONS);
    else if (b->corank < 1 || (b->nupper != b->corank && b->nupper != b->corank - 1))
        caf_fail(status, CAF_ERROR, call,
                 "%d upper cobounds beside %d lower ones; as many, or one less, are possible",
                 b->nupper, b->corank);
    else if (!has_room(b))
        caf_fail(status, CAF_ERROR, call, "the cobounds have no place for %d images",
                 caf_num_images());
    else if (!has_shape(b))
        caf_fail(status, CAF_ERROR, call,
                 "a codimension before the last one has more than 2^63 - 1 cosubscripts");
    else
        return true;
    return false;
}

// ---------------------------------------------------------------- coarrays
bool prf_is_allocated(const caf_status_t *status, const char *call, const prf_coarray_t *c)
{
    if (CW_LIKELY(c && c->coarray != &gone))
        return true;
    if (c)
        caf_fail(status, CAF_ERROR, call, "the coarray has been deallocated");
    else
        caf_fail(status, CAF_ERROR, call, "the coarray is not allocated");
    return false;
}

void prf_want(const char *call, const prf_coarray_t *c)
{
    static const caf_status_t none;
    prf_is_allocated(&none, call, c);
}

int causeway_prif_allocate_coarray(int corank, const int64_t *lower, int nupper,
                                   const int64_t *upper, size_t nbytes, prf_coarray_t **handle_p,
                                   void **memory_p, int *stat, cleanup_fn *cleanup)
{
    PRF_ENTER("prif_allocate_coarray");
    const caf_status_t status = prf_status(stat);
    *handle_p = NULL;
    *memory_p = NULL;
    const cobounds_t cobounds = {corank, nupper, lower, upper};
    if (!check_cobounds(&status, "prif_allocate_coarray", &cobounds))
        return prf_outcome(stat);
    caf_coarray_t *coarray = caf_allocate(&status, nbytes);
    if (!coarray)
        return prf_outcome(stat);
    prf_whole_t *whole = calloc(1, sizeof *whole);
    if (!whole)
        cwu_fatal("out of memory for a coarray's descriptor");
    prf_coarray_t *c = new_handle(&cobounds);
    c->coarray = coarray;
    c->whole = whole;
    *whole = (prf_whole_t){.first = c, .cleanup = cleanup};
    coarray->descriptor = whole;
    *handle_p = c;
    *memory_p = coarray->mine;
    return 0;
}

static void clean(const prf_whole_t *whole)
{
    if (whole->cleanup)
        whole->cleanup(whole->first);
}

static void keep(prf_coarray_t *handle)
{
    prf_coarray_t **place = &kept.handle[kept.next++ % (sizeof kept.handle / sizeof *kept.handle)];
    free(*place);
    *place = handle;
}

/** Its coarray is released next. Aliases stay the program's. */
static void forget(prf_whole_t *whole)
{
    for (prf_coarray_t *c = whole->aliases; c; c = c->next) {
        c->coarray = &gone;
        c->whole = NULL;
    }
    whole->first->coarray = &gone;
    whole->first->whole = NULL;
    keep(whole->first);
    free(whole);
}

void prf_released(const caf_coarray_t *coarray)
{
    prf_whole_t *whole = coarray->descriptor;
    clean(whole);
    forget(whole);
}

static bool is_twice(prf_coarray_t **handles, int i)
{
    for (int k = 0; k < i; k++)
        if (handles[k] == handles[i])
            return true;
    return false;
}

static bool are_of_current_team(const caf_status_t *status, prf_coarray_t **handles, int n)
{
    for (int i = 0; i < n; i++) {
        if (!prf_is_allocated(status, "prif_deallocate_coarray", handles[i]))
            return false;
        if (handles[i]->whole->first != handles[i]) {
            caf_fail(status, CAF_ERROR, "deallocate", "the handle is an alias of another one");
            return false;
        }
        if (handles[i]->coarray->team != caf.team) {
            caf_fail(status, CAF_ERROR, "deallocate",
                     "the coarray was allocated in a team that is not the current one");
            return false;
        }
        if (is_twice(handles, i)) {
            caf_fail(status, CAF_ERROR, "deallocate", "handle %d is in the list before, too",
                     i + 1);
            return false;
        }
    }
    return true;
}

/** One synchronisation for all: no image uses them any more; and one behind all. Where an image is
 *  gone both say so, and the memory is released all the same. */
int causeway_prif_deallocate_coarrays(prf_coarray_t **handles, int n, int *stat)
{
    PRF_ENTER("prif_deallocate_coarrays");
    const caf_status_t status = prf_status(stat);
    if (!are_of_current_team(&status, handles, n))
        return prf_outcome(stat);
    caf_sync_all(&status);
    for (int i = 0; i < n; i++)
        clean(handles[i]->whole);
    for (int i = 0; i < n; i++) {
        caf_coarray_t *coarray = handles[i]->coarray;
        forget(handles[i]->whole);
        caf_release(coarray);
    }
    caf_sync_all(&status);
    return prf_outcome(stat);
}

int causeway_prif_allocate(size_t nbytes, void **memory_p, int *stat)
{
    PRF_ENTER("prif_allocate");
    const caf_status_t status = prf_status(stat);
    *memory_p = caf_memory_allocate(&status, nbytes);
    return prf_outcome(stat);
}

/** Of the current team or those around it. */
static bool is_coarray(const void *memory)
{
    for (const caf_team_t *team = caf.team; team; team = team->parent)
        for (const caf_coarray_t *c = team->coarrays; c; c = c->next)
            if (c->mine == memory)
                return true;
    return false;
}

int causeway_prif_deallocate(void *memory, int *stat)
{
    PRF_ENTER("prif_deallocate");
    const caf_status_t status = prf_status(stat);
    if (!is_coarray(memory) && caf_memory_release(memory))
        caf_succeed(&status);
    else
        caf_fail(&status, CAF_ERROR, "deallocate", "%s is no memory of prif_allocate",
                 cw_at(memory, 1));
    return prf_outcome(stat);
}

/** offset: of the alias's first byte from that of the source. */
prf_coarray_t *causeway_prif_alias_create(const prf_coarray_t *source, int corank,
                                          const int64_t *lower, int nupper, const int64_t *upper,
                                          size_t offset)
{
    PRF_ENTER("prif_alias_create");
    static const caf_status_t none;
    const cobounds_t cobounds = {corank, nupper, lower, upper};
    prf_want("prif_alias_create", source);
    check_cobounds(&none, "prif_alias_create", &cobounds);
    prf_coarray_t *c = new_handle(&cobounds);
    c->coarray = source->coarray;
    c->whole = source->whole;
    c->offset = source->offset + offset;
    c->next = c->whole->aliases;
    c->whole->aliases = c;
    return c;
}

/** The handle of a coarray, not an alias, that has been deallocated. */
static bool is_kept(const prf_coarray_t *c)
{
    for (size_t i = 0; i < sizeof kept.handle / sizeof *kept.handle; i++)
        if (kept.handle[i] == c)
            return true;
    return false;
}

static void leave_aliases(const prf_coarray_t *alias)
{
    prf_coarray_t **link = &alias->whole->aliases;
    while (*link != alias)
        link = &(*link)->next;
    *link = alias->next;
}

void causeway_prif_alias_destroy(prf_coarray_t *alias)
{
    static const char call[] = "prif_alias_destroy";
    PRF_ENTER(call);
    if (!alias || is_kept(alias))
        prf_want(call, alias);
    if (alias->whole && alias->whole->first == alias)
        caf_fatal(call, "the handle is no alias");
    if (alias->whole)
        leave_aliases(alias);
    free(alias);
}

void causeway_prif_set_context_data(const prf_coarray_t *c, void *context)
{
    prf_want("prif_set_context_data", c);
    c->whole->context = context;
}

void *causeway_prif_get_context_data(const prf_coarray_t *c)
{
    prf_want("prif_get_context_data", c);
    return c->whole->context;
}

void *causeway_prif_local_data_pointer(const prf_coarray_t *c)
{
    prf_want("prif_local_data_pointer", c);
    return c->coarray->mine + c->offset;
}

size_t causeway_prif_size_bytes(const prf_coarray_t *c)
{
    prf_want("prif_size_bytes", c);
    return c->coarray->nbytes;
}
