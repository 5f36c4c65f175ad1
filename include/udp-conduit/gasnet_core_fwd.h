// SPDX-License-Identifier: BSD-3-Clause
//
// The conduit's name and versions, as GASNet-EX 2025.8.0 has them: those of the makefile fragment
// whose include path leads here. There is one library for all of them.
#ifndef GASNET_CORE_FWD_H
#define GASNET_CORE_FWD_H

#define GASNET_CONDUIT_UDP 1
#define GASNET_CORE_NAME UDP
#define GASNET_CORE_NAME_STR "UDP"
#define GASNET_CORE_VERSION 3.21
#define GASNET_CORE_VERSION_STR "3.21"
#define GASNET_EXTENDED_NAME REFERENCE
#define GASNET_EXTENDED_NAME_STR "REFERENCE"
#define GASNET_EXTENDED_VERSION 2025.8
#define GASNET_EXTENDED_VERSION_STR "2025.8"
#define GASNET_MAXEPS 1 // endpoints of a process (gex_EP_Create)

#include "../gasnet_config.h"

#endif
