// SPDX-License-Identifier: BSD-3-Clause
//
// The server half of the MPI transport.
#ifndef CWT_MPI_SERVER_H
#define CWT_MPI_SERVER_H

#include "transport/mpi/world.h"

#define MPW_ADDRESS_NAME "CWmp"

/** What a server publishes. */
typedef struct mpw_address {
    char name[4];
    uint32_t rank;  // in MPI_COMM_WORLD
} mpw_address_t;
_Static_assert(sizeof(mpw_address_t) == 8, "published");

int mpw_server_open(const cwt_server_config_t *config, cwt_server_t **server_p);
int mpw_server_address(cwt_server_t *server, void *blob, size_t *nbytes_p);
int mpw_server_secret(cwt_server_t *server, const uint8_t secret[CWT_SECRET_BYTES]);
int mpw_server_progress(cwt_server_t *server);
bool mpw_server_may_block(cwt_server_t *server);
int mpw_server_block(cwt_server_t *server, uint64_t timeout_ns);
void mpw_server_wake(cwt_server_t *server);
int mpw_server_reply(cwt_from_t *from, const void *payload, size_t nbytes);
uint64_t mpw_server_origin(const cwt_from_t *from);
uint32_t mpw_server_pe(const cwt_from_t *from);
void mpw_server_attach(cwt_server_t *server, cwt_client_t *client);
int mpw_server_notify(cwt_server_t *server, uint64_t origin, const void *head, size_t head_nbytes,
                      const void *payload, size_t payload_nbytes);
void mpw_server_stats(const cwt_server_t *server, cwt_stats_t *stats_p);
void mpw_server_close(cwt_server_t *server);

#endif
