// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives. An array of any type comes as the descriptor of the compiler, with all arguments by
// reference: such an argument has no procedure of C.
#include <string.h>

#include "caf/prif/descriptor.h"
#include "caf/prif/prf.h"
#include "caf/reduce_ops.h"

/** The program's operation: out becomes f(in, out), for count elements. */
typedef void operation_fn(const void *in, void *out, size_t count, void *cdata);

// The underscore is the compilers'.
PRF_API void causeway_prif_co_broadcast_(void *a, const int *compiler, const int *source_image,
                                         int *stat, int *code);
PRF_API void causeway_prif_co_combine_(void *a, const int *compiler, const int *op,
                                       const int *text_length, const int *result_image, int *stat,
                                       int *code);
PRF_API void causeway_prif_co_reduce_(void *a, const int *compiler, operation_fn *operation,
                                      void **cdata, const int *result_image, int *stat, int *code);
PRF_API int causeway_prif_co_broadcast_cptr(void *data, size_t nbytes, int source_image, int *stat);
PRF_API int causeway_prif_co_reduce_cptr(void *data, size_t elem_nbytes, size_t nelems,
                                         operation_fn *operation, void *cdata,
                                         const int *result_image, int *stat);

// The running reduction's.
static operation_fn *user_operation;
static void *user_cdata;

static void by_user(void *acc, const void *in, size_t nelems)
{
    user_operation(in, acc, nelems, user_cdata);
}

static int image_or_all(const int *result_image)
{
    return result_image ? *result_image : 0;
}

static void make_contiguous(caf_section_t *s, void *data, size_t elem_nbytes, size_t nelems)
{
    *s = (caf_section_t){.base = data, .elem_nbytes = elem_nbytes, .type = CAF_DERIVED, .rank = 1};
    s->dim[0].extent = nelems;
    s->dim[0].stride = (ptrdiff_t)elem_nbytes;
}

static int broadcast(const caf_section_t *section, int source_image, int *stat)
{
    const caf_status_t status = prf_status(stat);
    caf_section_co_broadcast(&status, section, source_image);
    return prf_outcome(stat);
}

static int reduce_by_user(const caf_section_t *section, operation_fn *operation, void *cdata,
                          const int *result_image, int *stat)
{
    const caf_status_t status = prf_status(stat);
    if (!operation) {
        caf_fail(&status, CAF_ERROR, "co_reduce", "there is no operation");
        return prf_outcome(stat);
    }
    user_operation = operation;
    user_cdata = cdata;
    caf_section_co_reduce(&status, "co_reduce", section, image_or_all(result_image), by_user);
    return prf_outcome(stat);
}

void causeway_prif_co_broadcast_(void *a, const int *compiler, const int *source_image, int *stat,
                                 int *code)
{
    PRF_ENTER("prif_co_broadcast");
    caf_section_t section;
    prf_describe(&section, "co_broadcast", a, *compiler, 0);
    *code = broadcast(&section, *source_image, stat);
}

/** op: caf_reduce_t. */
static CW_NOINLINE void combine_any(void *a, const int *compiler, const int *op,
                                    const int *text_length, const int *result_image, int *stat,
                                    int *code)
{
    static const char *const calls[] = {
        [CAF_SUM] = "prif_co_sum", [CAF_MIN] = "prif_co_min", [CAF_MAX] = "prif_co_max"};
    PRF_ENTER(calls[*op]);
    const char *call = calls[*op] + sizeof "prif_" - 1;
    const caf_status_t status = prf_status(stat);
    caf_section_t s;
    prf_describe(&s, call, a, *compiler, *text_length);
    if (s.kind == 0)
        s.kind = caf_kind_of(call, s.type, s.elem_nbytes, *text_length);
    cw_reduce_fn fn = caf_reduce_fn((caf_reduce_t)*op, s.type, s.kind, s.elem_nbytes);
    caf_section_co_reduce(&status, call, &s, image_or_all(result_image), fn);
    *code = prf_outcome(stat);
}

void causeway_prif_co_combine_(void *a, const int *compiler, const int *op, const int *text_length,
                               const int *result_image, int *stat, int *code)
{
    prf_row_t row;
    if (CW_LIKELY(caf.plain && !result_image && !stat && prf_is_row(a, *compiler, &row))) {
        cw_reduce_fn fn = caf_reduce_number((caf_reduce_t)*op, row.type, row.elem_nbytes);
        if (CW_LIKELY(fn && *text_length == 0)) {
            *code = 0;
            caf.team->gates++;
            caf_co_reduce(row.data, row.nelems, row.elem_nbytes, fn);
            return;
        }
    }
    combine_any(a, compiler, op, text_length, result_image, stat, code);
}

void causeway_prif_co_reduce_(void *a, const int *compiler, operation_fn *operation, void **cdata,
                              const int *result_image, int *stat, int *code)
{
    PRF_ENTER("prif_co_reduce");
    caf_section_t section;
    prf_describe(&section, "co_reduce", a, *compiler, 0);
    *code = reduce_by_user(&section, operation, *cdata, result_image, stat);
}

int causeway_prif_co_broadcast_cptr(void *data, size_t nbytes, int source_image, int *stat)
{
    PRF_ENTER("prif_co_broadcast_cptr");
    caf_section_t section;
    make_contiguous(&section, data, 1, nbytes);
    return broadcast(&section, source_image, stat);
}

int causeway_prif_co_reduce_cptr(void *data, size_t elem_nbytes, size_t nelems,
                                 operation_fn *operation, void *cdata, const int *result_image,
                                 int *stat)
{
    PRF_ENTER("prif_co_reduce_cptr");
    caf_section_t section;
    make_contiguous(&section, data, elem_nbytes, nelems);
    return reduce_by_user(&section, operation, cdata, result_image, stat);
}
