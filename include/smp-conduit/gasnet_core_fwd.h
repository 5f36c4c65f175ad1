// SPDX-License-Identifier: BSD-3-Clause
//
// The conduit's name and versions, as GASNet-EX 2025.8.0 has them: those of the makefile fragment
// whose include path leads here. There is one library for all of them.
#ifndef GASNET_CORE_FWD_H
#define GASNET_CORE_FWD_H

#define GASNET_CONDUIT_SMP 1
#define GASNET_CORE_NAME SMP
#define GASNET_CORE_NAME_STR "SMP"
#define GASNET_CORE_VERSION 2.1
#define GASNET_CORE_VERSION_STR "2.1"
#define GASNET_EXTENDED_NAME SMP
#define GASNET_EXTENDED_NAME_STR "SMP"
#define GASNET_EXTENDED_VERSION 2.1
#define GASNET_EXTENDED_VERSION_STR "2.1"
#define GASNET_MAXEPS 1 // endpoints of a process (gex_EP_Create)

#include "../gasnet_config.h"

#endif
