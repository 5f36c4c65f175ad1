// SPDX-License-Identifier: BSD-3-Clause
//
// Sieving: a strided get of close rows, as direct gets of all between first and last, without the
// target's node server. In no order with requests. Threads: any. Blocking: for the bytes.
#ifndef CW_CORE_BULK_SIEVE_H
#define CW_CORE_BULK_SIEVE_H

#include "core/bulk/rows.h"
#include "core/rma/context.h"
#include "transport/transport.h"

bool cw_sieve_pays(ptrdiff_t stride, size_t nbytes, size_t n);
/** src: symmetric. False: no memory; nothing was done. */
bool cw_sieve_get(cw_ctx_t *ctx, const cwt_target_t *t, const cw_rows_t *r, int rank);

#endif
