// SPDX-License-Identifier: BSD-3-Clause
//
// For clients that ask the conduit for its name and version: gasnet_config.h has them.
#ifndef GASNET_CORE_FWD_H
#define GASNET_CORE_FWD_H

#include "../gasnet_config.h"

#endif
