// SPDX-License-Identifier: BSD-3-Clause
//
// Places of the library's code: which of them the runs pass (--coverage), and whose memory orders
// count as relaxed (--weaken). A place is where a call of the instrumentation returns to.
#ifndef SIM_SITES_H
#define SIM_SITES_H

#include <stddef.h>
#include <stdint.h>

typedef struct sim_sites {
    uintptr_t base;  // of the library
    uintptr_t link;  // the address that its file has for that
    size_t nbytes;
    unsigned char *seen;  // by distance from the base, shared by all processes; NULL: not asked for
    unsigned char *weak;
} sim_sites_t;
extern sim_sites_t sim_sites;

static inline void sim_sites_pass(const void *at)
{
    if (sim_sites.seen && (uintptr_t)at - sim_sites.base < sim_sites.nbytes)
        sim_sites.seen[(uintptr_t)at - sim_sites.base] = 1;
}

static inline int sim_sites_order(const void *at, int order)
{
    if (sim_sites.weak && (uintptr_t)at - sim_sites.base < sim_sites.nbytes &&
        sim_sites.weak[(uintptr_t)at - sim_sites.base])
        return __ATOMIC_RELAXED;
    return order;
}

/** By the driver, before and behind its runs. Places are addresses of the library's file,
 *  "0x1234,0x5678"; NULL: none. */
void sim_sites_begin(const char *coverage, const char *weaken);
void sim_sites_end(const char *coverage);

#endif
