// SPDX-License-Identifier: BSD-3-Clause
//
// The transport's table, and what causeway-info prints of it.
#include "transport/mpi/mpi.h"

#include <stdio.h>

#include "base/install.h"
#include "transport/mpi/client.h"
#include "transport/mpi/server.h"

// join loads the plugin
static void begin_load(void)
{
}

static int load(bool one_machine)
{
    (void)one_machine;
    return 0;
}

static bool one_client(void)
{
    return false;
}

/** Not known of the MPI. */
static size_t request_most(const cwt_conn_t *conn)
{
    (void)conn;
    return CWT_MESSAGE_MAX;
}

static bool software(void)
{
    return false;
}

/** The MPI ends the job. */
static bool sees_loss(void)
{
    return true;
}

static bool threads_serve(void)
{
    return mpw_world.facts.any_thread;
}

static bool needs_memory(void)
{
    return false;
}

static size_t inject_most(void)
{
    return MPW_INJECT_MOST;
}

/** MPI's launcher sees the ends of processes. */
static int life_names(const void *blob, size_t nbytes, int which, struct sockaddr_storage *names)
{
    (void)blob, (void)nbytes, (void)which, (void)names;
    return 0;
}

int mpw_describe(void (*line)(const char *text))
{
    static const char *const families[] = {"mpich", "openmpi"};
    char path[PATH_MAX], name[32], text[PATH_MAX + 64];
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        snprintf(name, sizeof name, "mpi-%s.so", families[i]);
        bool found = cwu_install_find(name, path);
        snprintf(text, sizeof text, "mpi windows         %-8s %s", families[i],
                 found ? path : "no plugin: mpicc of this MPI was not there at the build");
        line(text);
    }
    return 0;
}

const cwt_ops_t cwt_mpi = {
    .name = "mpi",
    .begin_load = begin_load,
    .load = load,
    .join = mpw_join,
    .leave = mpw_leave,
    .one_client = one_client,
    .inject_most = inject_most,
    .needs_memory = needs_memory,
    .software = software,
    .sees_loss = sees_loss,
    .threads_serve = threads_serve,
    .request_most = request_most,
    .server_open = mpw_server_open,
    .server_address = mpw_server_address,
    .server_secret = mpw_server_secret,
    .server_progress = mpw_server_progress,
    .server_may_block = mpw_server_may_block,
    .server_block = mpw_server_block,
    .server_wake = mpw_server_wake,
    .server_reply = mpw_server_reply,
    .server_origin = mpw_server_origin,
    .server_pe = mpw_server_pe,
    .server_attach = mpw_server_attach,
    .server_notify = mpw_server_notify,
    .life_names = life_names,
    .server_stats = mpw_server_stats,
    .server_close = mpw_server_close,
    .open = mpw_open,
    .connect = mpw_connect,
    .target = mpw_target,
    .put = mpw_put,
    .put_complete = mpw_put_complete,
    .get = mpw_get,
    .get_begin = mpw_get_begin,
    .request = mpw_request,
    .last_request = mpw_request,
    .message = mpw_message,
    .try_message = mpw_try_message,
    .put_message = mpw_put_message,
    .wait = mpw_wait,
    .amo = mpw_amo,
    .quiet = mpw_quiet,
    .quiet_begin = mpw_quiet_begin,
    .quiet_test = mpw_quiet_test,
    .fence = mpw_quiet,
    .progress = mpw_progress,
    .poll = mpw_poll,
    .stats = mpw_stats,
    .close = mpw_close,
};
