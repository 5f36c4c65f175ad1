// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets: contiguous and strided, to and from a coarray or an address, with a notification
// or without. Images are those of the initial team. What is in the coarray goes straight to the
// transfer; all else, and what has stat=, takes a path that finds what is wrong, or where the
// address is.
#include "caf/gone.h"
#include "caf/prif/prf.h"
#include "caf/section.h"

PRF_API int causeway_prif_put(int image, const prf_coarray_t *c, size_t offset, const void *src,
                              size_t nbytes, int *stat);
PRF_API int causeway_prif_get(int image, const prf_coarray_t *c, size_t offset, void *dest,
                              size_t nbytes, int *stat);
PRF_API int causeway_prif_put_indirect(int image, uintptr_t place, const void *src, size_t nbytes,
                                       int *stat);
PRF_API int causeway_prif_get_indirect(int image, uintptr_t place, void *dest, size_t nbytes,
                                       int *stat);
PRF_API int causeway_prif_strided(bool put, int image, const prf_coarray_t *c, size_t place,
                                  const ptrdiff_t *remote_stride, void *local,
                                  const ptrdiff_t *local_stride, size_t elem_nbytes,
                                  const size_t *extent, int rank, int *stat);
PRF_API int causeway_prif_notify(int image, const prf_coarray_t *c, size_t place, int *stat);

static const char to_image[] = "assignment to an image", from_image[] = "assignment from an image";

// ---------------------------------------------------------------- places
static bool find_address(const caf_status_t *status, const char *call, int image, uintptr_t place,
                         size_t nbytes, int pe, void **addr_p)
{
    *addr_p = caf_at_owners(pe, (const void *)place, nbytes);
    if (!*addr_p)
        caf_fail(status, CAF_ERROR, call,
                 "%zu bytes at 0x%llx in image %d are not memory of prif_allocate or "
                 "prif_allocate_coarray",
                 nbytes, (unsigned long long)place, image);
    return *addr_p != NULL;
}

bool prf_find(const caf_status_t *status, const char *call, int image, const prf_coarray_t *c,
              size_t place, size_t nbytes, int *pe_p, void **addr_p)
{
    if (!caf_want_pe(status, call, caf.initial.group, image, pe_p))
        return false;
    if (!c)
        return find_address(status, call, image, place, nbytes, *pe_p, addr_p);
    const size_t offset = c->offset + place, all = c->coarray->nbytes;
    if (offset > all || nbytes > all - offset) {
        if (prf_is_allocated(status, call, c))
            caf_fail(status, CAF_ERROR, call, "%zu bytes at byte %zu of a coarray of %zu", nbytes,
                     offset, all);
        return false;
    }
    *addr_p = caf_at(c->coarray, *pe_p, offset);
    return true;
}

/** The same of a put or get to a coarray. */
static bool is_allocated(const char *call, const prf_coarray_t *c, int *stat)
{
    const caf_status_t status = prf_status(stat);
    if (!caf.group)
        prf_not_joined(call);
    return prf_is_allocated(&status, call, c);
}

// ---------------------------------------------------------------- contiguous
static CW_NOINLINE int put_slowly(int image, const prf_coarray_t *c, size_t place, const void *src,
                                  size_t nbytes, int *stat)
{
    const caf_status_t status = prf_status(stat);
    int pe;
    void *addr;
    if (!caf.group)
        prf_not_joined(to_image);
    if (prf_find(&status, to_image, image, c, place, nbytes, &pe, &addr)) {
        caf_put(addr, src, nbytes, pe);
        caf_succeed_at(&status, pe);
    }
    return prf_outcome(stat);
}

static CW_NOINLINE int get_slowly(int image, const prf_coarray_t *c, size_t place, void *dest,
                                  size_t nbytes, int *stat)
{
    const caf_status_t status = prf_status(stat);
    int pe;
    void *addr;
    if (!caf.group)
        prf_not_joined(from_image);
    if (prf_find(&status, from_image, image, c, place, nbytes, &pe, &addr)) {
        caf_get(dest, addr, nbytes, pe);
        caf_succeed_at(&status, pe);
    }
    return prf_outcome(stat);
}

static CW_NOINLINE int put_any(int image, const prf_coarray_t *c, size_t place, const void *src,
                               size_t nbytes, int *stat)
{
    if (!is_allocated(to_image, c, stat))
        return prf_outcome(stat);
    return put_slowly(image, c, place, src, nbytes, stat);
}

static CW_NOINLINE int get_any(int image, const prf_coarray_t *c, size_t place, void *dest,
                               size_t nbytes, int *stat)
{
    if (!is_allocated(from_image, c, stat))
        return prf_outcome(stat);
    return get_slowly(image, c, place, dest, nbytes, stat);
}

int causeway_prif_put(int image, const prf_coarray_t *c, size_t offset, const void *src,
                      size_t nbytes, int *stat)
{
    void *addr;
    if (CW_UNLIKELY(stat != NULL) || !prf_find_plain(c, offset, nbytes, image, &addr))
        return put_any(image, c, offset, src, nbytes, stat);
    caf_put(addr, src, nbytes, image - 1);
    return 0;
}

int causeway_prif_get(int image, const prf_coarray_t *c, size_t offset, void *dest, size_t nbytes,
                      int *stat)
{
    void *addr;
    if (CW_UNLIKELY(stat != NULL) || !prf_find_plain(c, offset, nbytes, image, &addr))
        return get_any(image, c, offset, dest, nbytes, stat);
    caf_get(dest, addr, nbytes, image - 1);
    return 0;
}

int causeway_prif_put_indirect(int image, uintptr_t place, const void *src, size_t nbytes,
                               int *stat)
{
    return put_slowly(image, NULL, place, src, nbytes, stat);
}

int causeway_prif_get_indirect(int image, uintptr_t place, void *dest, size_t nbytes, int *stat)
{
    return get_slowly(image, NULL, place, dest, nbytes, stat);
}

// ---------------------------------------------------------------- strided
/** The bytes from the first one of a section to the last one, and how far the first one is below
 *  its base; SIZE_MAX, with 0 below: more than there are. total: SIZE_MAX likewise. */
static size_t span_of(const ptrdiff_t *stride, size_t total, size_t elem_nbytes,
                      const size_t *extent, int rank, size_t *below_p)
{
    size_t below = 0, above = elem_nbytes, way, span;
    bool huge = total == SIZE_MAX;  // also where strides are 0
    for (int i = 0; i < rank; i++) {
        const size_t step = stride[i] < 0 ? -(size_t)stride[i] : (size_t)stride[i];
        size_t *end = stride[i] < 0 ? &below : &above;
        huge |= __builtin_mul_overflow(extent[i] - 1, step, &way) ||
                __builtin_add_overflow(*end, way, end);
    }
    huge |= __builtin_add_overflow(below, above, &span);
    *below_p = huge ? 0 : below;
    return huge ? SIZE_MAX : span;
}

/** Of the elements of a section; SIZE_MAX: more than there are. */
static size_t total_of(size_t elem_nbytes, const size_t *extent, int rank)
{
    size_t total = elem_nbytes;
    bool huge = false;
    for (int i = 0; i < rank; i++) {
        if (extent[i] == 0)
            return 0;
        huge |= __builtin_mul_overflow(total, extent[i], &total);
    }
    return huge ? SIZE_MAX : total;
}

static void make_section(caf_section_t *s, char *base, const ptrdiff_t *stride, size_t elem_nbytes,
                         const size_t *extent, int rank)
{
    s->base = base;
    s->elem_nbytes = elem_nbytes;
    s->type = CAF_DERIVED;  // bytes
    s->kind = 0;
    s->rank = rank;
    for (int i = 0; i < rank; i++) {
        s->dim[i].extent = extent[i];
        s->dim[i].stride = stride[i];
        s->dim[i].by = (caf_subscripts_t){0};
    }
}

/** c: NULL, place is an address in the image. rank: -1, that of a stride is another one. */
int causeway_prif_strided(bool put, int image, const prf_coarray_t *c, size_t place,
                          const ptrdiff_t *remote_stride, void *local,
                          const ptrdiff_t *local_stride, size_t elem_nbytes, const size_t *extent,
                          int rank, int *stat)
{
    PRF_ENTER(put ? "prif_put_strided" : "prif_get_strided");
    const caf_status_t status = prf_status(stat);
    const char *call = put ? to_image : from_image;
    caf_remote_t remote;
    caf_section_t here;
    size_t below;
    void *first;
    if (rank < 0 || rank > CAF_MAX_DIMENSIONS) {
        if (rank < 0)
            caf_fail(&status, CAF_ERROR, call, "the strides are of other ranks than the extents");
        else
            caf_fail(&status, CAF_ERROR, call, "%d dimensions, and the most are %d", rank,
                     CAF_MAX_DIMENSIONS);
        return prf_outcome(stat);
    }
    const size_t total = total_of(elem_nbytes, extent, rank);
    if (total == 0) {
        caf_succeed(&status);
        return 0;
    }
    const size_t span = span_of(remote_stride, total, elem_nbytes, extent, rank, &below);
    make_section(&here, local, local_stride, elem_nbytes, extent, rank);
    if (!prf_find(&status, call, image, c, place - below, span, &remote.pe, &first))
        return prf_outcome(stat);
    remote.is_target = false;
    make_section(&remote.section, (char *)first + below, remote_stride, elem_nbytes, extent, rank);
    if (put)
        caf_section_put(&remote, &here);
    else
        caf_section_get(&here, &remote);
    caf_succeed_at(&status, remote.pe);
    return prf_outcome(stat);
}

// ---------------------------------------------------------------- notifications
/** Behind the put before it. c: NULL, place is an address in the image. */
int causeway_prif_notify(int image, const prf_coarray_t *c, size_t place, int *stat)
{
    PRF_ENTER("prif_put_with_notify");
    const caf_status_t status = prf_status(stat);
    int pe;
    void *word;
    if (prf_find(&status, "notify=", image, c, place, sizeof(uint64_t), &pe, &word)) {
        caf_notify(pe, word);
        caf_succeed_at(&status, pe);
    }
    return prf_outcome(stat);
}
