// SPDX-License-Identifier: BSD-3-Clause
//
// Assignments to and from components of coarrays in other images. The compiler passes the way from
// the coarray to the object as a list of references; the descriptors and pointers of allocatable
// and pointer components on it are read in the image. What they point to is the image's own
// address, of memory that it has allocated as a component (memory.c), or of a target (target.c).
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "caf/gfortran/reference.h"
#include "caf/gone.h"

GFT_API void _gfortran_caf_get_by_ref(gft_token_t token, int image, caf_descriptor_t *dest,
                                      gft_reference_t *refs, int dest_kind, int src_kind,
                                      bool may_overlap, bool dest_reallocatable, int *stat,
                                      int src_type);
GFT_API void _gfortran_caf_send_by_ref(gft_token_t token, int image, caf_descriptor_t *src,
                                       gft_reference_t *refs, int dest_kind, int src_kind,
                                       bool may_overlap, bool dest_reallocatable, int *stat,
                                       int dest_type);
GFT_API void _gfortran_caf_sendget_by_ref(gft_token_t dest_token, int dest_image,
                                          gft_reference_t *dest_refs, gft_token_t src_token,
                                          int src_image, gft_reference_t *src_refs, int dest_kind,
                                          int src_kind, bool may_overlap, int *dest_stat,
                                          int *src_stat, int dest_type, int src_type);
GFT_API int _gfortran_caf_is_present(gft_token_t token, int image, gft_reference_t *refs);

static const char to_image[] = "assignment to a component in an image",
                  from_image[] = "assignment from a component in an image";

/** The target of a pointer is gone with its image, which is reported. */
static bool is_lost(const caf_status_t *status, const char *statement, const caf_remote_t *remote)
{
    return CW_UNLIKELY(caf_target_is_gone(statement, remote)) &&
           caf_report_failed(status, statement, remote->pe);
}

/** What was put to an image that was killed changes nothing, in a target or elsewhere. */
static void end_put(const caf_status_t *status, const caf_remote_t *remote)
{
    caf_target_is_gone(to_image, remote);  // until its death is known
    caf_succeed_at(status, remote->pe);
}

/** The object that the references lead to. False: reported. */
static bool find(const caf_status_t *status, const char *statement, gft_token_t token, int image,
                 const gft_reference_t *refs, caf_remote_t *remote)
{
    void *addr;
    char end[200] = "";
    if (!gft_find(status, statement, token, 0, image, &remote->pe, &addr))
        return false;
    if (gft_follow(statement, token, addr, refs, remote) == GFT_FOUND)
        return true;
    if (is_lost(status, statement, remote))
        return false;
    if (CW_CHECKING())
        caf_component_end(remote->pe, remote->section.base, end, sizeof end);
    caf_fail(status, CAF_ERROR, statement, "the component is not allocated in image %d%s", image,
             end);
    return false;
}

static void set_type(caf_section_t *section, int type, int kind)
{
    section->type = type;
    section->kind = kind;
}

/** A local allocatable gets the shape of the section, and memory for it. */
static void reallocate(caf_descriptor_t *dest, const caf_section_t *src)
{
    size_t nelems = 1;
    bool same = dest->data && dest->dtype.rank == src->rank;
    for (int i = 0; same && i < src->rank; i++)
        same = dest->dim[i].ubound - dest->dim[i].lbound + 1 == (ptrdiff_t)src->dim[i].extent;
    if (same)
        return;
    for (int i = 0; i < src->rank; i++) {
        dest->dim[i] = (caf_dim_t){
            .stride = (ptrdiff_t)nelems, .lbound = 1, .ubound = (ptrdiff_t)src->dim[i].extent};
        nelems *= src->dim[i].extent;
    }
    dest->offset = 0;
    for (int i = 0; i < src->rank; i++)
        dest->offset -= dest->dim[i].stride;
    dest->span = (ptrdiff_t)dest->dtype.elem_nbytes;
    char *data = realloc(dest->data, nelems * dest->dtype.elem_nbytes + 1);
    if (!data)
        cwu_fatal("out of memory for %zu elements of %zu bytes", nelems, dest->dtype.elem_nbytes);
    dest->data = data;
}

/** Dimensions of one element, which a reference may have left. */
static void drop_single(caf_section_t *s)
{
    int rank = 0;
    for (int i = 0; i < s->rank; i++)
        if (s->dim[i].extent != 1 || s->dim[i].by.vector)
            s->dim[rank++] = s->dim[i];
    s->rank = rank;
}

void _gfortran_caf_get_by_ref(gft_token_t token, int image, caf_descriptor_t *dest,
                              gft_reference_t *refs, int dest_kind, int src_kind, bool may_overlap,
                              bool dest_reallocatable, int *stat, int src_type)
{
    const caf_status_t status = gft_status(stat, NULL, 0);
    caf_remote_t remote;
    caf_section_t local;
    (void)may_overlap;
    if (!find(&status, from_image, token, image, refs, &remote))
        return;
    set_type(&remote.section, src_type, src_kind);
    if (dest_reallocatable && dest->dtype.rank > 0) {
        if (remote.section.rank > dest->dtype.rank)
            drop_single(&remote.section);
        reallocate(dest, &remote.section);
    }
    caf_section_of(&local, dest, NULL, dest_kind);
    caf_section_get(&local, &remote);
    if (!is_lost(&status, from_image, &remote))
        caf_succeed_at(&status, remote.pe);
}

/** The component must have its memory and shape: a coindexed variable is not reallocated. */
void _gfortran_caf_send_by_ref(gft_token_t token, int image, caf_descriptor_t *src,
                               gft_reference_t *refs, int dest_kind, int src_kind, bool may_overlap,
                               bool dest_reallocatable, int *stat, int dest_type)
{
    const caf_status_t status = gft_status(stat, NULL, 0);
    caf_remote_t remote;
    caf_section_t local;
    (void)may_overlap, (void)dest_reallocatable;
    if (!find(&status, to_image, token, image, refs, &remote))
        return;
    set_type(&remote.section, dest_type, dest_kind);
    caf_section_of(&local, src, NULL, src_kind);
    caf_section_put(&remote, &local);
    end_put(&status, &remote);
}

void _gfortran_caf_sendget_by_ref(gft_token_t dest_token, int dest_image,
                                  gft_reference_t *dest_refs, gft_token_t src_token, int src_image,
                                  gft_reference_t *src_refs, int dest_kind, int src_kind,
                                  bool may_overlap, int *dest_stat, int *src_stat, int dest_type,
                                  int src_type)
{
    const caf_status_t to = gft_status(dest_stat, NULL, 0), from = gft_status(src_stat, NULL, 0);
    caf_remote_t dest, src;
    (void)may_overlap;
    if (!find(&to, to_image, dest_token, dest_image, dest_refs, &dest) ||
        !find(&from, from_image, src_token, src_image, src_refs, &src))
        return;
    set_type(&dest.section, dest_type, dest_kind);
    set_type(&src.section, src_type, src_kind);
    caf_section_move(&dest, &src);
    end_put(&to, &dest);
    if (!is_lost(&from, from_image, &src))
        caf_succeed_at(&from, src.pe);
}

int _gfortran_caf_is_present(gft_token_t token, int image, gft_reference_t *refs)
{
    const caf_status_t status = gft_status(NULL, NULL, 0);
    caf_remote_t remote;
    void *addr;
    return gft_find(&status, "allocated", token, 0, image, &remote.pe, &addr) &&
           gft_follow("allocated", token, addr, refs, &remote) != GFT_NOT_ALLOCATED;
}
