// SPDX-License-Identifier: BSD-3-Clause
//
// Asks for one address, and says why there is none.
#include "core/world/one_address.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "base/env.h"
#include "base/error.h"
#include "base/machine.h"
#include "bootstrap/bootstrap.h"
#include "core/world/front_end.h"
#include "core/world/loaded.h"

#define PAGE_SHIFT 12u  // unit of randomisation, whatever the page size

static uintptr_t mine;

void cw_one_address_at_load(char *const *argv)
{
    if (cwb_may_restart() && cw_program_uses_named_routines() && cw_loaded_with_program())
        cwb_restart(argv);
    else if (cwb_lies_badly())
        cwb_restart_elsewhere(argv);
}

void cw_one_address_is(uintptr_t origin)
{
    mine = origin;
}

uint32_t cw_one_address_page(void)
{
    return (uint32_t)(mine >> PAGE_SHIFT);
}

void cw_one_address_compare(uint32_t theirs, const char *whose)
{
    static atomic_bool said;
    if (!mine || !theirs || theirs == cw_one_address_page() || atomic_exchange(&said, true))
        return;
    cwu_debug("symmetric memory begins at %#lx here, and at another address on %s: %s; programs "
              "linked with -no-pie have one address",
              (unsigned long)mine, whose,
              !cwu_addresses_random() ? "the hosts place programs differently"
              : cwu_env.one_address   ? "randomisation could not be turned off (personality(2))"
                                      : "CAUSEWAY_ONE_ADDRESS=0");
}
