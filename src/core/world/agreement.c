// SPDX-License-Identifier: BSD-3-Clause
//
// Compares, and says what differs.
#include "core/world/agreement.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "base/error.h"

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
    return programs_differ(theirs) ? report_programs(theirs, whose) : CW_OK;
}
