// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives on sections: one that is not contiguous goes through memory of its own.
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "caf/gone.h"
#include "caf/reduce_ops.h"

typedef struct contiguous {
    const caf_section_t *section;
    caf_section_t packed;  // if it is copied
    char *data;
    size_t nelems, nbytes;
    bool copied;
} contiguous_t;

static bool is_dense(const caf_section_t *s)
{
    ptrdiff_t stride = (ptrdiff_t)s->elem_nbytes;
    for (int i = 0; i < s->rank; i++) {
        if (s->dim[i].extent != 1 && s->dim[i].stride != stride)
            return false;
        stride *= (ptrdiff_t)s->dim[i].extent;
    }
    return true;
}

static void open_contiguous(contiguous_t *c, const char *call, const caf_section_t *section)
{
    c->section = section;
    c->nelems = caf_section_nelems(section);
    c->nbytes = c->nelems * section->elem_nbytes;
    if (CW_UNLIKELY(!section->base && c->nbytes > 0))
        caf_fatal(call, "the argument, or a component of it, is not allocated in this image");
    c->data = section->base;
    c->copied = !is_dense(section);
    if (!c->copied)
        return;
    if (!(c->data = malloc(c->nbytes + 1)))
        cwu_fatal("out of memory for a section of %zu bytes", c->nbytes);
    caf_section_packed(&c->packed, section, c->data);
    caf_section_assign(&c->packed, section);
}

/** wanted: the program gets the result. */
static void close_contiguous(contiguous_t *c, bool wanted)
{
    if (!c->copied)
        return;
    if (wanted)
        caf_section_assign(c->section, &c->packed);
    free(c->data);
}

typedef struct collective {
    const char *call;
    const contiguous_t *c;
    int image, root;
    cw_reduce_fn fn;
} collective_t;

/** Of elements, as the text of a claim. */
static uint64_t type_of(const caf_section_t *section)
{
    static const char names[][sizeof(uint64_t)] = {
        [CAF_UNKNOWN] = "unknown", [CAF_INTEGER] = "integer", [CAF_LOGICAL] = "logical",
        [CAF_REAL] = "real",       [CAF_COMPLEX] = "complex", [CAF_DERIVED] = "derived",
        [CAF_CHARACTER] = "string"};
    const bool known = section->type >= CAF_UNKNOWN && section->type <= CAF_CHARACTER;
    uint64_t text;
    memcpy(&text, names[known ? section->type : CAF_UNKNOWN], sizeof text);
    return text;
}

static void agree(const collective_t *all)
{
    if (CW_CHECKING())
        caf_compare(caf.group, all->call, all->c->nelems, all->c->section->elem_nbytes,
                    type_of(all->c->section), (uint64_t)all->image);
}

static void broadcast(void *arg)
{
    const collective_t *all = arg;
    agree(all);
    caf_co_broadcast(all->c->data, all->c->nbytes, all->root);
}

static void reduce(void *arg)
{
    const collective_t *all = arg;
    agree(all);
    caf_co_reduce(all->c->data, all->c->nelems, all->c->section->elem_nbytes, all->fn);
}

/** Is there such an image? 0, all, only where `all`. */
static bool check_image(const caf_status_t *status, const char *call, int image, bool all)
{
    int pe;
    return (all && image == 0) || caf_want_pe(status, call, caf.group, image, &pe);
}

void caf_section_co_broadcast(const caf_status_t *status, const caf_section_t *section,
                              int source_image)
{
    contiguous_t c;
    if (!check_image(status, "co_broadcast", source_image, false))
        return;
    if (!caf_enter(status, "co_broadcast"))
        return;
    open_contiguous(&c, "co_broadcast", section);
    collective_t all = {
        .call = "co_broadcast", .c = &c, .image = source_image, .root = source_image - 1};
    const bool done = caf_act(status, "co_broadcast", broadcast, &all);
    close_contiguous(&c, done);
    if (done)
        caf_succeed(status);
}

static const char *name_of(int type)
{
    static const char *const names[] = {
        [CAF_INTEGER] = "integers",   [CAF_LOGICAL] = "logicals",
        [CAF_REAL] = "reals",         [CAF_COMPLEX] = "complex numbers",
        [CAF_DERIVED] = "structures", [CAF_CHARACTER] = "characters"};
    const bool known = type >= CAF_INTEGER && type <= CAF_CHARACTER;
    return known ? names[type] : "elements of an unknown type";
}

/** False: not with these elements, on all images, which is reported. */
static bool is_possible(const caf_status_t *status, const char *call, const caf_section_t *section,
                        cw_reduce_fn fn)
{
    const size_t nbytes = section->elem_nbytes;
    const bool fits = nbytes <= CAF_STAGE || caf.group->size == 1;
    if (!fn)
        caf_fail(status, CAF_ERROR, call, "there is none of %s of %zu bytes",
                 name_of(section->type), nbytes);
    else if (!fits)
        caf_fail(status, CAF_ERROR, call, "one element has %zu bytes, and the most are %d", nbytes,
                 CAF_STAGE);
    return fn && fits;
}

void caf_section_co_reduce(const caf_status_t *status, const char *call,
                           const caf_section_t *section, int result_image, cw_reduce_fn fn)
{
    contiguous_t c;
    if (!check_image(status, call, result_image, true))
        return;
    if (!is_possible(status, call, section, fn))
        return;
    if (!caf_enter(status, call))
        return;
    open_contiguous(&c, call, section);
    collective_t all = {.call = call, .c = &c, .image = result_image, .fn = fn};
    const bool done = caf_act(status, call, reduce, &all);
    close_contiguous(&c, done && (result_image == 0 || result_image == caf_this_image()));
    if (done)
        caf_succeed(status);
}

int caf_kind_of(const char *call, int type, size_t elem_nbytes, int text_length)
{
    if (type == CAF_CHARACTER)
        return text_length > 0 ? (int)(elem_nbytes / (size_t)text_length) : 1;
    const int kind = (int)(type == CAF_COMPLEX ? elem_nbytes / 2 : elem_nbytes);
    if (kind == 16 && (type == CAF_REAL || type == CAF_COMPLEX) && sizeof(long double) == 16 &&
        LDBL_MANT_DIG == 64)
        caf_fatal(call, "the compiler does not say whether a number of 16 bytes is of kind 10 or "
                        "of kind 16; convert it to kind 8");
    return kind;
}
