// SPDX-License-Identifier: BSD-3-Clause
//
// Compares, and says what differs.
#include "core/world/agreement.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "base/error.h"
#include "core/world/world.h"

cw_agreement_t cw_agreement;
const char *cw_agreement_area_setting = "the size of segments";
const char *cw_agreement_message_setting = "the size of messages";

static int differ(const char *setting, uint64_t mine, uint64_t theirs, const char *whose)
{
    cwu_error("the PEs disagree about %s: %llu bytes here, %llu on %s; give every PE the same",
              setting, (unsigned long long)mine, (unsigned long long)theirs, whose);
    return CW_EMISMATCH;
}

static void describe_route(const cw_agreement_route_t *r, char *text, size_t nbytes)
{
    int used = snprintf(text, nbytes, "%.*s", (int)sizeof r->name, r->name);
    if (r->nbuffers)
        snprintf(text + used, nbytes - (size_t)used, " with %u buffers of %u bytes", r->nbuffers,
                 r->buffer_nbytes);
}

static int routes_differ(const cw_agreement_route_t *mine, const cw_agreement_route_t *theirs,
                         const char *whose)
{
    char here[64], there[64];
    describe_route(mine, here, sizeof here);
    describe_route(theirs, there, sizeof there);
    cwu_error("the PEs disagree about CAUSEWAY_TOPOLOGY and its buffers: %s here, %s on %s; give "
              "every PE the same CAUSEWAY_TOPOLOGY, CAUSEWAY_EDGE_BUFFER and CAUSEWAY_EDGE_BUFFERS",
              here, there, whose);
    return CW_EMISMATCH;
}

/** Programs without symmetric static data may differ. */
static bool programs_differ(const cw_agreement_t *theirs)
{
    return cw_agreement.data_nbytes != theirs->data_nbytes ||
           (theirs->data_nbytes && cw_agreement.program != theirs->program);
}

static int report_programs(const cw_agreement_t *theirs, const char *whose)
{
    cwu_error("this PE and %s run different programs (%llu and %llu bytes of static data): a "
              "variable of one is not a variable of the other; every PE must run the same "
              "executable, linked the same way",
              whose, (unsigned long long)cw_agreement.data_nbytes,
              (unsigned long long)theirs->data_nbytes);
    return CW_EMISMATCH;
}

// The bits of the field "settings"; above them is a digest of CAUSEWAY_COLL.
enum {
    CHECKS = 1,
    TRACES = 2,
    STATS_SHIFT = 2,
    STATS = 3 << STATS_SHIFT,
    NIC = 16,
    COLL_SHIFT = 5
};

static const char *const stats_forms[] = {"0", "1", "pes", "a file"};

static uint32_t stats_form(void)
{
    const char *what = cwu_env.stats;
    for (uint32_t i = 0; what && i < 3; i++)
        if (strcmp(what, stats_forms[i]) == 0)
            return i;
    return what ? 3 : 0;
}

uint32_t cw_agreement_settings(void)
{
    uint32_t digest = 2166136261u;  // FNV-1a
    for (const char *c = cwu_env.coll ? cwu_env.coll : ""; *c; c++)
        digest = (digest ^ (unsigned char)*c) * 16777619u;
    return (cwu_env.check ? CHECKS : 0) | (cwu_env.trace ? TRACES : 0) |
           stats_form() << STATS_SHIFT | (cw_world.nic_atomics ? NIC : 0) | digest << COLL_SHIFT;
}

static int report_setting(const char *name, const char *here, const char *there, const char *whose)
{
    cwu_error("the PEs disagree about %s: %s here, %s on %s; give every PE the same", name, here,
              there, whose);
    return CW_EMISMATCH;
}

/** PEs that differ in these would wait for each other, or their atomics are not atomic to each
 *  other. */
static int settings_differ(uint32_t mine, uint32_t theirs, const char *whose)
{
    uint32_t differ = mine ^ theirs;
    if (differ & CHECKS)
        return report_setting(CWU_ENV_NAME(check), mine & CHECKS ? "1" : "0",
                              theirs & CHECKS ? "1" : "0", whose);
    if (differ & TRACES)
        return report_setting(CWU_ENV_NAME(trace), mine & TRACES ? "a file" : "not set",
                              theirs & TRACES ? "a file" : "not set", whose);
    if (differ & STATS)
        return report_setting(CWU_ENV_NAME(stats), stats_forms[(mine & STATS) >> STATS_SHIFT],
                              stats_forms[(theirs & STATS) >> STATS_SHIFT], whose);
    if (differ & NIC)
        return report_setting(CWU_ENV_NAME(atomics), mine & NIC ? "nic" : "cpu",
                              theirs & NIC ? "nic" : "cpu", whose);
    return report_setting(CWU_ENV_NAME(coll), cwu_env.coll ? cwu_env.coll : "not set",
                          "another value", whose);
}

int cw_agreement_check(const cw_agreement_t *theirs, const char *whose)
{
    const cw_agreement_t *mine = &cw_agreement;
    if (mine->heap_nbytes != theirs->heap_nbytes)
        return differ(CWU_ENV_NAME(symmetric_size), mine->heap_nbytes, theirs->heap_nbytes, whose);
    if (mine->area_nbytes != theirs->area_nbytes)
        return differ(cw_agreement_area_setting, mine->area_nbytes, theirs->area_nbytes, whose);
    if (mine->version == theirs->version &&
        memcmp(&mine->route, &theirs->route, sizeof mine->route) != 0)
        return routes_differ(&mine->route, &theirs->route, whose);
    if (mine->version != theirs->version) {
        cwu_error("this PE and %s have different versions of Causeway; give every PE the same",
                  whose);
        return CW_EMISMATCH;
    }
    if (mine->message_words != theirs->message_words)
        return differ(cw_agreement_message_setting, mine->message_words * UINT64_C(8),
                      theirs->message_words * UINT64_C(8), whose);
    if (mine->settings != theirs->settings)
        return settings_differ(mine->settings, theirs->settings, whose);
    return programs_differ(theirs) ? report_programs(theirs, whose) : CW_OK;
}
