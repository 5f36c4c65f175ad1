// SPDX-License-Identifier: BSD-3-Clause
//
// Reads and checks the settings.
#include "core/route/setting.h"

#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "base/error.h"
#include "core/route/forward.h"
#include "core/route/window.h"
#include "core/world/agreement.h"

#define BUFFER_MOST ((size_t)64 << 20)

cw_route_setting_t cw_route;

/** A window holds the largest request, which else would wait for ever, and whole cells, so that the
 *  edges' memory is as the formula says. */
static int check_window(void)
{
    size_t nbytes = cwu_env.edge_buffer, least = cw_window_units(CW_FORWARD_NBYTES);
    uint64_t units = nbytes / sizeof(cw_cell_t) * (uint64_t)cwu_env.edge_buffers;
    if (nbytes > 0 && nbytes <= BUFFER_MOST && nbytes % sizeof(cw_cell_t) == 0 && units >= least)
        return CW_OK;
    cwu_error("CAUSEWAY_EDGE_BUFFER=%zu: give a multiple of %zu bytes, at most %zu, which with "
              "CAUSEWAY_EDGE_BUFFERS=%ld makes %zu bytes at least",
              nbytes, sizeof(cw_cell_t), BUFFER_MOST, cwu_env.edge_buffers,
              least * sizeof(cw_cell_t));
    return CW_EINVAL;
}

/** Of long names the agreement has the begin and a digest. */
static void agree_on(const char *name)
{
    cw_agreement_route_t *a = &cw_agreement.route;
    char digits[5];
    uint32_t digest = 2166136261u;  // FNV-1a
    for (const char *c = name; *c; c++)
        digest = (digest ^ (unsigned char)*c) * 16777619u;
    *a = (cw_agreement_route_t){{0}, 0, 0};
    memcpy(a->name, name, strnlen(name, sizeof a->name));
    if (strlen(name) > sizeof a->name) {
        snprintf(digits, sizeof digits, "%04x", (digest ^ digest >> 16) & 0xffff);
        a->name[sizeof a->name - 5] = '~';
        memcpy(a->name + sizeof a->name - 4, digits, 4);
    }
    if (cw_route.topology) {
        a->nbuffers = (uint16_t)cw_route.nbuffers;
        a->buffer_nbytes = (uint32_t)cw_route.buffer_nbytes;
    }
}

int cw_route_choose(uint32_t nnodes, uint32_t npes)
{
    static cw_topology_t topology;
    char why[128];
    const char *name =
        strcmp(cwu_env.topology, "auto") == 0 ? cw_topology_auto(nnodes, npes) : cwu_env.topology;
    bool is_direct = strcmp(name, "direct") == 0;
    cw_route = (cw_route_setting_t){NULL, 0, 0};
    if (!is_direct && !cw_topology_named(&topology, name, nnodes, why, sizeof why)) {
        cwu_error("CAUSEWAY_TOPOLOGY=%s: %s; give direct, fcg, mfcg, cfcg, hypercube, extents such "
                  "as 4x3x2, or auto",
                  name, why);
        return CW_EINVAL;
    }
    int rc = is_direct ? CW_OK : check_window();
    if (rc == CW_OK && !is_direct && nnodes > 1)
        cw_route =
            (cw_route_setting_t){&topology, cwu_env.edge_buffer, (uint32_t)cwu_env.edge_buffers};
    agree_on(name);
    return rc;
}

int cw_route_allowed(bool one_client)
{
    if (!cw_route.topology || !one_client)
        return CW_OK;
    cwu_error(
        "CAUSEWAY_TOPOLOGY=%s: node servers cannot forward requests over this provider, which "
        "serves one endpoint of a process only (causeway-info --libfabric); give "
        "CAUSEWAY_TOPOLOGY=direct, or another CAUSEWAY_PROVIDER or CAUSEWAY_ENDPOINT",
        cwu_env.topology);
    return CW_ENOTSUP;
}
