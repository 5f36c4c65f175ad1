// SPDX-License-Identifier: BSD-3-Clause
//
// Operations of atomics and reductions: those of the interface by type, and those that programs
// make. Threads: any. Blocking: never.
#ifndef DRT_OP_H
#define DRT_OP_H

#include "core/coll/coll.h"
#include "dart/drt.h"

/** One that a program has made. */
typedef struct drt_user_op {
    dart_operator_t fn;
    void *userdata;
    bool commutes;
    dart_datatype_t type;  // that it is for
} drt_user_op_t;

/** NULL: it is none that a program has made. */
const drt_user_op_t *drt_user_op(dart_operation_t op);
/** acc[i] = acc[i] op in[i] for elements of a basic type; DART_OP_MINMAX: for pairs of them. NULL:
 *  the type has no such operation. */
cw_reduce_fn drt_op_fn(dart_datatype_t type, dart_operation_t op);
/** For messages: "DART_OP_SUM", "DART_TYPE_INT"; NULL: one that a program has made, or none. */
const char *drt_value_name(bool is_operation, uint64_t value);
dart_ret_t drt_refuse_op(const char *call, dart_datatype_t type, dart_operation_t op) CW_COLD;

#endif
