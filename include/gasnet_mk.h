// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: kinds of memory: GEX_MK_HOST, and those that gex_MK_Create makes for devices of
// GEX_MK_CLASS_CUDA_UVA, whose driver it loads. GASNET_ERR_RESOURCE: there is no such driver;
// GASNET_ERR_BAD_ARG, as for every class whose GASNET_HAVE_MK_CLASS_... is not defined: no such
// device.
#ifndef GASNET_MK_H
#define GASNET_MK_H

#include "gasnetex.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GASNET_HAVE_MK_CLASS_HOST 1
#if GASNET_MAXEPS > 1 && !defined(GASNET_SEGMENT_EVERYTHING)
#define GASNET_HAVE_MK_CLASS_CUDA_UVA 1
#define GASNET_HAVE_MK_CLASS_MULTIPLE 1
#endif
typedef enum {
    GEX_MK_CLASS_HOST,
    GEX_MK_CLASS_CUDA_UVA,
    GEX_MK_CLASS_HIP,
    GEX_MK_CLASS_ZE
} gex_MK_Class_t;

typedef struct {
    uint64_t gex_flags;
    gex_MK_Class_t gex_class;
    union {
        struct {
            int gex_CUdevice;
        } gex_class_cuda_uva;
        struct {
            int gex_hipDevice;
        } gex_class_hip;
        struct {
            void *gex_zeDevice, *gex_zeContext;
            uint32_t gex_zeMemoryOrdinal;
        } gex_class_ze;
    } gex_args;
} gex_MK_Create_args_t;

int gex_MK_Create(gex_MK_t *kind_p, gex_Client_t client, const gex_MK_Create_args_t *args,
                  gex_Flags_t flags);
void gex_MK_Destroy(gex_MK_t kind, gex_Flags_t flags);
gex_MK_Class_t gex_MK_QueryClass(gex_MK_t kind);
gex_Client_t gex_MK_QueryClient(gex_MK_t kind);
gex_Flags_t gex_MK_QueryFlags(gex_MK_t kind);
void *gex_MK_QueryCData(gex_MK_t kind);
void gex_MK_SetCData(gex_MK_t kind, const void *cdata);

#ifdef __cplusplus
}
#endif

#endif
