// SPDX-License-Identifier: BSD-3-Clause
//
// The door of the libfabric transport: what the table of transports takes from it.
#ifndef CWT_OFI_OFI_H
#define CWT_OFI_OFI_H

#include "transport/transport.h"

extern const cwt_ops_t cwt_ofi;
/** cwt_describe for this transport. */
int ofi_describe(void (*line)(const char *text));

#endif
