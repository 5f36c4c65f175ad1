// SPDX-License-Identifier: BSD-3-Clause
//
// The transport that stands before the real one and uses all the freedom of the contract
// (CAUSEWAY_DELAY): its settings and its table of operations.
#include "delay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"

#define MAX_US 1000000u

delay_setup_t delay_setup;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int cwt_delay_read(const char *spec, uint64_t *seed_p, uint64_t *max_ns_p)
{
    char *end, *end_us = NULL;
    errno = 0;
    uint64_t seed = strtoull(spec, &end, 10);
    uint64_t us = *end == ':' ? strtoull(end + 1, &end_us, 10) : 0;
    // strtoull takes signs and blanks
    if (errno || !is_digit(spec[0]) || *end != ':' || !is_digit(end[1]) || *end_us || us == 0 ||
        us > MAX_US) {
        cwu_error("CAUSEWAY_DELAY=\"%s\": give SEED:MICROSECONDS, two whole numbers, the second "
                  "from 1 to %u",
                  spec, MAX_US);
        return CW_EINVAL;
    }
    *seed_p = seed;
    *max_ns_p = us * 1000;
    return CW_OK;
}

static uint64_t draw_seed(const char *job)
{
    uint64_t seed = 14695981039346656037u;
    for (; *job; job++)
        seed = (seed ^ (unsigned char)*job) * 1099511628211u;  // FNV-1a
    return seed % 1000000 + 1;
}

int cwt_delay_wrap(const cwt_ops_t *real, const cwt_delay_config_t *config, const cwt_ops_t **ops_p)
{
    int rc = cwt_delay_read(config->spec, &delay_setup.seed, &delay_setup.max_ns);
    if (rc)
        return rc;
    if (delay_setup.seed == 0)
        delay_setup.seed = draw_seed(config->job);
    delay_setup.real = real;
    delay_setup.pe = config->pe;
    free(delay_setup.log_path);
    delay_setup.log_path = config->log ? strdup(config->log) : NULL;
    if (config->pe == 0)
        fprintf(stderr,
                "causeway: delay: seed %llu, up to %llu us: transfers between nodes come late at "
                "random\n",
                (unsigned long long)delay_setup.seed,
                (unsigned long long)(delay_setup.max_ns / 1000));
    *ops_p = &cwt_delay;
    return 0;
}

uint64_t delay_stream(uint64_t kind, uint64_t number)
{
    uint64_t state =
        delay_setup.seed * 0x100000001b3u + (uint64_t)delay_setup.pe * 65536 + kind * 256 + number;
    return delay_random(&state);
}

// ---------------------------------------------------------------- loading

static void delay_begin_load(void)
{
    delay_setup.real->begin_load();
}

static int delay_life_names(const void *blob, size_t nbytes, int which,
                            struct sockaddr_storage *names)
{
    return delay_setup.real->life_names(blob, nbytes, which, names);
}

static int delay_load(bool one_machine)
{
    return delay_setup.real->load(one_machine);
}

static int delay_join(const cwt_layout_t *layout, void *base, int pe, int npes)
{
    return delay_setup.real->join(layout, base, pe, npes);
}

static void delay_leave(void)
{
    delay_setup.real->leave();
}

static bool delay_one_client(void)
{
    return delay_setup.real->one_client();
}

static bool delay_needs_memory(void)
{
    return delay_setup.real->needs_memory();
}

static size_t delay_request_most(const cwt_conn_t *c)
{
    return delay_setup.real->request_most(((const delay_conn_t *)(const void *)c)->real);
}

static bool delay_software(void)
{
    return delay_setup.real->software();
}

static bool delay_sees_loss(void)
{
    return delay_setup.real->sees_loss();
}

static bool delay_threads_serve(void)
{
    return delay_setup.real->threads_serve();
}

static size_t delay_inject_most(void)
{
    return delay_setup.real->inject_most();
}

const cwt_ops_t cwt_delay = {
    .name = "delay",
    .begin_load = delay_begin_load,
    .load = delay_load,
    .join = delay_join,
    .leave = delay_leave,
    .one_client = delay_one_client,
    .inject_most = delay_inject_most,
    .needs_memory = delay_needs_memory,
    .software = delay_software,
    .sees_loss = delay_sees_loss,
    .threads_serve = delay_threads_serve,
    .request_most = delay_request_most,
    .server_open = delay_server_open,
    .server_address = delay_server_address,
    .server_secret = delay_server_secret,
    .server_progress = delay_server_progress,
    .server_may_block = delay_server_may_block,
    .server_block = delay_server_block,
    .server_wake = delay_server_wake,
    .server_reply = delay_server_reply,
    .server_origin = delay_server_origin,
    .server_pe = delay_server_pe,
    .server_attach = delay_server_attach,
    .server_notify = delay_server_notify,
    .life_names = delay_life_names,
    .server_stats = delay_server_stats,
    .server_close = delay_server_close,
    .open = delay_open,
    .connect = delay_connect,
    .target = delay_target,
    .put = delay_put,
    .put_complete = delay_put_complete,
    .get = delay_get,
    .get_begin = delay_get_begin,
    .release = delay_release,
    .request = delay_request,
    .last_request = delay_request,  // what the real one would send less is no order
    .message = delay_message,
    .try_message = delay_try_message,
    .put_message = delay_put_message,
    .wait = delay_wait,
    .amo = delay_amo,
    .quiet = delay_quiet,
    .quiet_begin = delay_quiet_begin,
    .quiet_test = delay_quiet_test,
    .fence = delay_fence,
    .progress = delay_progress,
    .poll = delay_poll,
    .stats = delay_stats,
    .close = delay_close,
};
