// SPDX-License-Identifier: BSD-3-Clause
//
// Names of frames. oshrun has them too, without a job.
#include "core/observe/observer.h"

const char *const cw_op_names[] = {
    [CW_OP_PUT] = "put",
    [CW_OP_PUT_NBI] = "put_nbi",
    [CW_OP_P] = "p",
    [CW_OP_PUT_STRIDED] = "put_strided",
    [CW_OP_PUT_SIGNAL] = "put_signal",
    [CW_OP_ACCUMULATE] = "accumulate",
    [CW_OP_GET] = "get",
    [CW_OP_GET_NBI] = "get_nbi",
    [CW_OP_G] = "g",
    [CW_OP_GET_STRIDED] = "get_strided",
    [CW_OP_ATOMIC] = "atomic",
    [CW_OP_ATOMIC_FETCH] = "atomic_fetch",
    [CW_OP_ATOMIC_NBI] = "atomic_fetch_nbi",
    [CW_OP_CALL] = "call",
    [CW_OP_WAIT] = "wait",
    [CW_OP_HANDLER] = "handler",
};
