// SPDX-License-Identifier: BSD-3-Clause
//
// What both halves of the MPI transport stand on: the plugin, the messages on MPI's communicator,
// and buffers for those that are being sent.
//
//   request   server's rank, MPW_REQUEST_TAG      [mpw_ask_t | cwt_header_t ... ]
//   transfer  server's rank, MPW_REQUEST_TAG      [mpw_ask_t | mpw_move_t | bytes of a small put ]
//   answer    client's rank, client's own tag     [mpw_answer_t | payload, or a small one's bytes ]
//   data      of a large transfer, its track's tag [bytes, from and to where they belong ]
//
// MPI keeps messages of one sender with one tag in their order. An answer of any kind says that all
// requests up to its `seq` have been executed.
#ifndef CWT_MPI_WORLD_H
#define CWT_MPI_WORLD_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/compiler.h"
#include "transport/mpi/plugin.h"
#include "transport/transport.h"

// MPI promises tags up to 32,767.
enum {
    MPW_REQUEST_TAG = 1,
    MPW_FIRST_CLIENT_TAG = 2,
    MPW_CLIENTS_MOST = 30000,
    MPW_TRACKS = 1024,  // large transfers that a process has under way
    MPW_FIRST_PUT_TAG = MPW_FIRST_CLIENT_TAG + MPW_CLIENTS_MOST,
    MPW_FIRST_GET_TAG = MPW_FIRST_PUT_TAG + MPW_TRACKS,
};
_Static_assert(MPW_FIRST_GET_TAG + MPW_TRACKS <= 32767, "MPI's least upper bound of tags");

/** Head of a request. */
typedef struct mpw_ask {
    uint32_t seq;       // number of the request on its connection
    uint16_t tag;       // of the client
    uint16_t nonce;     // of the client: tags are used again
    uint16_t notified;  // notifications that the client has received, modulo 2^16
    uint8_t room;       // and how many it takes beyond them; 0: it takes none
    uint8_t flags;
    uint32_t unused;
} mpw_ask_t;
_Static_assert(sizeof(mpw_ask_t) == 16, "wire format");
enum {
    MPW_ASK_ACK = 1,   // an answer is due when it has been executed
    MPW_ASK_NOP = 2,   // of the transport: no handler
    MPW_ASK_LOOK = 4,  // with NOP: puts and gets are coming, which a server does not see; without a
                       // number of its own
    MPW_ASK_MOVE = 8,  // a put or get by messages
};

typedef enum mpw_moves {
    MPW_PUT_HERE = 1,  // the bytes follow; a numbered request
    MPW_GET_HERE,      // the reply has the bytes; a numbered request
    MPW_PUT_DATA,      // the bytes come by the track; a reply says that they are there
    MPW_GET_DATA,      // the bytes go by the track
} mpw_moves_t;

/** What a message with MPW_ASK_MOVE has in place of a header. Those by tracks have no number of
 *  their own, for requests behind them may be executed first. */
typedef struct mpw_move {
    uint64_t offset, nbytes;  // in the node object
    uint64_t reply_id;
    uint16_t kind;
    uint16_t track;
    uint32_t unused;
} mpw_move_t;
_Static_assert(sizeof(mpw_move_t) == 32, "wire format");

typedef enum mpw_kind { MPW_ACK = 1, MPW_REPLY, MPW_NOTIFICATION } mpw_kind_t;

/** Head of an answer. */
typedef struct mpw_answer {
    uint64_t reply_id;
    uint32_t seq;
    uint16_t nonce;
    uint16_t kind;
} mpw_answer_t;
_Static_assert(sizeof(mpw_answer_t) == 16, "wire format");

enum { MPW_HERE_MOST = 4096, MPW_WIRE_MOST = 16 + CWT_MESSAGE_MAX };
_Static_assert(sizeof(mpw_ask_t) + sizeof(mpw_move_t) + MPW_HERE_MOST <= MPW_WIRE_MOST, "fits");

/** How puts and gets travel; of the process, decided at its first transfer (choice.c). */
typedef enum mpw_way { MPW_UNDECIDED, MPW_BY_WINDOW, MPW_BY_MESSAGES } mpw_way_t;

struct mpw_rank;
typedef struct mpw_world {
    const cwt_mpi_plugin_t *plugin;
    cwu_mpi_facts_t facts;
    pthread_t main;           // the thread that initialised MPI
    struct mpw_rank *ranks;   // [size]: window.c
    _Atomic uint32_t joined;  // futex
    _Atomic int way;          // mpw_way_t
} mpw_world_t;
extern mpw_world_t mpw_world CW_HIDDEN;

/** May this thread call MPI? */
bool mpw_is_allowed(void);
/** Reports "MPI: WHAT with NODE failed: MPI's reason" (node may be NULL); returns CW_ELOST. */
int mpw_failed(const char *what, const char *node, int code);

int mpw_join(const cwt_layout_t *layout, void *base, int pe, int npes);
/** The node server's thread waits for join here; a join that fails ends the process. */
void mpw_await_join(void);
void mpw_leave(void);

// ---------------------------------------------------------------- the window (window.c)
// Any thread. 0 or MPI's error; at most CWT_MPI_COUNT_MAX bytes.

/** What is known of each rank's part; CW_ENOMEM is reported. */
int mpw_ranks_open(void);
void mpw_ranks_close(void);
int mpw_window_put(int rank, uint64_t offset, const void *src, size_t nbytes);
int mpw_window_get(int rank, uint64_t offset, void *dst, size_t nbytes);
/** All transfers to that rank whose calls have returned are complete, here and there. One thread at
 *  a time waits for a rank. */
int mpw_window_flush(int rank);

// ---------------------------------------------------------------- messages being sent (sender.c)

typedef struct mpw_slot {
    struct mpw_slot *next;
    uint64_t request;  // 0: free
    _Alignas(8) uint8_t bytes[MPW_WIRE_MOST];
} mpw_slot_t;

/** All zero is an empty one; its user serialises. */
typedef struct mpw_sender {
    mpw_slot_t *free, *first, **end;  // first: under way, the oldest one
    uint32_t count;
} mpw_sender_t;

/** A buffer, or NULL: there are `most`, and all are under way, or there is no memory. */
mpw_slot_t *mpw_sender_take(mpw_sender_t *sender, uint32_t most);
/** Sends it; 0 or MPI's error. */
int mpw_sender_send(mpw_sender_t *sender, mpw_slot_t *slot, int rank, int tag, size_t nbytes);
/** Frees buffers that have been sent. Is none under way? */
bool mpw_sender_reap(mpw_sender_t *sender);
void mpw_sender_close(mpw_sender_t *sender);

#endif
