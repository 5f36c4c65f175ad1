// SPDX-License-Identifier: BSD-3-Clause
//
// Faults of the network: a call that fails, a connection that is closed without either side.
#include "net.h"

#include <stdio.h>

#include "fault.h"

// ---------------------------------------------------------------- calls

/** The errors that providers give; the library knows some of them. */
static int error_of(uint64_t draw)
{
    static const int errors[] = {FI_EIO, FI_ENOMEM, FI_EMFILE, FI_EINVAL};
    return errors[draw % (sizeof errors / sizeof *errors)];
}

static int fails(sim_fault_t kind, const char *name)
{
    if (!sim_fault_hits(kind))
        return 0;
    int error = error_of(sim->fault_for);
    snprintf(sim->fault_call, sizeof sim->fault_call, "%s", name);
    sim->fault_error = error;
    return -error;
}

int net_fails(const char *name)
{
    return fails(SIM_FAULT_CALL, name);
}

int net_look_fails(const char *name)
{
    return fails(SIM_FAULT_POLL, name);
}

// ---------------------------------------------------------------- connections

/** What is under way in both directions comes back as an error, or is lost if no completion is due;
 *  so are the completions that have not come back yet. Each side hears of the end in its own time.
 */
static void cut(net_ep_t *ep)
{
    ep->cut = true;
    net_channel_t *c = net_channel(ep, ep->peer);
    for (net_op_t *op = c->back.first; op; op = op->next)
        if (op->kind <= NET_READ && !op->err)
            op->err = FI_ECONNRESET;
    net_push(&c->forth, net_op(NET_END, NULL, 0));
}

static bool is_connection(const net_ep_t *ep)
{
    return ep->msg && !ep->listens && ep->peer && ep->peer->peer == ep &&
           (ep->state == NET_UP || ep->state == NET_ASKED);
}

void sim_net_cut(int pe)
{
    net_ep_t *all[NET_CHANNELS];
    uint64_t n = 0;
    for (int i = 0; i < NET->neps; i++)
        if (NET->eps[i]->pe == pe && is_connection(NET->eps[i]) && !NET->eps[i]->cut)
            all[n++] = NET->eps[i];
    if (n == 0)
        return;
    net_ep_t *ep = all[sim->fault_for % n];
    cut(ep);
    cut(ep->peer);
    sim->fault_hit = true;
    sim_decide_soon();
}
