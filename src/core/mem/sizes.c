// SPDX-License-Identifier: BSD-3-Clause
//
// Sizes of heap and areas (ADR 78).
#include "core/mem/sizes.h"

#include "base/env.h"
#include "base/error.h"
#include "base/machine.h"
#include "core/mem/area.h"
#include "core/world/world.h"

#define MIB (UINT64_C(1) << 20)
#define UNIT 65536u

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/** Bytes for heap and areas of a PE, with a quarter of the limit left to the program. A process
 *  maps those of its node, its own twice. UINT64_MAX: no limit. */
static uint64_t addresses_a_pe(uint64_t data_nbytes)
{
    uint64_t limit = cwu_address_limit();
    if (limit == UINT64_MAX)
        return limit;
    uint64_t each = (limit - limit / 4) / ((uint64_t)cw_world.max_slots + 1);
    return each > data_nbytes ? each - data_nbytes : 0;
}

static bool is_one_machine(const cwb_t *boot)
{
    return boot->one_machine || cw_world.nnodes == 1;
}

/** A sparse one, or the setting's default (docs/design/heap.md). */
static uint64_t default_heap(const cwb_t *boot, uint64_t machine, uint64_t addresses,
                             cw_sizes_t *sizes)
{
    uint64_t npes = cw_machine_sharers(), heap = cwu_env.symmetric_size;
    sizes->sparse = machine && is_one_machine(boot) && !cw_area_nbytes();
    if (sizes->sparse)
        heap = (machine - machine / 4) / npes / (2 * MIB) * (2 * MIB);
    while (!sizes->sparse && machine && heap > MIB && heap * npes > machine / 2)
        heap /= 2;
    heap = least(heap, addresses / 2 / MIB * MIB);
    return heap > MIB ? heap : MIB;
}

static int check_heap(uint64_t machine, uint64_t heap)
{
    uint64_t npes = cw_machine_sharers();
    if (!machine || heap <= machine / npes)
        return CW_OK;
    cwu_error("the symmetric heaps do not fit: %d PEs of this machine x %.2f GiB (%s) = %.2f GiB, "
              "but it has %.2f GiB; ask for at most %.2f GiB per PE or start fewer PEs",
              (int)npes, (double)heap / (1 << 30), CWU_ENV_NAME(symmetric_size),
              (double)heap * (double)npes / (1 << 30), (double)machine / (1 << 30),
              (double)machine / (double)npes / (1 << 30));
    return CW_ENOMEM;
}

int cw_sizes_choose(const cwb_t *boot, uint64_t data_nbytes, cw_sizes_t *sizes_p)
{
    uint64_t machine = boot->machine_nbytes ? boot->machine_nbytes : cwu_machine_memory();
    uint64_t addresses = addresses_a_pe(data_nbytes);
    cw_sizes_t sizes = {0};
    int rc = CW_OK;
    sizes.area = cw_area_choose(machine, addresses / 4);
    if (!cwu_env.symmetric_size_set) {
        sizes.heap = default_heap(boot, machine, addresses, &sizes);
    } else {
        sizes.heap = (cwu_env.symmetric_size + UNIT - 1) / UNIT * UNIT;
        if (sizes.heap == 0)
            sizes.heap = UNIT;
        rc = check_heap(machine, sizes.heap);
    }
    sizes.sparse = sizes.sparse || cw_area_is_sparse();
    *sizes_p = sizes;
    return rc;
}
