// SPDX-License-Identifier: BSD-3-Clause
//
// Where processes are: a domain is a node.
#include "armci/aci.h"

static void check_domain(const char *call, armci_domain_t domain, int id)
{
    aci_check_life(call);
    if (domain != ARMCI_DOMAIN_SMP)
        aci_fail(call, "domain %d is not ARMCI_DOMAIN_SMP (%d)", domain, ARMCI_DOMAIN_SMP);
    if (id < 0 || id >= cw_world.nnodes)
        aci_fail(call, "domain number %d does not exist; there are %d", id, cw_world.nnodes);
}

/** The PE that is the n-th of a node, or the number of PEs of the node where it has not so many. */
static int pe_of(int node, int nth, bool *found_p)
{
    int count = 0;
    *found_p = true;
    for (int pe = 0; pe < cw_world.npes; pe++)
        if (cw_world.node_of_pe[pe] == node && count++ == nth)
            return pe;
    *found_p = false;
    return count;
}

ACI_API int armci_domain_nprocs(armci_domain_t domain, int id)
{
    bool found;
    check_domain(__func__, domain, id < 0 ? 0 : id);
    return pe_of(id < 0 ? cw_world.node : id, -1, &found);
}

ACI_API int armci_domain_id(armci_domain_t domain, int proc)
{
    check_domain(__func__, domain, 0);
    aci_check_proc(__func__, proc);
    return cw_world.node_of_pe[proc];
}

ACI_API int armci_domain_glob_proc_id(armci_domain_t domain, int id, int rank_in_domain)
{
    bool found;
    check_domain(__func__, domain, id);
    int pe = pe_of(id, rank_in_domain, &found);
    if (!found)
        aci_fail(__func__, "domain %d has %d processes, no number %d", id, pe, rank_in_domain);
    return pe;
}

ACI_API int armci_domain_my_id(armci_domain_t domain)
{
    check_domain(__func__, domain, 0);
    return cw_world.node;
}

ACI_API int armci_domain_count(armci_domain_t domain)
{
    check_domain(__func__, domain, 0);
    return cw_world.nnodes;
}

ACI_API int armci_domain_same_id(armci_domain_t domain, int proc)
{
    check_domain(__func__, domain, 0);
    aci_check_proc(__func__, proc);
    return cw_world.node_of_pe[proc] == cw_world.node;
}

ACI_API int ARMCI_Same_node(int proc)
{
    ACI_ENTER();
    aci_check_proc(__func__, proc);
    return cw_world.node_of_pe[proc] == cw_world.node;
}

ACI_API int armci_sameclusnode(int proc)
{
    ACI_ENTER();
    aci_check_proc(__func__, proc);
    return cw_world.node_of_pe[proc] == cw_world.node;
}
