// SPDX-License-Identifier: BSD-3-Clause
//
// Provisional: no network yet; to be deleted when transport/ofi lands.
#include "base/error.h"
#include "transport/transport.h"

static int no_network(bool one_machine)
{
    (void)one_machine;
    cwu_error("this build has no transport between nodes yet");
    return CW_ENOTSUP;
}

const cwt_ops_t cwt_ofi = {.name = "none", .load = no_network};
