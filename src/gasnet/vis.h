// SPDX-License-Identifier: BSD-3-Clause
//
// Vector, indexed and strided transfers of both interfaces (vis.c): lists of regions here and
// there, of the same total length, whose bytes pair off in order. A walk over both lists gives
// contiguous pieces, each one put or get; one synchronization completes them all.
#ifndef GAS_VIS_H
#define GAS_VIS_H

#include "gasnet/gas.h"

/** Regions one after the other, of whichever kind of list. */
typedef struct gas_list {
    const gasnet_memvec_t *vectors;  // or
    void *const *addresses;          // all of len bytes; or
    char *base;                      // a strided section
    const size_t *strides, *count;   // count: without the bytes of a region
    size_t levels, index[GAS_MAX_LEVELS];
    size_t n, len;  // regions; bytes of each (not of vectors)
    size_t at;      // region that comes next
} gas_list_t;

/** A transfer: `far` is the remote list. */
typedef struct gas_vis {
    const char *call;
    gasnet_node_t node;
    bool put;
    gas_list_t far, near;
    bool by_message;  // what others cannot reach, the owner copies, also where segments are not
                      // EVERYTHING
} gas_vis_t;

/** The next region; false: there is none. */
bool gas_list_next(gas_list_t *list, char **addr_p, size_t *nbytes_p);

gas_vis_t gas_vis_vector(const char *call, bool put, gasnet_node_t node, size_t nfar,
                         const gasnet_memvec_t *far, size_t nnear, const gasnet_memvec_t *near);
gas_vis_t gas_vis_indexed(const char *call, bool put, gasnet_node_t node, size_t nfar,
                          void *const *far, size_t far_len, size_t nnear, void *const *near,
                          size_t near_len);
/** Strides may stand for negative numbers. count: [levels]. */
gas_vis_t gas_vis_strided(const char *call, bool put, gasnet_node_t node, void *far,
                          const size_t *far_strides, void *near, const size_t *near_strides,
                          size_t nbytes, const size_t *count, size_t levels);
void gas_vis_blocking(gas_vis_t vis);
gasnet_handle_t gas_vis_explicit(gas_vis_t vis);
void gas_vis_implicit(gas_vis_t vis);

#endif
