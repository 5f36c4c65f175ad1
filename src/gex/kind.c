// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: kinds of memory. That of the host is no object, so what is asked of it has one place;
// the others stand for a device each.
#include <stdlib.h>

#include "base/error.h"
#include "core/device/part.h"
#include "gex/gex.h"

static void *_Atomic host_cdata;

static int refuse(const char *why, int class)
{
    gex_error("gex_MK_Create: %s (class %d)", why, class);
    return GASNET_ERR_BAD_ARG;
}

/** Loads the driver. Its errors are this call's. */
static int use_device(int device)
{
    cwu_error_print(!gex.quiet);
    int rc = cw_device_use(device);
    cwu_error_print(true);
    return rc == CW_OK ? GASNET_OK : rc == CW_EINVAL ? GASNET_ERR_BAD_ARG : GASNET_ERR_RESOURCE;
}

GAS_API int gex_MK_Create(gex_MK_t *kind_p, gex_Client_t client, const gex_MK_Create_args_t *args,
                          gex_Flags_t flags)
{
    if (!kind_p || client != &gex.client || !args || args->gex_flags || flags)
        return refuse("wants a place for the kind, the client, and flags 0",
                      args ? (int)args->gex_class : -1);
    if (args->gex_class == GEX_MK_CLASS_HOST) {
        *kind_p = GEX_MK_HOST;
        return GASNET_OK;
    }
    if (args->gex_class != GEX_MK_CLASS_CUDA_UVA)
        return refuse("of devices there are those of GEX_MK_CLASS_CUDA_UVA only",
                      (int)args->gex_class);
    if (gas.segments == GAS_EVERYTHING)
        return refuse("there is no memory of devices with GASNET_SEGMENT_EVERYTHING",
                      (int)args->gex_class);
    const int device = args->gex_args.gex_class_cuda_uva.gex_CUdevice;
    int error = use_device(device);
    if (error)
        return error;
    gex_MK_t kind = malloc(sizeof *kind);
    if (!kind)
        cwu_fatal("gex_MK_Create: out of memory");
    *kind = (struct gex_causeway_mk){.class = args->gex_class, .device = device};
    gex_object_add(GEX_MEMORY, kind, __func__, GEX_CALLER);
    *kind_p = kind;
    return GASNET_OK;
}

GAS_API void gex_MK_Destroy(gex_MK_t kind, gex_Flags_t flags)
{
    (void)flags;
    gex_want(__func__, GEX_MEMORY, kind);
    if (kind == GEX_MK_HOST)
        return;
    pthread_mutex_lock(&gex.lock);
    const uint32_t segments = kind->segments;
    pthread_mutex_unlock(&gex.lock);
    if (segments)
        gas_fail(__func__,
                 "%u segments of this kind exist; destroy them first "
                 "(gex_Segment_Destroy)",
                 segments);
    gex_object_free(GEX_MEMORY, kind);
    free(kind);
}

GAS_API gex_MK_Class_t gex_MK_QueryClass(gex_MK_t kind)
{
    gex_want(__func__, GEX_MEMORY, kind);
    return kind == GEX_MK_HOST ? GEX_MK_CLASS_HOST : kind->class;
}

GAS_API gex_Client_t gex_MK_QueryClient(gex_MK_t kind)
{
    gex_want(__func__, GEX_MEMORY, kind);
    return &gex.client;
}

GAS_API gex_Flags_t gex_MK_QueryFlags(gex_MK_t kind)
{
    gex_want(__func__, GEX_MEMORY, kind);
    return 0;
}

GAS_API void *gex_MK_QueryCData(gex_MK_t kind)
{
    gex_want(__func__, GEX_MEMORY, kind);
    return kind == GEX_MK_HOST ? host_cdata : kind->cdata;
}

GAS_API void gex_MK_SetCData(gex_MK_t kind, const void *cdata)
{
    gex_want(__func__, GEX_MEMORY, kind);
    if (kind == GEX_MK_HOST)
        host_cdata = (void *)(uintptr_t)cdata;
    else
        kind->cdata = (void *)(uintptr_t)cdata;
}
