// SPDX-License-Identifier: BSD-3-Clause
//
// How requests between nodes travel: so far always straight.
#include "core/route/setting.h"

cw_route_setting_t cw_route;
