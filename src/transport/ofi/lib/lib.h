// SPDX-License-Identifier: BSD-3-Clause
//
// The lowest room of the libfabric transport: loads the library, chooses the provider, translates
// its errors and addresses. The only source of <rdma/…> for the rooms above.
//
// Threads: ofi_load and ofi_load_safe from any thread; what they set is constant afterwards.
// Blocking: they do file and network look-ups and may take some tens of milliseconds.
#ifndef CWT_OFI_LIB_H
#define CWT_OFI_LIB_H

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/env.h"
#include "base/error.h"
#include "ip.h"
#include "transport/transport.h"

#define OFI_API FI_VERSION(1, 17)
#define OFI_PRIVATE_NBYTES 40u           // that connect and accept of MSG endpoints must carry
#define OFI_FRAGMENT ((size_t)16 << 20)  // larger transfers go in pieces of this size

// ---------------------------------------------------------------- the library (load.c)
typedef struct ofi_lib {
    void *handle;
    uint32_t version;
    int (*getinfo)(uint32_t, const char *, const char *, uint64_t, const struct fi_info *,
                   struct fi_info **);
    void (*freeinfo)(struct fi_info *);
    struct fi_info *(*dupinfo)(const struct fi_info *);
    int (*fabric)(struct fi_fabric_attr *, struct fid_fabric **, void *);
    const char *(*strerror)(int);
    uint32_t (*fversion)(void);
} ofi_lib_t;
extern ofi_lib_t ofi_lib;
int ofi_lib_open(void);
/** The library's text for a (positive or negative) provider error. */
const char *ofi_reason(ssize_t err);
/** Puts that this library carries out store a word of 2, 4 or 8 bytes once (words.c). */
void ofi_store_words_once(void);
/** fi_errno -> CW_E…: the only place that knows both. */
int ofi_errno_to_cw(ssize_t err);
/** Of a connection call: would the same call fail again, whatever the other side does? */
bool ofi_is_definite(ssize_t err);
/** CAUSEWAY_TIMEOUT. */
uint64_t ofi_timeout_ns(void);

// ------------------------------------------------- the provider (choose.c, loaded.c)
/** The provider that was chosen, what it demands and what it promises. */
typedef struct ofi_choice {
    struct fi_info *info;
    struct fi_info *safe_info;  // the same provider for clients of several threads; NULL: it has no
                                // such mode
    bool msg;                   // MSG endpoints, else RDM
    bool virt_addr;             // remote addresses are the server's virtual addresses
    bool prov_key;              // the provider picks keys
    bool pieces;                // registering pins or needs pages: one region per piece
    bool local_mr;              // local buffers must be registered
    bool mr_endpoint;           // regions are bound to the endpoint
    bool ordered;               // a read flushes the writes before it, and writes stay in order
    bool send_after_write;      // a message never overtakes writes
    bool send_after_send;
    bool copied;    // a thread of a target whose stores others may see out of order copies puts
    bool delivery;  // FI_DELIVERY_COMPLETE may be asked of single writes
    bool nic_atomics;
    bool multi_recv;  // a buffer may take several messages
    bool software;       // messages are as fast as puts: no device, and none is stood for
    bool long_requests;  // servers take requests of up to CWT_REQUEST_MAX
    bool guarded;     // the provider gets no connection of another user of this machine (gate.c)
    ofi_ips_t ips;    // this host's, if several: published, and sockets are bound to none of them
    size_t inject_nbytes;
    size_t fragment;  // largest single write or read
} ofi_choice_t;
CW_HIDDEN extern ofi_choice_t ofi_choice;
void ofi_begin_load(void);  // transport.h
int ofi_load(bool one_machine);
bool ofi_one_client(void);
bool ofi_needs_memory(void);
bool ofi_software(void);
bool ofi_sees_loss(void);
bool ofi_threads_serve(void);
/** Does this provider stand on the kernel's sockets? */
bool ofi_over_sockets(const struct fi_info *info);
/** And does it listen at its address, over TCP? */
bool ofi_over_tcp(const struct fi_info *info);
/** Searches safe_info, once. After ofi_load(). */
void ofi_load_safe(void);

/** Why a candidate was chosen or not. */
typedef struct ofi_verdict {
    char provider[48], device[48], text[128];
    bool msg, software;
} ofi_verdict_t;
/** All candidates of the choice, the best first; how many. After ofi_load(). */
int ofi_verdicts(const ofi_verdict_t **list_p);

// ---------------------------------------------------------------- atomics (atomics.c)
/** The numbers of cw_amo_op_t, which this layer must not include. */
enum {
    OFI_AMO_FETCH,
    OFI_AMO_SET,
    OFI_AMO_ADD,
    OFI_AMO_AND,
    OFI_AMO_OR,
    OFI_AMO_XOR,
    OFI_AMO_SWAP,
    OFI_AMO_CSWAP,
    OFI_AMO_OPS
};
CW_HIDDEN extern const enum fi_op ofi_atomic_ops[OFI_AMO_OPS];
/** Does the user want the provider's? */
bool ofi_wants_atomics(void);

// ---------------------------------------------------------------- local addresses (address.c)
/** Addresses to listen at, the best first, by CAUSEWAY_INTERFACE, one_machine, or the host's
 *  interfaces. None: any. 0 or CW_E…, reported. */
int ofi_local_addresses(bool one_machine, ofi_ips_t *ips_p);
/** A host with several addresses listens at all of them, and is bound to none where it connects:
 *  which is reached, the other side finds out, and from which, the kernel. With IPv6 sockets if any
 *  is of that kind, which carry IPv4, too. */
void ofi_listen_everywhere(struct fi_info *info, const ofi_ips_t *ips);
/** "10.0.0.1 port 4711" of a provider address, or hex for unknown formats. */
const char *ofi_address_text(const void *addr, size_t nbytes, char *text, size_t text_nbytes);

#endif
