// SPDX-License-Identifier: BSD-3-Clause
//
// Atomic accesses under the memory models. Sizes are 1, 2, 4 or 8 bytes; orders are the compiler's
// __ATOMIC_... All are called by the thread that holds the token, after its scheduling point.
#ifndef SIM_MODEL_H
#define SIM_MODEL_H

#include "world.h"

typedef enum sim_op { SIM_SWAP, SIM_ADD, SIM_SUB, SIM_AND, SIM_OR, SIM_XOR, SIM_NAND } sim_op_t;

uint64_t sim_load(const volatile void *at, uint32_t nbytes, int order);
void sim_store(volatile void *at, uint32_t nbytes, uint64_t value, int order);
uint64_t sim_rmw(volatile void *at, uint32_t nbytes, sim_op_t op, uint64_t operand, int order);
bool sim_cas(volatile void *at, uint32_t nbytes, uint64_t *expected, uint64_t desired, int order,
             int on_failure);
void sim_fence(int order);
/** A call into a provider: what came before it is there for the network, if it posts something, and
 *  what was there before posts of others is seen behind it. Nothing says that its caller's stores
 *  are seen before its later loads. */
void sim_device(bool posts);
void sim_plain_read(const void *at, size_t nbytes);
void sim_plain_write(void *at, size_t nbytes);

static inline uint64_t sim_raw_load(const volatile void *at, uint32_t nbytes)
{
    switch (nbytes) {
    case 1:
        return *(const volatile uint8_t *)at;
    case 2:
        return *(const volatile uint16_t *)at;
    case 4:
        return *(const volatile uint32_t *)at;
    default:
        return *(const volatile uint64_t *)at;
    }
}

static inline void sim_raw_store(volatile void *at, uint32_t nbytes, uint64_t value)
{
    switch (nbytes) {
    case 1:
        *(volatile uint8_t *)at = (uint8_t)value;
        break;
    case 2:
        *(volatile uint16_t *)at = (uint16_t)value;
        break;
    case 4:
        *(volatile uint32_t *)at = (uint32_t)value;
        break;
    default:
        *(volatile uint64_t *)at = value;
    }
}

#endif
