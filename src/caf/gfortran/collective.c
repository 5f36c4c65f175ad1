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

/** Of numbers, and of all images, without stat=; false: it takes the general path. */
static CW_ALWAYS_INLINE bool reduce_numbers(caf_reduce_t op, const caf_descriptor_t *a,
                                            int result_image, const int *stat)
{
    const size_t nelems = caf_row_of(a);
    cw_reduce_fn fn = caf_reduce_number(op, a->dtype.type, a->dtype.elem_nbytes);
    if (CW_UNLIKELY(!caf.plain || !nelems || !fn || result_image != 0 || stat))
        return false;
    caf.team->gates++;
    caf_co_reduce(a->data, nelems, a->dtype.elem_nbytes, fn);
    return true;
}

static CW_NOINLINE void reduce_any(const char *routine, caf_reduce_t op, const caf_descriptor_t *a,
                                   int result_image, const caf_status_t *status, int text_length)
{
    GFT_ENTER_AS(routine);
    const char *call = routine + sizeof "_gfortran_caf_" - 1;
    reduce(status, call, a, result_image, find_fn(call, op, a, text_length));
}

static CW_NOINLINE void sum_any(caf_descriptor_t *a, int result_image, int *stat, char *errmsg,
                                size_t errmsg_nbytes)
{
    const caf_status_t status = status_of(stat, errmsg, NULL, errmsg_nbytes);
    reduce_any("_gfortran_caf_co_sum", CAF_SUM, a, result_image, &status, 0);
}

void _gfortran_caf_co_sum(caf_descriptor_t *a, int result_image, int *stat, char *errmsg,
                          size_t errmsg_nbytes)
{
    if (!reduce_numbers(CAF_SUM, a, result_image, stat))
        sum_any(a, result_image, stat, errmsg, errmsg_nbytes);
}

void _gfortran_caf_co_min(caf_descriptor_t *a, int result_image, int *stat, char *errmsg, int a_len,
                          size_t errmsg_nbytes)
{
    if (reduce_numbers(CAF_MIN, a, result_image, stat))
        return;
    const caf_status_t status = status_of(stat, errmsg, &a_len, errmsg_nbytes);
    reduce_any("_gfortran_caf_co_min", CAF_MIN, a, result_image, &status, a_len);
}

void _gfortran_caf_co_max(caf_descriptor_t *a, int result_image, int *stat, char *errmsg, int a_len,
                          size_t errmsg_nbytes)
{
    if (reduce_numbers(CAF_MAX, a, result_image, stat))
        return;
    const caf_status_t status = status_of(stat, errmsg, &a_len, errmsg_nbytes);
    reduce_any("_gfortran_caf_co_max", CAF_MAX, a, result_image, &status, a_len);
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
