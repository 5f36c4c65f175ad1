// SPDX-License-Identifier: BSD-3-Clause
//
// Notifications from process to process: each counts those of each other in a word of its own,
// which the sender raises by an atomic behind its puts.
#include <stdlib.h>

#include "armci/aci.h"
#include "base/error.h"
#include "core/rma/amo.h"

typedef struct counts {
    uint64_t sent, waited;
} counts_t;

static counts_t *counts;  // [npes], of each other process

void aci_notify_open(void)
{
    counts = calloc((size_t)cw_world.npes, sizeof *counts);
    if (!counts)
        cwu_fatal("ARMCI_Init: out of memory for the notifications of %d processes", cw_world.npes);
}

void aci_notify_close(void)
{
    free(counts);
    counts = NULL;
}

/** In a process, how often process `from` has notified it: at one symmetric address. */
static uint64_t *received_from(int from)
{
    size_t nbytes;
    return (uint64_t *)aci_own(ACI_OWN_NOTIFY, &nbytes) + from;
}

ACI_API int parmci_notify(int proc)
{
    ACI_ENTER();
    aci_check_proc(aci_call(__func__), proc);
    uint64_t *word = received_from(cw_world.pe);
    bool far = cw_world.node_of_pe[proc] != cw_world.node;
    if (far)
        aci_before_atomic(proc, word, sizeof *word);
    if (aci.put_place && aci.put_proc == proc)
        aci.put_place = NULL;  // the process can wait for it
    cw_amo_signalling(&cw_ctx_default, word, CW_AMO_ADD, sizeof *word, 1, proc);
    if (far)
        aci_mark(proc, ACI_REQUESTS);
    return (int)__atomic_add_fetch(&counts[proc].sent, 1, __ATOMIC_RELAXED);
}
ACI_WEAK_LOWER(armci_notify);

ACI_API int parmci_notify_wait(int proc, int *pval)
{
    ACI_ENTER();
    const char *call = aci_call(__func__);
    aci_check_proc(call, proc);
    uint64_t *word = received_from(proc);
    uint64_t waited = __atomic_add_fetch(&counts[proc].waited, 1, __ATOMIC_RELAXED);
    const cw_wait_on_t on = {.kind = CW_WAIT_NOTICE,
                             .behind = proc,
                             .nbytes = sizeof *word,
                             .addr = word,
                             .want = (int64_t)waited};
    cw_wait_t w = CW_WAIT_FOR(call, word, sizeof *word);
    w.on = &on;
    uint64_t received;
    // pairs with the atomic of armci_notify
    while ((received = __atomic_load_n(word, __ATOMIC_ACQUIRE)) < waited)
        cw_wait_round(&w);
    cw_wait_done(&w);
    *pval = (int)waited;
    return (int)received;
}
ACI_WEAK_LOWER(armci_notify_wait);
