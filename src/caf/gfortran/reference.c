// SPDX-License-Identifier: BSD-3-Clause
//
// Along the references to a component in another image.
#include "caf/gfortran/reference.h"

#include <string.h>

/** Where the way has come to. */
typedef struct walk {
    const char *statement;
    caf_remote_t *remote;
    caf_section_t *section;  // of it; base: the address of the object
    caf_descriptor_t array;  // of the array that comes next; its data are at the base
} walk_t;

static void read_remote(const walk_t *w, void *to, size_t nbytes)
{
    if (w->remote->is_target)
        caf_target_read(to, w->section->base, nbytes, w->remote->pe);
    else
        caf_get(to, w->section->base, nbytes, w->remote->pe);
}

static int count_dimensions(const gft_reference_t *ref)
{
    int rank = 0;
    while (rank < CAF_MAX_DIMENSIONS && ref->u.a.mode[rank] != GFT_NO_DIMENSION)
        rank++;
    return rank;
}

static size_t descriptor_nbytes(const gft_reference_t *ref)
{
    return offsetof(caf_descriptor_t, dim) + (size_t)count_dimensions(ref) * sizeof(caf_dim_t);
}

/** To what an allocatable or pointer component points. */
static gft_way_t enter_pointer(walk_t *w, const gft_reference_t *next)
{
    char *data;
    const bool is_array = next && next->type == GFT_ARRAY;
    if (is_array)
        read_remote(w, &w->array, descriptor_nbytes(next));
    read_remote(w, &data, sizeof data);
    if (!data)
        return GFT_NOT_ALLOCATED;
    w->section->base = caf_at_owners(w->remote->pe, data, 1);
    w->remote->is_target = !w->section->base;
    if (w->remote->is_target) {
        caf_target_want(w->statement, data, w->remote->pe);
        w->section->base = data;
    }
    return GFT_FOUND;
}

/** Adds a dimension, whose first element is `start` units of `unit` bytes from the base. */
static void add_range(caf_section_t *s, ptrdiff_t start, ptrdiff_t end, ptrdiff_t step,
                      ptrdiff_t unit)
{
    ptrdiff_t n = step ? (end - start + step) / step : 1;
    s->base += start * unit;
    s->dim[s->rank].extent = n > 0 ? (size_t)n : 0;
    s->dim[s->rank].stride = step * unit;
    s->dim[s->rank++].by = (caf_subscripts_t){0};
}

static void add_vector(caf_section_t *s, const gft_index_t *index, ptrdiff_t lower, ptrdiff_t unit)
{
    s->dim[s->rank].extent = index->v.nvec;
    s->dim[s->rank].stride = unit;
    s->dim[s->rank++].by = (caf_subscripts_t){index->v.vector, index->v.kind, lower};
}

/** A dimension of an array with a descriptor. */
static void index_dimension(caf_section_t *s, gft_mode_t mode, const gft_index_t *index,
                            const caf_dim_t *dim, ptrdiff_t span)
{
    const ptrdiff_t unit = dim->stride * span, last = dim->ubound - dim->lbound,
                    start = index->s.start - dim->lbound, end = index->s.end - dim->lbound;
    switch (mode) {
    case GFT_BY_VECTOR:
        add_vector(s, index, dim->lbound, unit);
        break;
    case GFT_FULL:
        if (index->s.stride < 0)
            add_range(s, last, 0, index->s.stride, unit);
        else
            add_range(s, 0, last, index->s.stride, unit);
        break;
    case GFT_RANGE:
        add_range(s, start, end, index->s.stride, unit);
        break;
    case GFT_OPEN_END:
        add_range(s, start, index->s.stride < 0 ? 0 : last, index->s.stride, unit);
        break;
    case GFT_OPEN_START:
        add_range(s, index->s.stride < 0 ? last : 0, end, index->s.stride, unit);
        break;
    default:
        s->base += start * unit;
    }
}

static void index_array(walk_t *w, const gft_reference_t *ref)
{
    const ptrdiff_t span = w->array.span > 0 ? w->array.span : (ptrdiff_t)ref->item_nbytes;
    for (int i = 0; i < count_dimensions(ref); i++)
        index_dimension(w->section, (gft_mode_t)ref->u.a.mode[i], &ref->u.a.dim[i],
                        &w->array.dim[i], span);
}

static void index_static_array(walk_t *w, const gft_reference_t *ref)
{
    const ptrdiff_t unit = (ptrdiff_t)ref->item_nbytes;
    for (int i = 0; i < count_dimensions(ref); i++) {
        const gft_index_t *index = &ref->u.a.dim[i];
        switch (ref->u.a.mode[i]) {
        case GFT_SINGLE:
            w->section->base += index->s.start * unit;
            break;
        case GFT_FULL:
        case GFT_RANGE:
            add_range(w->section, index->s.start, index->s.end, index->s.stride, unit);
            break;
        default:
            caf_fatal("reference to a component",
                      "subscripts of an array of constant shape by a vector are not supported");
        }
    }
}

/** One component, and what it points to, if it does. */
static gft_way_t enter_component(walk_t *w, const gft_reference_t *ref)
{
    char *object = w->section->base;
    w->section->base += ref->u.c.offset;
    const gft_way_t way = ref->u.c.token_offset ? enter_pointer(w, ref->next) : GFT_FOUND;
    if (way == GFT_NOT_ALLOCATED)
        w->section->base = object + ref->u.c.token_offset;
    return way;
}

gft_way_t gft_follow(const char *statement, const caf_coarray_t *coarray, void *addr,
                     const gft_reference_t *refs, caf_remote_t *remote)
{
    walk_t w = {.statement = statement, .remote = remote, .section = &remote->section};
    gft_way_t way = GFT_FOUND;
    remote->is_target = false;
    remote->section = (caf_section_t){.base = addr};
    if (coarray->descriptor && refs &&
        refs->type == GFT_ARRAY)  // of this image's part: all are alike
        memcpy(&w.array, coarray->descriptor, descriptor_nbytes(refs));
    for (const gft_reference_t *ref = refs; ref && way == GFT_FOUND; ref = ref->next) {
        remote->section.elem_nbytes = ref->item_nbytes;
        if (ref->type == GFT_COMPONENT)
            way = enter_component(&w, ref);
        else if (ref->type == GFT_ARRAY)
            index_array(&w, ref);
        else
            index_static_array(&w, ref);
    }
    return way;
}
