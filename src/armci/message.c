// SPDX-License-Identifier: BSD-3-Clause
//
// The message layer: processes, barriers, clock, messages between two processes, broadcasts.
#include <limits.h>

#include "armci/group.h"
#include "base/clock.h"

ACI_API char *mp_group_name = (char *)"mp_working_group";

ACI_API int armci_msg_me(void)
{
    ACI_ENTER();
    return cw_world.pe;
}

ACI_API int armci_msg_nproc(void)
{
    ACI_ENTER();
    return cw_world.npes;
}

ACI_API double armci_timer(void)
{
    return (double)cwu_now_ns() * 1e-9;
}

ACI_API void armci_msg_abort(int code)
{
    cwu_error("armci_msg_abort: the program ends the job (%d)", code);
    cw_global_exit(cw_failure_status(code));
}

// ---------------------------------------------------------------- barriers
ACI_API void parmci_msg_barrier(void)
{
    ACI_ENTER();
    aci_check_fenced(aci_call(__func__));
    aci_agree(cw_group_world, aci_call(__func__));
    cw_sync(cw_group_world);
}
ACI_WEAK_LOWER(armci_msg_barrier);

ACI_API void parmci_msg_group_barrier(ARMCI_Group *group)
{
    ACI_ENTER();
    const cw_group_t *team = aci_group_of(aci_call(__func__), group)->team;
    aci_check_fenced(aci_call(__func__));
    aci_agree(team, aci_call(__func__));
    cw_sync(team);
}
ACI_WEAK_LOWER(armci_msg_group_barrier);

// ---------------------------------------------------------------- between two processes
static void check_message(const char *call, const void *buffer, int len)
{
    if (len < 0 || (len && !buffer))
        aci_fail(call, "%d bytes at %s", len, cw_at(buffer, 1));
}

ACI_API void armci_msg_snd(int tag, void *buffer, int len, int to)
{
    ACI_ENTER();
    aci_check_proc(__func__, to);
    check_message(__func__, buffer, len);
    const cw_envelope_t envelope = {
        .call = __func__, .space = ACI_SPACE_USER, .tag = tag, .peer = to};
    cw_p2p_send(&envelope, buffer, (size_t)len);
}

static int receive(const char *call, int tag, void *buffer, int buflen, int *msglen, int from)
{
    int source;
    check_message(call, buffer, buflen);
    const cw_envelope_t envelope = {
        .call = call, .space = ACI_SPACE_USER, .tag = tag, .peer = from};
    size_t came = cw_p2p_receive(&envelope, buffer, (size_t)buflen, &source);
    if (msglen)
        *msglen = (int)came;
    return source;
}

ACI_API void armci_msg_rcv(int tag, void *buffer, int buflen, int *msglen, int from)
{
    ACI_ENTER();
    aci_check_proc(__func__, from);
    receive(__func__, tag, buffer, buflen, msglen, from);
}

ACI_API int armci_msg_rcvany(int tag, void *buffer, int buflen, int *msglen)
{
    ACI_ENTER();
    return receive(__func__, tag, buffer, buflen, msglen, CW_P2P_ANY);
}

// ---------------------------------------------------------------- broadcasts
/** root: a process of the scope; another one ends the job. */
static void broadcast(const char *call, int scope, void *buffer, int len, int root,
                      ARMCI_Group *group)
{
    check_message(call, buffer, len);
    aci_check_proc(call, root);
    const cw_group_t *members = aci_group_scope(call, aci_group_of(call, group), scope);
    if (!members)
        return;
    int rank = cw_group_rank_of(members, root);
    if (rank < 0)
        aci_fail(call, "process %d, the root, is none of the %d processes that take part", root,
                 members->size);
    if (CW_UNLIKELY(aci.check))
        cw_coll_agree_on(members, call, (uint64_t)len, (uint64_t)root, CW_CLAIM_NONE, CW_CLAIM_NONE,
                         NULL);
    aci_broadcast(members, buffer, (size_t)len, rank);
}

ACI_API void armci_msg_bcast(void *buffer, int len, int root)
{
    ACI_ENTER();
    broadcast(__func__, SCOPE_ALL, buffer, len, root, NULL);
}

ACI_API void armci_msg_brdcst(void *buffer, int len, int root)
{
    ACI_ENTER();
    broadcast(__func__, SCOPE_ALL, buffer, len, root, NULL);
}

ACI_API void armci_msg_bcast_scope(int scope, void *buffer, int len, int root)
{
    ACI_ENTER();
    broadcast(__func__, scope, buffer, len, root, NULL);
}

ACI_API void armci_msg_group_bcast_scope(int scope, void *buffer, int len, int root,
                                         ARMCI_Group *group)
{
    ACI_ENTER();
    broadcast(__func__, scope, buffer, len, root, group);
}

ACI_API void armci_msg_clus_brdcst(void *buffer, int len)
{
    ACI_ENTER();
    broadcast(__func__, SCOPE_NODE, buffer, len, cw_world.pes_of_node[0], NULL);
}

/** By messages along a binary tree: these processes are no group. */
ACI_API void armci_grp_clus_brdcst(void *buf, int len, int grp_master, int grp_clus_nproc,
                                   ARMCI_Group *mastergroup)
{
    ACI_ENTER();
    const cw_group_t *team = aci_group_of(__func__, mastergroup)->team;
    check_message(__func__, buf, len);
    if (grp_master < 0 || grp_clus_nproc < 1 || grp_clus_nproc > team->size - grp_master)
        aci_fail(__func__, "%d processes from rank %d on; the group has %d members", grp_clus_nproc,
                 grp_master, team->size);
    const int at = team->rank - grp_master;
    if (at < 0 || at >= grp_clus_nproc)
        aci_fail(__func__, "this process has rank %d, which is none of the %d from %d on",
                 team->rank, grp_clus_nproc, grp_master);
    cw_envelope_t envelope = {.call = __func__, .space = ACI_SPACE_TREES};
    int source;
    if (at > 0) {
        envelope.peer = cw_group_pe(team, grp_master + (at - 1) / 2);
        cw_p2p_receive(&envelope, buf, (size_t)len, &source);
    }
    for (int child = 2 * at + 1; child <= 2 * at + 2 && child < grp_clus_nproc; child++) {
        envelope.peer = cw_group_pe(team, grp_master + child);
        cw_p2p_send(&envelope, buf, (size_t)len);
    }
}
