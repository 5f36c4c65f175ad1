// SPDX-License-Identifier: BSD-3-Clause
//
// The server half: the real one, which pauses now and then.
#include "delay.h"

#include "base/clock.h"
#include "base/error.h"

static struct {
    uint64_t random;                  // of the thread that makes progress
    _Atomic uint64_t blind_until_ns;  // read by block too
} watch;

int delay_server_open(const cwt_server_config_t *config, cwt_server_t **server_p)
{
    watch.random = delay_stream(2, 0);
    return delay_setup.real->server_open(config, server_p);
}

int delay_server_address(cwt_server_t *server, void *blob, size_t *nbytes_p)
{
    return delay_setup.real->server_address(server, blob, nbytes_p);
}

int delay_server_secret(cwt_server_t *server, const uint8_t secret[CWT_SECRET_BYTES])
{
    return delay_setup.real->server_secret(server, secret);
}

int delay_server_progress(cwt_server_t *server)
{
    uint64_t now = cwu_now_ns();
    if (now < watch.blind_until_ns)
        return 0;
    if (delay_one_in(&watch.random, 256))
        watch.blind_until_ns = now + delay_random(&watch.random) % delay_setup.max_ns;
    return delay_setup.real->server_progress(server);
}

bool delay_server_may_block(cwt_server_t *server)
{
    return delay_setup.real->server_may_block(server);
}

int delay_server_block(cwt_server_t *server, uint64_t timeout_ns)
{
    uint64_t now = cwu_now_ns(), until = watch.blind_until_ns;
    if (now < until) {  // if traffic waits, the real block would return at once, again and again
        cwu_sleep_ns(until - now < timeout_ns ? until - now : timeout_ns);
        return 0;
    }
    return delay_setup.real->server_block(server, timeout_ns);
}

void delay_server_wake(cwt_server_t *server)
{
    delay_setup.real->server_wake(server);
}

int delay_server_reply(cwt_from_t *from, const void *payload, size_t nbytes)
{
    return delay_setup.real->server_reply(from, payload, nbytes);
}

uint64_t delay_server_origin(const cwt_from_t *from)
{
    return delay_setup.real->server_origin(from);
}

uint32_t delay_server_pe(const cwt_from_t *from)
{
    return delay_setup.real->server_pe(from);
}

/** The real client has a lock of its own (thread_multiple). */
void delay_server_attach(cwt_server_t *server, cwt_client_t *client)
{
    delay_setup.real->server_attach(server, client ? delay_real_client(client) : NULL);
}

/** Takes every second notification, at random, so that notifications overtake other messages and
 *  are overtaken. */
int delay_server_notify(cwt_server_t *server, uint64_t origin, const void *head, size_t head_nbytes,
                        const void *payload, size_t payload_nbytes)
{
    if (delay_one_in(&watch.random, 2))
        return CW_EAGAIN;
    return delay_setup.real->server_notify(server, origin, head, head_nbytes, payload,
                                           payload_nbytes);
}

void delay_server_stats(const cwt_server_t *server, cwt_stats_t *stats_p)
{
    delay_setup.real->server_stats(server, stats_p);
}

void delay_server_close(cwt_server_t *server)
{
    delay_setup.real->server_close(server);
}
