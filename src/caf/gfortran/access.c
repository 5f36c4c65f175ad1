// SPDX-License-Identifier: BSD-3-Clause
//
// Assignments to and from other images: one scalar of one type on both sides at once, all else by
// sections (section.h).
#include "caf/gfortran/gft.h"
#include "caf/gone.h"
#include "core/observe/check.h"

GFT_API void _gfortran_caf_send(gft_token_t token, size_t offset, int image, caf_descriptor_t *dest,
                                caf_vector_t *dest_vector, caf_descriptor_t *src, int dest_kind,
                                int src_kind, bool may_overlap, int *stat, void **team);
GFT_API void _gfortran_caf_get(gft_token_t token, size_t offset, int image, caf_descriptor_t *src,
                               caf_vector_t *src_vector, caf_descriptor_t *dest, int src_kind,
                               int dest_kind, bool may_overlap, int *stat);
GFT_API void _gfortran_caf_sendget(gft_token_t dest_token, size_t dest_offset, int dest_image,
                                   caf_descriptor_t *dest, caf_vector_t *dest_vector,
                                   gft_token_t src_token, size_t src_offset, int src_image,
                                   caf_descriptor_t *src, caf_vector_t *src_vector, int dest_kind,
                                   int src_kind, bool may_overlap, int *stat);

static const char to_image[] = "assignment to an image", from_image[] = "assignment from an image";

void gft_wrong_offset(const char *statement, const caf_coarray_t *coarray, size_t offset)
{
    const ptrdiff_t at = (ptrdiff_t)offset;
    if (at < 0)
        caf_fatal(statement, "byte %td is before the coarray: a subscript is below the lower bound",
                  at);
    caf_fatal(statement,
              "byte %zu is beyond the coarray, which has %zu: a subscript is above the upper bound",
              offset, coarray->nbytes);
}

/** gfortran 12 passes wrong offsets for complex elements: of a scalar only 0 can be meant. It also
 *  passes a substring as the whole string from there on, and, where a vector of subscripts stands
 *  in an expression, the address of a temporary array. */
static size_t right_offset(const char *statement, const caf_coarray_t *coarray, size_t offset,
                           const caf_descriptor_t *d)
{
    const ptrdiff_t far = (ptrdiff_t)1 << 40, at = (ptrdiff_t)offset;
    if (CW_UNLIKELY(!coarray))
        return offset;
    if (CW_LIKELY(offset < coarray->nbytes)) {
        if (d->dtype.type == CAF_CHARACTER && d->dtype.rank == 0 &&
            d->dtype.elem_nbytes > coarray->nbytes - offset)
            caf_fatal(statement,
                      "the compiler addresses %zu characters at byte %zu of a coarray of %zu; if "
                      "this is a substring, use the whole string (a fault of gfortran 12)",
                      d->dtype.elem_nbytes, offset, coarray->nbytes);
        return offset;
    }
    if (d->dtype.type != CAF_COMPLEX && d->dtype.rank > 0 && (at < -far || at > far))
        caf_fatal(statement,
                  "the compiler addresses byte %td of a coarray of %zu; if x(v)[j] with a vector v "
                  "is part of an expression here, assign it to a variable first (a fault of "
                  "gfortran 12)",
                  at, coarray->nbytes);
    if (d->dtype.type != CAF_COMPLEX)
        return offset;
    if (coarray->nbytes > d->dtype.elem_nbytes)
        caf_fatal(statement,
                  "the compiler addresses byte %td of a coarray of %zu; if this is an element of a "
                  "complex array, x(i)[j], write x(i:i)[j] (a fault of gfortran 12)",
                  (ptrdiff_t)offset, coarray->nbytes);
    return 0;
}

/** One element of one type and kind on both sides. */
static CW_ALWAYS_INLINE bool is_plain(const caf_descriptor_t *a, const caf_descriptor_t *b,
                                      const caf_vector_t *vector, int a_kind, int b_kind)
{
    const caf_dtype_t *x = &a->dtype, *y = &b->dtype;
    return CW_LIKELY(x->elem_nbytes == y->elem_nbytes) && CW_LIKELY(x->rank == 0) &&
           CW_LIKELY(y->rank == 0) && CW_LIKELY(x->type == y->type) &&
           CW_LIKELY(a_kind == b_kind) && CW_LIKELY(!vector);
}

/** False: the statement takes the general path, which also finds what is wrong. */
static CW_ALWAYS_INLINE bool find_fast(const caf_coarray_t *c, size_t offset, int image, int *pe_p,
                                       void **addr_p)
{
    *pe_p = image - 1;
    if (CW_UNLIKELY(!c) || CW_UNLIKELY(offset >= c->nbytes) || CW_UNLIKELY(!c->symmetric))
        return false;
    if (CW_UNLIKELY((unsigned)*pe_p >= caf.images) && !caf_find_pe(caf.group, image, pe_p))
        return false;
    *addr_p = (void *)(c->symmetric + offset);
    return true;
}

static CW_COLD void check_bounds(const char *statement, gft_token_t token, int pe,
                                 const caf_section_t *section)
{
    const caf_coarray_t *coarray = token;
    uintptr_t begin, end;
    const uintptr_t first = (uintptr_t)caf_at(coarray, pe, 0);
    if (caf_section_nelems(section) == 0)
        return;
    caf_section_span(section, &begin, &end);
    if (begin < first)
        gft_wrong_offset(statement, coarray, begin - first);
    if (end - first > coarray->nbytes)
        gft_wrong_offset(statement, coarray, end - 1 - first);
}

/** Has the assignment elements? A section without may begin beyond the coarray, x(n+1:n)[i]. */
static bool has_elements(const caf_section_t *to, const caf_section_t *from)
{
    return caf_section_nelems(from) > 0 && (from->rank > 0 || caf_section_nelems(to) > 0);
}

/** The same of one whose right side alone may have vectors of subscripts: with these the compiler
 *  may say of a section with elements that it has none, and it is refused (section.c). */
static bool wants_elements(const caf_section_t *to, const caf_section_t *from,
                           const caf_vector_t *from_vector)
{
    return caf_section_nelems(to) > 0 && (from_vector || caf_section_nelems(from) > 0);
}

/** An object of an image: the section of the descriptor d, of an assignment that may have no
 *  elements. False: reported. */
static bool find_object(const cw_group_t *group, const caf_status_t *status, const char *statement,
                        gft_token_t token, size_t offset, int image, const caf_descriptor_t *d,
                        caf_remote_t *remote, bool has_any)
{
    void *addr;
    if (token && !has_any)
        return caf_want_pe(status, statement, group, image, &remote->pe);
    offset = right_offset(statement, token, offset, d);
    if (!gft_find_in(group, status, statement, token, offset, image, &remote->pe, &addr))
        return false;
    // of an empty vector of subscripts the compiler passes what looks like a triplet
    remote->section.base = (char *)addr + (remote->section.base - d->data);
    remote->is_target = false;
    if (CW_CHECKING())
        check_bounds(statement, token, remote->pe, &remote->section);
    return true;
}

static CW_NOINLINE void send_general(const caf_status_t *status, const cw_group_t *group,
                                     gft_token_t token, size_t offset, int image,
                                     const caf_descriptor_t *dest, const caf_vector_t *vector,
                                     int dest_kind, const caf_descriptor_t *src, int src_kind)
{
    caf_remote_t remote;
    caf_section_t local;
    caf_section_of(&remote.section, dest, vector, dest_kind);
    caf_section_of(&local, src, NULL, src_kind);
    const bool has_any = has_elements(&remote.section, &local);
    if (!find_object(group, status, to_image, token, offset, image, dest, &remote, has_any))
        return;
    if (has_any)
        caf_section_put(&remote, &local);
    caf_succeed_at(status, remote.pe);
}

static CW_NOINLINE void get_general(gft_token_t token, size_t offset, int image,
                                    const caf_descriptor_t *src, const caf_vector_t *vector,
                                    int src_kind, const caf_descriptor_t *dest, int dest_kind,
                                    int *stat)
{
    const caf_status_t status = gft_status(stat, NULL, 0);
    caf_remote_t remote;
    caf_section_t local;
    caf_section_of(&remote.section, src, vector, src_kind);
    caf_section_of(&local, dest, NULL, dest_kind);
    const bool has_any = wants_elements(&local, &remote.section, vector);
    if (!find_object(caf.group, &status, from_image, token, offset, image, src, &remote, has_any))
        return;
    if (has_any)
        caf_section_get(&local, &remote);
    caf_succeed_at(&status, remote.pe);
}

// The other paths get the arguments as they stand, so that the fast one keeps nothing for them.
static CW_NOINLINE void send_any(gft_token_t token, size_t offset, int image,
                                 caf_descriptor_t *dest, caf_vector_t *dest_vector,
                                 caf_descriptor_t *src, int dest_kind, int src_kind,
                                 bool may_overlap, int *stat, void **team)
{
    const caf_status_t status = gft_status(stat, NULL, 0);
    const caf_team_t *of =
        team ? caf_want_team(&status, "assignment to an image of a team", *team) : caf.team;
    (void)may_overlap;
    if (of)
        send_general(&status, of->group, token, offset, image, dest, dest_vector, dest_kind, src,
                     src_kind);
}

void _gfortran_caf_send(gft_token_t token, size_t offset, int image, caf_descriptor_t *dest,
                        caf_vector_t *dest_vector, caf_descriptor_t *src, int dest_kind,
                        int src_kind, bool may_overlap, int *stat, void **team)
{
    int pe;
    void *addr;
    if (is_plain(dest, src, dest_vector, dest_kind, src_kind) && CW_LIKELY(!team) &&
        CW_LIKELY(!stat) && find_fast(token, offset, image, &pe, &addr)) {
        caf_put(addr, src->data, src->dtype.elem_nbytes, pe);
        return;
    }
    send_any(token, offset, image, dest, dest_vector, src, dest_kind, src_kind, may_overlap, stat,
             team);
}

static CW_NOINLINE void get_any(gft_token_t token, size_t offset, int image, caf_descriptor_t *src,
                                caf_vector_t *src_vector, caf_descriptor_t *dest, int src_kind,
                                int dest_kind, bool may_overlap, int *stat)
{
    (void)may_overlap;
    get_general(token, offset, image, src, src_vector, src_kind, dest, dest_kind, stat);
}

void _gfortran_caf_get(gft_token_t token, size_t offset, int image, caf_descriptor_t *src,
                       caf_vector_t *src_vector, caf_descriptor_t *dest, int src_kind,
                       int dest_kind, bool may_overlap, int *stat)
{
    int pe;
    void *addr;
    if (is_plain(dest, src, src_vector, dest_kind, src_kind) && CW_LIKELY(!stat) &&
        find_fast(token, offset, image, &pe, &addr)) {
        caf_get(dest->data, addr, dest->dtype.elem_nbytes, pe);
        return;
    }
    get_any(token, offset, image, src, src_vector, dest, src_kind, dest_kind, may_overlap, stat);
}

void _gfortran_caf_sendget(gft_token_t dest_token, size_t dest_offset, int dest_image,
                           caf_descriptor_t *dest, caf_vector_t *dest_vector, gft_token_t src_token,
                           size_t src_offset, int src_image, caf_descriptor_t *src,
                           caf_vector_t *src_vector, int dest_kind, int src_kind, bool may_overlap,
                           int *stat)
{
    const caf_status_t status = gft_status(stat, NULL, 0);
    caf_remote_t to, from;
    (void)may_overlap;
    caf_section_of(&to.section, dest, dest_vector, dest_kind);
    caf_section_of(&from.section, src, src_vector, src_kind);
    const bool has_any = dest_vector ? has_elements(&to.section, &from.section)
                                     : wants_elements(&to.section, &from.section, src_vector);
    if (!find_object(caf.group, &status, to_image, dest_token, dest_offset, dest_image, dest, &to,
                     has_any) ||
        !find_object(caf.group, &status, from_image, src_token, src_offset, src_image, src, &from,
                     has_any))
        return;
    if (has_any)
        caf_section_move(&to, &from);
    caf_succeed_at(&status, from.pe);  // the one that the compiler passes
}
