// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: memory of devices, as other files of this room call it. Threads: any. Blocking:
// transfers, for the device, and as those of core/device/part.h.
#ifndef GEX_DEVICE_H
#define GEX_DEVICE_H

#include "core/owner/vector.h"
#include "gex/gex.h"

/** Memory of a device for a segment, shared; the client's if segment->addr is set. GASNET_OK, or an
 *  error with its message. */
int gex_device_provide(struct gex_causeway_segment *segment, gex_MK_t kind);
/** Shared no more. */
void gex_device_end(struct gex_causeway_segment *segment);
/** GEX_BY_DEVICE. The local buffer may change on return. True: something is in flight. */
bool gex_device_put(const char *call, gex_TM_t tm, uint32_t pe, void *dest, const void *src,
                    size_t nbytes);
/** Does memory of a device take part? */
bool gex_device_is_in(gex_TM_t tm, const cw_vector_t *v);
/** Then. The local side may change on return, and is complete. True: a put is in flight. */
bool gex_device_vector(gex_TM_t tm, const cw_vector_t *v);
/** Complete on return. */
void gex_device_get(const char *call, gex_TM_t tm, void *dest, uint32_t pe, const void *src,
                    size_t nbytes);

#endif
