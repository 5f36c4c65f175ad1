// SPDX-License-Identifier: BSD-3-Clause
//
// Window or messages? Where a network card executes puts and gets, the window is the faster road.
// Where the target's processor does, as over sockets, MPI's flush takes a round trip more than a
// request and its reply, and large transfers take a way that is slower than that of messages. No
// call of MPI tells which it is, so the first transfer of a process tries both, some times each,
// and the shortest decides.
#include "base/clock.h"
#include "base/env.h"
#include "base/error.h"
#include "transport/mpi/client.h"

#define TRIES 8
#define LONGEST_NS 20000000u  // of all tries; a loaded machine is no place to compare

static pthread_mutex_t choosing = PTHREAD_MUTEX_INITIALIZER;

static int try_window(cwt_conn_t *conn, uint64_t *word)
{
    int code = mpw_window_get(conn->rank, 0, word, sizeof *word);
    code = code ? code : mpw_window_flush(conn->rank);
    return code ? mpw_conn_failed(conn, "a first transfer", code) : 0;
}

static int try_messages(cwt_conn_t *conn, uint64_t *word)
{
    return mpw_move_get(conn, 0, word, sizeof *word);
}

/** A failure is the client's error, which the transfer returns. */
static mpw_way_t try_both(cwt_conn_t *conn)
{
    static int (*const ways[])(cwt_conn_t *, uint64_t *) = {try_window, try_messages};
    uint64_t begin = cwu_now_ns(), least[] = {UINT64_MAX, UINT64_MAX}, word;
    for (int i = 0; i < TRIES; i++)
        for (int way = 0; way < 2; way++) {
            uint64_t start = cwu_now_ns();
            if ((i > 0 && start - begin > LONGEST_NS) || ways[way](conn, &word))
                continue;
            uint64_t ns = cwu_now_ns() - start;
            least[way] = ns < least[way] ? ns : least[way];
        }
    cwu_debug("8 bytes from another node take %.1f us through the window, %.1f us by messages",
              (double)least[0] / 1e3, (double)least[1] / 1e3);
    return least[1] < least[0] ? MPW_BY_MESSAGES : MPW_BY_WINDOW;
}

mpw_way_t mpw_choose(cwt_conn_t *conn)
{
    pthread_mutex_lock(&choosing);
    int way = atomic_load_explicit(&mpw_world.way, memory_order_relaxed);
    if (way == MPW_UNDECIDED) {
        way = try_both(conn);
        atomic_store_explicit(&mpw_world.way, way, memory_order_release);
    }
    pthread_mutex_unlock(&choosing);
    return (mpw_way_t)way;
}
