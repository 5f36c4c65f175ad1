// SPDX-License-Identifier: BSD-3-Clause
//
// The requests of PEs to servers of other nodes, in simulated time: what the hot spot (hotspot.c)
// and the wave front (wave.c) share. One thread.
#ifndef STUDY_HOTSPOT_H
#define STUDY_HOTSPOT_H

#include <stdnoreturn.h>

#include "core/route/forward.h"
#include "core/route/window.h"
#include "sim.h"

typedef struct price {
    double hop;      // latency between nodes
    double serve;    // server, for a message that arrives
    double execute;  // server, for each request or answer in it
    double send;     // server, for a message that leaves
    double byte;     // for each byte of a message, at its sender
    double client;   // PE, to send a request
    double wake;     // PE, to see its answer
    double local;    // a PE of node 0, for the whole operation
    double penalty;  // for a message, for each one that waits behind it at the same server
} price_t;

typedef enum kind {
    REQUEST,
    PACKED,
    ANSWERS,
    DIRECT,  // a request without forwarding
    REPLY,   // to a PE, of a direct request
    HERE     // to a PE of the same node
} kind_t;

typedef struct packet {
    sim_thread_t event;  // its arrival; first member
    struct packet *next;
    kind_t kind;
    uint32_t from, slot, to;  // nodes; for a REPLY `to` is a PE
    size_t nbytes;
    _Alignas(8) char bytes[];
} packet_t;

enum { OPERAND_AT = 24 };  // in a request, behind its header
enum { WEST, NORTH, EAST, SOUTH, SIDES };
enum { NO_PE = UINT32_MAX, QUEUED_MOST = 4096 };

/** What a PE of a wave front has besides. */
typedef struct wave {
    sim_thread_t event;  // a plane is computed; first member
    struct pe *pe;
    uint32_t beside[SIDES];  // neighbours, or NO_PE
    unsigned came[SIDES];    // notifications of each
    unsigned sweep, plane;
    bool works, sends;
    uint64_t queue[QUEUED_MOST];  // notifications to be sent: PE * SIDES + its side
    unsigned first, last;
} wave_t;

typedef struct server {
    sim_thread_t event;  // the end of a round
    uint32_t me;
    cw_forward_t *f;
    packet_t *first, *last;
    unsigned waiting, longest, taken;
    bool is_busy;
    double debt;  // of sends, in this round
    uint64_t arrived;
    _Atomic uint64_t *unanswered;
    struct pe *left;  // PEs that have left their requests here
} server_t;

typedef struct pe {
    sim_thread_t event;  // its next operation
    uint32_t me;
    unsigned left, n;
    double begin, total;
    bool holds;  // its request waits for the window of its first edge
    cw_window_use_t *use;
    struct pe *next;  // that has left its request at the server
    wave_t *wave;     // NULL: it sends requests to PE 0
    cw_forward_own_t own;
    _Alignas(8) char request[CW_FORWARD_ALONE];
} pe_t;

typedef struct hotspot {
    cw_topology_t topology;
    uint32_t npes, pes_per_node, nnodes, share, rounds, window;
    uint32_t planes, work, data;      // of a wave front: ns of a plane, bytes for a neighbour
    double end;                       // of the last PE's last plane
    size_t nbytes;                    // of a request
    uint32_t buffer_nbytes, buffers;  // of the window of a neighbour's PE
    bool is_direct, wants_value, packs, combines;
    price_t price;
    server_t *server;
    pe_t *pe;
    uint64_t executed, hops;
} hotspot_t;
extern hotspot_t sim;

noreturn void hot_fail(const char *what);
void *hot_zeros(size_t n, size_t nbytes);
/** A message, which leaves after so many ns. */
void hot_post(kind_t kind, uint32_t from, uint32_t slot, uint32_t to, const void *bytes,
              size_t nbytes, double after);
/** A request of a PE to another node. operand: what PE 0 adds, or the PE and side that are
 *  notified. */
void hot_request(pe_t *pe, uint32_t to, uint64_t operand);

// ---------------------------------------------------------------- the wave front (wave.c)
// LU of the NAS benchmarks: PEs on a grid compute plane after plane, each behind the same plane of
// its western and its northern neighbour, and notify the eastern and the southern one; then all of
// it backwards. A plane's data are a put, which goes straight; the notify behind it is a request,
// which with forwarding waits until the put is complete.
void wave_make(pe_t *pe);
void wave_begin(pe_t *pe);
/** A request has come to its target. */
void wave_notified(const void *request);
/** A PE's notification is complete. */
void wave_sent(pe_t *pe);
void wave_print(uint64_t events);

#endif
