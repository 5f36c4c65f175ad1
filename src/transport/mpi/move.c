// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets by messages. Small ones are numbered requests: a put carries its bytes, and is in
// order with the requests around it; the reply to a get has them. A large one asks the server to
// receive, or to send, by a track: a tag that no other one of this process has meanwhile.
// MPI moves the bytes from and to where they belong. Waits poll, yield and nap as all waits do,
// which a flush of a window does not.
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "transport/mpi/client.h"

// ---------------------------------------------------------------- tracks

static struct {
    cwu_lock_t lock;
    int next;
    bool used[MPW_TRACKS];
} tracks;

/** -1: all are in use. */
static int take_track(void)
{
    int track = -1;
    cwu_lock(&tracks.lock);
    for (int i = 0; i < MPW_TRACKS && track < 0; i++) {
        int at = (tracks.next + i) % MPW_TRACKS;
        if (!tracks.used[at])
            track = at;
    }
    if (track >= 0) {
        tracks.used[track] = true;
        tracks.next = track + 1;
    }
    cwu_unlock(&tracks.lock);
    return track;
}

static void give_track(int track)
{
    cwu_lock(&tracks.lock);
    tracks.used[track] = false;
    cwu_unlock(&tracks.lock);
}

// ---------------------------------------------------------------- what is under way

static mpw_transfer_t *take_transfer(cwt_client_t *client)
{
    mpw_transfer_t *t = client->spare;
    if (t)
        client->spare = t->next;
    else if (!(t = malloc(sizeof *t)))
        cwu_error("no memory for a transfer");
    if (t)
        *t = (mpw_transfer_t){.track = -1};
    return t;
}

static void append(cwt_client_t *client, mpw_transfer_t *t)
{
    t->number = ++client->begun;
    t->next = NULL;
    *client->end = t;
    client->end = &t->next;
}

static void end_transfer(cwt_client_t *client, mpw_transfer_t *t)
{
    cwt_reply_t *landed = t->landed;
    if (t->track >= 0)
        give_track(t->track);
    t->next = client->spare;
    client->spare = t;
    if (landed)
        landed->done = 1;  // the caller's memory: not touched again
}

int mpw_reap_transfers(cwt_client_t *client)
{
    int ended = 0;
    for (mpw_transfer_t **at = &client->first, *t; (t = *at);) {
        bool over = true;
        int rc = t->track < 0 ? 0 : mpw_track_test(&t->bytes, &over);
        if (rc)
            return mpw_conn_failed(t->conn, "a transfer", rc);
        if (!over || (t->is_answered && !t->answer.done)) {
            at = &t->next;
            continue;
        }
        *at = t->next;
        if (!t->next)
            client->end = at;
        end_transfer(client, t);
        ended++;
    }
    return ended;
}

bool mpw_has_transfers(const cwt_client_t *client, const cwt_conn_t *conn, uint64_t number,
                       bool puts_only)
{
    for (const mpw_transfer_t *t = client->first; t && t->number <= number; t = t->next)
        if ((!conn || t->conn == conn) && (t->is_put || !puts_only))
            return true;
    return false;
}

int mpw_await_transfers(cwt_client_t *client, const cwt_conn_t *conn, bool puts_only)
{
    mpw_patience_t patience = {0};
    uint64_t last = client->begun;
    int rc = client->error;
    while (rc == 0 && mpw_has_transfers(client, conn, last, puts_only))
        rc = mpw_wait_answers(client, &patience);
    return rc;
}

void mpw_forget_transfers(cwt_client_t *client)
{
    mpw_transfer_t *t;
    while ((t = client->first)) {
        client->first = t->next;
        end_transfer(client, t);
    }
    while ((t = client->spare)) {
        client->spare = t->next;
        free(t);
    }
}

// ---------------------------------------------------------------- asking

uint8_t mpw_traffic_flag(cwt_conn_t *conn)
{
    uint64_t now = cwu_now_ns(), last = conn->busy_ns;
    conn->busy_ns = now;
    return now - last < MPW_TRAFFIC_NS && !mpw_is_watched(conn) ? MPW_ASK_LOOK : 0;
}

/** A buffer for a message, numbered (with a credit) or not. Locked, but for the waiting. */
static int await_slot(cwt_conn_t *conn, bool is_numbered, mpw_slot_t **slot_p)
{
    cwt_client_t *client = conn->client;
    mpw_patience_t patience = {0};
    int rc = client->error;
    while (rc == 0 && !(*slot_p = is_numbered ? mpw_slot_for(conn)
                                              : mpw_sender_take(&client->sender, MPW_SLOTS_MOST)))
        rc = mpw_wait_answers(client, &patience);
    return rc;
}

/** Locked. */
static size_t write_move(mpw_slot_t *slot, const mpw_move_t *move)
{
    memcpy(slot->bytes + sizeof(mpw_ask_t), move, sizeof *move);
    return sizeof *move;
}

/** The move, and the bytes of a small put behind it. Locked. */
static size_t write_put(mpw_slot_t *slot, const mpw_move_t *move, const void *src)
{
    size_t nbytes = write_move(slot, move);
    memcpy(slot->bytes + sizeof(mpw_ask_t) + nbytes, src, move->nbytes);
    return nbytes + move->nbytes;
}

static int no_memory(cwt_client_t *client)
{
    cwu_error("no memory for a reply");
    return client->error = CW_ENOMEM;
}

// ---------------------------------------------------------------- small ones

static int put_here(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes,
                    bool is_awaited)
{
    cwt_client_t *client = conn->client;
    mpw_move_t move = {.offset = offset, .nbytes = nbytes, .kind = MPW_PUT_HERE};
    mpw_slot_t *slot = NULL;
    mpw_lock(client);
    int rc = await_slot(conn, true, &slot);
    uint8_t flags = MPW_ASK_MOVE | (is_awaited ? MPW_ASK_ACK : mpw_single_flag(conn));
    if (rc == 0)
        rc = mpw_send(conn, slot, write_put(slot, &move, src), flags | mpw_traffic_flag(conn));
    if (rc == 0 && is_awaited)
        rc = mpw_await_executed(conn);
    mpw_unlock(client);
    return rc;
}

/** The reply, which has the buffer, is the caller's, or a transfer's. Locked, but for waiting. */
static int ask_here(cwt_conn_t *conn, uint64_t offset, cwt_reply_t *reply)
{
    mpw_slot_t *slot = NULL;
    int rc = await_slot(conn, true, &slot);
    if (rc)
        return rc;
    mpw_move_t move = {.offset = offset,
                       .nbytes = reply->capacity,
                       .kind = MPW_GET_HERE,
                       .reply_id = mpw_pending_take(conn, reply)};
    if (!move.reply_id)
        return no_memory(conn->client);
    return mpw_send(conn, slot, write_move(slot, &move),
                    MPW_ASK_MOVE | MPW_ASK_ACK | mpw_traffic_flag(conn));
}

static int get_here(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes)
{
    cwt_client_t *client = conn->client;
    cwt_reply_t reply = {.buf = dst, .capacity = nbytes};
    mpw_lock(client);
    int rc = ask_here(conn, offset, &reply);
    mpw_unlock(client);
    return rc ? rc : mpw_wait(client, &reply);
}

/** Locked, but for waiting. */
static int begin_get_here(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes,
                          cwt_reply_t *landed)
{
    mpw_transfer_t *t = take_transfer(conn->client);
    if (!t)
        return no_memory(conn->client);
    t->conn = conn;
    t->landed = landed;
    t->is_answered = true;
    t->answer = (cwt_reply_t){.buf = dst, .capacity = nbytes};
    int rc = ask_here(conn, offset, &t->answer);
    append(conn->client, t);  // its answer may point to it, also behind a failure
    return rc;
}

// ---------------------------------------------------------------- large ones

/** A transfer with a track, and a buffer for its message. Locked, but for waiting. */
static int open_track(cwt_conn_t *conn, mpw_transfer_t **t_p, mpw_slot_t **slot_p)
{
    cwt_client_t *client = conn->client;
    mpw_patience_t patience = {0};
    int track, rc = client->error;
    while (rc == 0 && (track = take_track()) < 0)
        rc = mpw_wait_answers(client, &patience);
    if (rc)
        return rc;
    mpw_transfer_t *t = take_transfer(client);
    rc = t ? await_slot(conn, false, slot_p) : no_memory(client);
    if (t) {
        t->conn = conn;
        t->track = track;
        *t_p = t;
    } else {
        give_track(track);
    }
    return rc;
}

/** Locked, but for waiting. */
static int begin_put(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes,
                     cwt_reply_t *landed)
{
    cwt_client_t *client = conn->client;
    mpw_transfer_t *t = NULL;
    mpw_slot_t *slot = NULL;
    int rc = open_track(conn, &t, &slot);
    if (!t)
        return rc;
    t->landed = landed;
    t->is_put = t->is_answered = true;
    mpw_move_t move = {.offset = offset,
                       .nbytes = nbytes,
                       .kind = MPW_PUT_DATA,
                       .track = (uint16_t)t->track,
                       .reply_id = rc ? 0 : mpw_pending_take(conn, &t->answer)};
    if (rc == 0 && !move.reply_id)
        rc = no_memory(client);
    if (rc == 0)
        rc = mpw_send_unnumbered(conn, slot, write_move(slot, &move),
                                 MPW_ASK_MOVE | mpw_traffic_flag(conn));
    int code =
        rc ? 0 : mpw_track_send(&t->bytes, conn->rank, MPW_FIRST_PUT_TAG + t->track, src, nbytes);
    append(client, t);
    return code ? mpw_conn_failed(conn, "a put", code) : rc;
}

/** Locked, but for waiting. */
static int begin_get(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes,
                     cwt_reply_t *landed)
{
    mpw_transfer_t *t = NULL;
    mpw_slot_t *slot = NULL;
    int rc = open_track(conn, &t, &slot);
    if (!t)
        return rc;
    t->landed = landed;
    mpw_move_t move = {
        .offset = offset, .nbytes = nbytes, .kind = MPW_GET_DATA, .track = (uint16_t)t->track};
    // before the message, so that the bytes meet a buffer
    int code =
        rc ? 0
           : mpw_track_receive(&t->bytes, conn->rank, MPW_FIRST_GET_TAG + t->track, dst, nbytes);
    if (rc == 0 && code == 0)
        rc = mpw_send_unnumbered(conn, slot, write_move(slot, &move),
                                 MPW_ASK_MOVE | mpw_traffic_flag(conn));
    append(conn->client, t);
    return code ? mpw_conn_failed(conn, "a get", code) : rc;
}

// ---------------------------------------------------------------- all

int mpw_move_put(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes,
                 mpw_until_t until)
{
    cwt_client_t *client = conn->client;
    mpw_count(conn, &conn->puts);
    if (nbytes <= MPW_HERE_MOST)
        return nbytes ? put_here(conn, offset, src, nbytes, until == MPW_COMPLETE) : client->error;
    int rc = 0;
    for (size_t at = 0, n; at < nbytes && rc == 0; at += n) {
        cwt_reply_t landed = {.done = 0};
        n = mpw_piece_of(nbytes - at);
        mpw_lock(client);
        rc = begin_put(conn, offset + at, (const char *)src + at, n,
                       until == MPW_BEGUN ? NULL : &landed);
        mpw_unlock(client);
        if (rc == 0 && until != MPW_BEGUN)
            rc = mpw_wait(client, &landed);
    }
    return rc;
}

int mpw_move_get(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes)
{
    if (nbytes && nbytes <= MPW_HERE_MOST) {
        mpw_count(conn, &conn->gets);
        return get_here(conn, offset, dst, nbytes);
    }
    cwt_reply_t landed = {.done = 0};
    int rc = mpw_move_get_begin(conn, offset, dst, nbytes, &landed);
    return rc ? rc : mpw_wait(conn->client, &landed);
}

/** Of the pieces of one of more than MPI's count the last one says that all have landed. */
int mpw_move_get_begin(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes,
                       cwt_reply_t *landed)
{
    cwt_client_t *client = conn->client;
    int rc = 0;
    mpw_count(conn, &conn->gets);
    if (nbytes == 0 && landed)
        landed->done = 1;
    mpw_lock(client);
    for (size_t at = 0, n; at < nbytes && rc == 0; at += n) {
        n = mpw_piece_of(nbytes - at);
        bool is_last = at + n == nbytes;
        if (!is_last || n > MPW_HERE_MOST)
            rc = begin_get(conn, offset + at, (char *)dst + at, n, is_last ? landed : NULL);
        else
            rc = begin_get_here(conn, offset + at, (char *)dst + at, n, landed);
        if (rc == 0 && !is_last)
            rc = mpw_await_transfers(client, conn, false);
    }
    mpw_unlock(client);
    return rc;
}
