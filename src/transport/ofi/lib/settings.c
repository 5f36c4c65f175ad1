// SPDX-License-Identifier: BSD-3-Clause
#include "settings.h"

#include <dlfcn.h>
#include <stddef.h>

#include "base/env.h"
#include "slot.h"

#define VERBS "libibverbs.so.1"

static void *verbs;
static ofi_slot_t of_libfabric, of_verbs;

void ofi_settings_give(void *libfabric)
{
    if (!cwu_env_is_kept())
        return;
    ofi_slot_divert(&of_libfabric, libfabric, "getenv", (ofi_fn_t *)cwu_env_kept);
    verbs = dlopen(VERBS, RTLD_LAZY | RTLD_NOLOAD);
    if (verbs)
        ofi_slot_divert(&of_verbs, verbs, "getenv", (ofi_fn_t *)cwu_env_kept);
}

void ofi_settings_take_back(void)
{
    ofi_slot_restore(&of_libfabric);
    ofi_slot_restore(&of_verbs);
    if (verbs)
        dlclose(verbs);
    verbs = NULL;
}
