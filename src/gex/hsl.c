// SPDX-License-Identifier: BSD-3-Clause
//
// Handler-safe locks of GASNet-EX.
#include "gasnet_job/hsl.h"

GAS_API void gex_HSL_Lock(gex_HSL_t *hsl)
{
    gas_hsl_lock(__func__, hsl);
}

GAS_API int gex_HSL_Trylock(gex_HSL_t *hsl)
{
    return gas_hsl_trylock(__func__, hsl);
}

GAS_API void gex_HSL_Unlock(gex_HSL_t *hsl)
{
    gas_hsl_unlock(__func__, hsl);
}

GAS_API void gex_HSL_Init(gex_HSL_t *hsl)
{
    gas_hsl_init(__func__, hsl);
}

GAS_API void gex_HSL_Destroy(gex_HSL_t *hsl)
{
    gas_hsl_destroy(__func__, hsl);
}
