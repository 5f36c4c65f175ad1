// SPDX-License-Identifier: BSD-3-Clause
//
// For clients that include the conduit's header: gasnet.h has everything.
#ifndef GASNET_CORE_H
#define GASNET_CORE_H

#include "gasnet_core_fwd.h"

#include "../gasnet.h"

#endif
