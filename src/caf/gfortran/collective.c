// SPDX-License-Identifier: BSD-3-Clause
//
// CO_BROADCAST, CO_SUM, CO_MIN, CO_MAX, CO_REDUCE. A section that is not contiguous goes through
// memory of its own.
#include <float.h>
#include <stdlib.h>

#include "base/error.h"
#include "caf/gfortran/reduce_ops.h"
#include "caf/gfortran/section.h"
#include "caf/gone.h"

GFT_API void _gfortran_caf_co_broadcast(gft_descriptor_t *a, int source_image, int *stat,
                                        char *errmsg, size_t errmsg_nbytes);
GFT_API void _gfortran_caf_co_sum(gft_descriptor_t *a, int result_image, int *stat, char *errmsg,
                                  size_t errmsg_nbytes);
GFT_API void _gfortran_caf_co_min(gft_descriptor_t *a, int result_image, int *stat, char *errmsg,
                                  int a_len, size_t errmsg_nbytes);
GFT_API void _gfortran_caf_co_max(gft_descriptor_t *a, int result_image, int *stat, char *errmsg,
                                  int a_len, size_t errmsg_nbytes);
GFT_API void _gfortran_caf_co_reduce(gft_descriptor_t *a, gft_operation_fn *operation, int flags,
                                     int result_image, int *stat, char *errmsg, int a_len,
                                     size_t errmsg_nbytes);

// ---------------------------------------------------------------- contiguous memory
typedef struct contiguous {
    gft_section_t section, packed;
    char *data;
    size_t nelems, nbytes;
    bool copied;
} contiguous_t;

static bool is_dense(const gft_section_t *s)
{
    ptrdiff_t stride = (ptrdiff_t)s->elem_nbytes;
    for (int i = 0; i < s->rank; i++) {
        if (s->dim[i].extent != 1 && s->dim[i].stride != stride)
            return false;
        stride *= (ptrdiff_t)s->dim[i].extent;
    }
    return true;
}

static void open_contiguous(contiguous_t *c, const gft_descriptor_t *a)
{
    gft_section_of(&c->section, a, NULL, 0);
    c->nelems = gft_section_nelems(&c->section);
    c->nbytes = c->nelems * c->section.elem_nbytes;
    c->data = c->section.base;
    c->copied = !is_dense(&c->section);
    if (!c->copied)
        return;
    if (!(c->data = malloc(c->nbytes + 1)))
        cwu_fatal("out of memory for a section of %zu bytes", c->nbytes);
    gft_section_packed(&c->packed, &c->section, c->data);
    gft_section_assign(&c->packed, &c->section);
}

/** wanted: the program gets the result. */
static void close_contiguous(contiguous_t *c, bool wanted)
{
    if (!c->copied)
        return;
    if (wanted)
        gft_section_assign(&c->section, &c->packed);
    free(c->data);
}

/** Is there such an image? 0, all, only where `all`. */
static bool check_image(const caf_status_t *status, const char *call, int image, bool all)
{
    int pe;
    return (all && image == 0) || caf_want_pe(status, call, caf.group, image, &pe);
}

// ---------------------------------------------------------------- calls
/** gfortran 12 passes an errmsg= of fixed length by value, on the stack: what is behind it, the
 *  length of characters or of the message, comes in its place. So what can be no address is none,
 *  and the length of characters, if there are some. */
static caf_status_t status_of(int *stat, char *errmsg, int *text_length_p, size_t errmsg_nbytes)
{
    enum { ADDRESSES_FROM = 65536 };
    if ((uintptr_t)errmsg >= ADDRESSES_FROM)
        return gft_status(stat, errmsg, errmsg_nbytes);
    if (errmsg && text_length_p)
        *text_length_p = (int)(uintptr_t)errmsg;
    return gft_status(stat, NULL, 0);
}

void _gfortran_caf_co_broadcast(gft_descriptor_t *a, int source_image, int *stat, char *errmsg,
                                size_t errmsg_nbytes)
{
    GFT_ENTER();
    const caf_status_t status = status_of(stat, errmsg, NULL, errmsg_nbytes);
    contiguous_t c;
    if (!check_image(&status, "co_broadcast", source_image, false))
        return;
    if (!caf_enter(&status, "co_broadcast"))
        return;
    open_contiguous(&c, a);
    caf_co_broadcast(c.data, c.nbytes, source_image - 1);
    close_contiguous(&c, true);
    caf_succeed(&status);
}

/** In a descriptor there is no kind: it follows from the bytes. */
static int kind_of(const char *call, const gft_descriptor_t *a, int text_length)
{
    const size_t nbytes = a->dtype.elem_nbytes;
    const int type = a->dtype.type;
    if (type == GFT_CHARACTER)
        return text_length > 0 ? (int)(nbytes / (size_t)text_length) : 1;
    const int kind = (int)(type == GFT_COMPLEX ? nbytes / 2 : nbytes);
    if (kind == 16 && (type == GFT_REAL || type == GFT_COMPLEX) && sizeof(long double) == 16 &&
        LDBL_MANT_DIG == 64)
        caf_fatal(call, "the compiler does not say whether a number of 16 bytes is of kind 10 or "
                        "of kind 16; convert it to kind 8");
    return kind;
}

/** fn: NULL, there is none for the type. */
static void reduce(const caf_status_t *status, const char *call, const gft_descriptor_t *a,
                   int result_image, cw_reduce_fn fn)
{
    contiguous_t c;
    if (!check_image(status, call, result_image, true))
        return;
    if (!fn)
        caf_fatal(call, "there is none for type %d with elements of %zu bytes", a->dtype.type,
                  a->dtype.elem_nbytes);
    if (!caf_enter(status, call))
        return;
    open_contiguous(&c, a);
    caf_co_reduce(c.data, c.nelems, c.section.elem_nbytes, fn);
    close_contiguous(&c, result_image == 0 || result_image == caf_this_image());
    caf_succeed(status);
}

static cw_reduce_fn find_fn(const char *call, gft_reduce_t op, const gft_descriptor_t *a,
                            int text_length)
{
    return gft_reduce_fn(op, a->dtype.type, kind_of(call, a, text_length), a->dtype.elem_nbytes);
}

void _gfortran_caf_co_sum(gft_descriptor_t *a, int result_image, int *stat, char *errmsg,
                          size_t errmsg_nbytes)
{
    GFT_ENTER();
    const caf_status_t status = status_of(stat, errmsg, NULL, errmsg_nbytes);
    reduce(&status, "co_sum", a, result_image, find_fn("co_sum", GFT_SUM, a, 0));
}

void _gfortran_caf_co_min(gft_descriptor_t *a, int result_image, int *stat, char *errmsg, int a_len,
                          size_t errmsg_nbytes)
{
    GFT_ENTER();
    const caf_status_t status = status_of(stat, errmsg, &a_len, errmsg_nbytes);
    reduce(&status, "co_min", a, result_image, find_fn("co_min", GFT_MIN, a, a_len));
}

void _gfortran_caf_co_max(gft_descriptor_t *a, int result_image, int *stat, char *errmsg, int a_len,
                          size_t errmsg_nbytes)
{
    GFT_ENTER();
    const caf_status_t status = status_of(stat, errmsg, &a_len, errmsg_nbytes);
    reduce(&status, "co_max", a, result_image, find_fn("co_max", GFT_MAX, a, a_len));
}

void _gfortran_caf_co_reduce(gft_descriptor_t *a, gft_operation_fn *operation, int flags,
                             int result_image, int *stat, char *errmsg, int a_len,
                             size_t errmsg_nbytes)
{
    GFT_ENTER();
    const caf_status_t status = status_of(stat, errmsg, &a_len, errmsg_nbytes);
    reduce(&status, "co_reduce", a, result_image,
           gft_user_fn(operation, flags, a->dtype.type, kind_of("co_reduce", a, a_len),
                       a->dtype.elem_nbytes));
}
