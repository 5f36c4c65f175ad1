// SPDX-License-Identifier: BSD-3-Clause
//
// CO_BROADCAST, CO_SUM, CO_MIN, CO_MAX, CO_REDUCE.
#include "caf/gfortran/user_op.h"
#include "caf/reduce_ops.h"

GFT_API void _gfortran_caf_co_broadcast(caf_descriptor_t *a, int source_image, int *stat,
                                        char *errmsg, size_t errmsg_nbytes);
GFT_API void _gfortran_caf_co_sum(caf_descriptor_t *a, int result_image, int *stat, char *errmsg,
                                  size_t errmsg_nbytes);
GFT_API void _gfortran_caf_co_min(caf_descriptor_t *a, int result_image, int *stat, char *errmsg,
                                  int a_len, size_t errmsg_nbytes);
GFT_API void _gfortran_caf_co_max(caf_descriptor_t *a, int result_image, int *stat, char *errmsg,
                                  int a_len, size_t errmsg_nbytes);
GFT_API void _gfortran_caf_co_reduce(caf_descriptor_t *a, gft_operation_fn *operation, int flags,
                                     int result_image, int *stat, char *errmsg, int a_len,
                                     size_t errmsg_nbytes);

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

void _gfortran_caf_co_broadcast(caf_descriptor_t *a, int source_image, int *stat, char *errmsg,
                                size_t errmsg_nbytes)
{
    GFT_ENTER();
    const caf_status_t status = status_of(stat, errmsg, NULL, errmsg_nbytes);
    caf_section_t section;
    caf_section_of(&section, a, NULL, 0);
    caf_section_co_broadcast(&status, &section, source_image);
}

static int kind_of(const char *call, const caf_descriptor_t *a, int text_length)
{
    return caf_kind_of(call, a->dtype.type, a->dtype.elem_nbytes, text_length);
}

static cw_reduce_fn find_fn(const char *call, caf_reduce_t op, const caf_descriptor_t *a,
                            int text_length)
{
    return caf_reduce_fn(op, a->dtype.type, kind_of(call, a, text_length), a->dtype.elem_nbytes);
}

static void reduce(const caf_status_t *status, const char *call, const caf_descriptor_t *a,
                   int result_image, cw_reduce_fn fn)
{
    caf_section_t section;
    caf_section_of(&section, a, NULL, 0);
    caf_section_co_reduce(status, call, &section, result_image, fn);
}

void _gfortran_caf_co_sum(caf_descriptor_t *a, int result_image, int *stat, char *errmsg,
                          size_t errmsg_nbytes)
{
    GFT_ENTER();
    const caf_status_t status = status_of(stat, errmsg, NULL, errmsg_nbytes);
    reduce(&status, "co_sum", a, result_image, find_fn("co_sum", CAF_SUM, a, 0));
}

void _gfortran_caf_co_min(caf_descriptor_t *a, int result_image, int *stat, char *errmsg, int a_len,
                          size_t errmsg_nbytes)
{
    GFT_ENTER();
    const caf_status_t status = status_of(stat, errmsg, &a_len, errmsg_nbytes);
    reduce(&status, "co_min", a, result_image, find_fn("co_min", CAF_MIN, a, a_len));
}

void _gfortran_caf_co_max(caf_descriptor_t *a, int result_image, int *stat, char *errmsg, int a_len,
                          size_t errmsg_nbytes)
{
    GFT_ENTER();
    const caf_status_t status = status_of(stat, errmsg, &a_len, errmsg_nbytes);
    reduce(&status, "co_max", a, result_image, find_fn("co_max", CAF_MAX, a, a_len));
}

void _gfortran_caf_co_reduce(caf_descriptor_t *a, gft_operation_fn *operation, int flags,
                             int result_image, int *stat, char *errmsg, int a_len,
                             size_t errmsg_nbytes)
{
    GFT_ENTER();
    const caf_status_t status = status_of(stat, errmsg, &a_len, errmsg_nbytes);
    reduce(&status, "co_reduce", a, result_image,
           gft_user_fn(operation, flags, a->dtype.type, kind_of("co_reduce", a, a_len),
                       a->dtype.elem_nbytes));
}
