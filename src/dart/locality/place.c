// SPDX-License-Identifier: BSD-3-Clause
//
// Where PEs run: the choice of a hardware thread, requests to other nodes' servers.
#include "dart/locality/place.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "core/progress/wait.h"
#include "core/rma/batch.h"
#include "core/rma/send.h"
#include "core/route/request.h"
#include "core/server/server.h"
#include "dart/locality/hardware.h"
#include "dart/memory.h"

//  0 header | 24 slot, of the PE in its node | 28 pad
// reply: a dart_hwinfo_t, or no bytes if the PE has not joined yet
typedef struct request {
    cwt_header_t header;
    uint32_t slot, pad;
} request_t;
_Static_assert(sizeof(request_t) == 32, "wire format");
_Static_assert(sizeof(dart_hwinfo_t) < CW_MESSAGE_MAX - sizeof(cwt_header_t), "a reply");

static dart_hwinfo_t **known;  // [npes]
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards the table

/** Of a PE of this node: its hardware thread + 1; 0: it has not joined yet. */
static _Atomic uint32_t *thread_of(int pe)
{
    char *own = cw_area_own(&drt_area_request, &(size_t){0});
    return own ? (_Atomic uint32_t *)cw_area_early(own + DRT_PLACE_AT, pe) : NULL;
}

/** One that this process may use. PEs that may use the same ones take them in turn. */
static uint32_t choose(void)
{
    cpu_set_t may;
    int n = 0, turn;
    if (sched_getaffinity(0, sizeof may, &may) || (n = CPU_COUNT(&may)) == 0)
        return 0;
    turn = cw_world.slot_of_pe[cw_world.pe] % n;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &may) && turn-- == 0)
            return (uint32_t)cpu;
    return 0;
}

/** Of a PE of this node. False: it has not joined yet. */
static bool find_here(int pe, dart_hwinfo_t *info_p)
{
    _Atomic uint32_t *thread = thread_of(pe);
    uint32_t cpu = thread ? atomic_load_explicit(thread, memory_order_acquire) : 0;
    if (cpu)
        drt_hardware_of((int)cpu - 1, info_p);
    return cpu != 0;
}

static bool execute(cw_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    const request_t *req = (const request_t *)(const void *)msg;
    dart_hwinfo_t info;
    if (nbytes != sizeof *req || !from->awaits_reply || req->slot >= (uint32_t)cw_world.nslots)
        return false;
    bool found = find_here(cw_world.pes_of_node[req->slot], &info);
    cw_server_reply(from, &info, found ? sizeof info : 0);
    return true;
}

static bool find_there(const char *call, int pe, dart_hwinfo_t *info_p)
{
    uintptr_t delta;
    cwt_reply_t reply = {.buf = info_p, .capacity = sizeof *info_p};
    request_t req = {.header = {.op = CW_REQ_LOCALITY}, .slot = (uint32_t)cw_world.slot_of_pe[pe]};
    cw_batch_pass(&cw_ctx_default, pe);
    const cwt_target_t *target = cw_request_reach(&cw_ctx_default, call, pe, &delta);
    cw_ctx_must(
        cw_request_send(cw_world.node_of_pe[pe], target->conn, &req.header, sizeof req, &reply),
        call, &cw_ctx_default, pe);
    cw_ctx_mark(&cw_ctx_default);
    cw_ctx_must(cw_request_wait(&cw_ctx_default, &reply), call, &cw_ctx_default, pe);
    if (reply.nbytes != sizeof *info_p)
        return false;
    info_p->host[sizeof info_p->host - 1] = 0;
    if (info_p->num_scopes < 1 || info_p->num_scopes > DART_LOCALITY_MAX_DOMAIN_SCOPES)
        cwu_fatal("%s: PE %d says that it is in %d parts of its machine", call, pe,
                  info_p->num_scopes);
    return true;
}

static dart_hwinfo_t *find(const char *call, int pe)
{
    dart_hwinfo_t *info = malloc(sizeof *info);
    if (!info)
        cwu_fatal("%s: out of memory for the places of %d units", call, cw_world.npes);
    const bool here = cw_world.node_of_pe[pe] == cw_world.node;
    cw_wait_t w = CW_WAIT_INIT(call);
    while (!(here ? find_here(pe, info) : find_there(call, pe, info)))
        cw_wait_round(&w);
    cw_wait_done(&w);
    return info;
}

const dart_hwinfo_t *drt_place_of_pe(const char *call, int pe)
{
    dart_hwinfo_t *info = __atomic_load_n(&known[pe], __ATOMIC_ACQUIRE);
    if (info)
        return info;
    info = find(call, pe);
    pthread_mutex_lock(&lock);
    if (known[pe]) {  // another thread was quicker
        free(info);
        info = known[pe];
    }
    __atomic_store_n(&known[pe], info, __ATOMIC_RELEASE);  // pairs with the load above
    pthread_mutex_unlock(&lock);
    return info;
}

void drt_places_expect(void)
{
    cw_server_handle(CW_REQ_LOCALITY, "locality", execute);
}

void drt_places_open(void)
{
    known = calloc((size_t)cw_world.npes, sizeof(dart_hwinfo_t *));
    if (!known)
        cwu_fatal("dart_init: out of memory for the places of %d units", cw_world.npes);
    // pairs with find_here
    atomic_store_explicit(thread_of(cw_world.pe), choose() + 1, memory_order_release);
}

void drt_places_close(void)
{
    for (int pe = 0; pe < cw_world.npes; pe++)
        free(known[pe]);
    free(known);
    known = NULL;
}
