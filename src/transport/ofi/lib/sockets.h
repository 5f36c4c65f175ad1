// SPDX-License-Identifier: BSD-3-Clause
//
// The sockets below providers that stand on TCP: found among the process's own descriptors, since
// providers do not show them. Shut, asked for keepalive, and closed where they prove nothing or
// come from another user.
//
// Threads: any, one at a time for an ofi_unauth_t. Blocking: never.
#ifndef CWT_OFI_SOCKETS_H
#define CWT_OFI_SOCKETS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

// ---------------------------------------------------------------- sockets.c
typedef struct ofi_socket {
    int fd;
    uint64_t cookie;  // the kernel's: never that of another socket
} ofi_socket_t;
/** Shuts this process's only TCP connection to that address; the provider closes its descriptor
 *  when it next polls. Returns false if there is none, or several. */
bool ofi_socket_shut(const void *addr, size_t nbytes, ofi_socket_t *socket_p);
bool ofi_socket_is_open(const ofi_socket_t *socket);
/** Has the other end of this TCP connection been closed? */
bool ofi_socket_has_ended(int fd);
/** Is this the address of a socket? */
bool ofi_is_socket_name(const void *addr, size_t nbytes);
/** The address that the descriptor, a socket, is connected to; false: no socket, or not connected.
 */
bool ofi_socket_peer(int fd, struct sockaddr_storage *peer_p);
bool ofi_is_name(const struct sockaddr_storage *peer, const void *addr, size_t nbytes);
/** Is it the same host, whatever the port? */
bool ofi_is_host(const struct sockaddr_storage *peer, const void *addr, size_t nbytes);
/** The port of a socket's address, in network byte order; 0: it is none. */
uint16_t ofi_port_of(const void *addr);
/** Calls fn with each descriptor of this process, in ascending order, until it returns false. */
void ofi_sockets_each(bool (*fn)(int fd, void *arg), void *arg);
/** The kernel's name of the socket, never that of another; 0: no socket. */
uint64_t ofi_socket_cookie(int fd);

// ---------------------------------------------------------------- keepalive.c
/** What the kernel knows of the other side of a TCP connection. */
typedef struct ofi_alive {
    bool asked;        // keepalive is on: since then the kernel asks when nothing is under way
    bool silent;       // nothing was acknowledged for CAUSEWAY_TIMEOUT, and several attempts failed
    uint32_t quiet_s;  // seconds since the last acknowledgement
    uint64_t received_nbytes;
} ofi_alive_t;
/** False: the descriptor is no TCP socket. */
bool ofi_alive_query(int fd, ofi_alive_t *alive_p);
/** Switches keepalive on. */
void ofi_alive_ask(int fd);

// ---------------------------------------------------------------- user.c
/** The user at the other end of a connection within this machine. CW_ENOENT: no living socket of
 *  this machine is there; CW_EAGAIN: no descriptor is left to ask with; CW_ENOTSUP: the kernel does
 *  not tell. tables: ask in the second way only. */
int ofi_socket_user(int fd, bool tables, uid_t *uid_p);

// ---------------------------------------------------------------- gate.c
/** After the choice of the provider: from here on a job of one machine gets no connection of
 *  another user. Sets ofi_choice.guarded. */
void ofi_gate_open(bool one_machine);
/** Connections refused in this process so far: those whose other end had been closed, as by the end
 *  of its process, or all others. */
uint32_t ofi_gate_refused(bool ended);

// ---------------------------------------------------------------- unauth.c
/** Connections that came in on a listening port and have not proved anything yet. */
typedef struct ofi_unauth {
    uint16_t port;          // network byte order; 0: no sockets
    uint32_t proof_nbytes;  // so many bytes at least come with a proof
    uint32_t count;
    struct ofi_unauth_socket *list;
    uint64_t sweep_ns, files_ns;  // when to sweep next; when to see whether that must be earlier
} ofi_unauth_t;
void ofi_unauth_open(ofi_unauth_t *u, const void *addr, size_t nbytes, uint32_t proof_nbytes);
void ofi_unauth_close(ofi_unauth_t *u);
/** If it is time, shuts those that have sent too little for too long; how many of them had not
 *  ended by themselves. Cheap to call often. */
uint32_t ofi_unauth_check(ofi_unauth_t *u);

#endif
