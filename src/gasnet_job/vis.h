// SPDX-License-Identifier: BSD-3-Clause
//
// Vector, indexed and strided transfers of both interfaces: core/owner/vector.h behind checks.
// `call`: as the client calls it.
#ifndef GAS_VIS_H
#define GAS_VIS_H

#include "core/owner/vector.h"
#include "gasnet_job/gas.h"

// Fatal for lists that are NULL, and for too many levels.
void gas_vis_vector(cw_vector_t *v, const char *call, bool put, gasnet_node_t node, size_t nremote,
                    const cw_region_t *remote, size_t nlocal, const cw_region_t *local);
void gas_vis_indexed(cw_vector_t *v, const char *call, bool put, gasnet_node_t node, size_t nremote,
                     void *const *remote, size_t remote_len, size_t nlocal, void *const *local,
                     size_t local_len);
/** count: [levels], without the bytes of a region, which are nbytes. */
void gas_vis_strided(cw_vector_t *v, const char *call, bool put, gasnet_node_t node, void *remote,
                     const size_t *remote_strides, void *local, const size_t *local_strides,
                     size_t nbytes, const size_t *count, size_t levels);

// Fatal for lists of different lengths, and in checking mode for wrong addresses; those of a
// transfer by_owner the caller has checked.
void gas_vis_check(const cw_vector_t *v);
void gas_vis_blocking(const cw_vector_t *v);
gasnet_handle_t gas_vis_explicit(const cw_vector_t *v);
void gas_vis_implicit(const cw_vector_t *v);

#endif
