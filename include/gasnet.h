// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet 1.8 on Causeway. Before it is included, exactly one of GASNET_SEQ, GASNET_PARSYNC and
// GASNET_PAR must be defined, and one of GASNET_SEGMENT_FAST, _LARGE and _EVERYTHING may be; all
// objects of a program alike. See gasnet(3).
#ifndef GASNET_H
#define GASNET_H
#define _INCLUDED_GASNET_H 1

#include <stddef.h>
#include <stdint.h>

#include "gasnet_config.h"
#include "gasnet_fwd.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------- types
typedef gex_Rank_t gasnet_node_t;
typedef gex_Event_t gasnet_handle_t;
typedef uint8_t gasnet_handler_t;
typedef int32_t gasnet_handlerarg_t;
#ifdef GASNET_CAUSEWAY_LIBRARY
typedef void *gasnet_token_t; // the library knows what is behind it
#else
typedef struct gasneti_token_s *gasnet_token_t;
#endif
typedef uintptr_t gasnet_register_value_t;
typedef struct gasnet_causeway_valget *gasnet_valget_handle_t;
typedef void *gasnet_threadinfo_t;

// The functions behind this pointer have one of three signatures, so it has none.
#ifdef __cplusplus
typedef void (*gasnet_causeway_fnptr_t)();
#else
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
typedef void (*gasnet_causeway_fnptr_t)();
#pragma GCC diagnostic pop
#endif
typedef struct {
    gasnet_handler_t index;  // 0: any; gasnet_attach sets it
    gasnet_causeway_fnptr_t fnptr;
} gasnet_handlerentry_t;

typedef struct {
    void *addr;
    uintptr_t size;
} gasnet_seginfo_t;

typedef struct {
    gasnet_node_t host;       // number of this node's host, from 0 on
    gasnet_node_t supernode;  // the same of the nodes that reach each other by load and store
    uintptr_t offset;         // an address of that node + offset is the same object here; valid
                              // within the supernode
    uintptr_t auxoffset;      // the same: the library has no segment of its own
} gasnet_nodeinfo_t;

typedef struct {
    void *addr;
    size_t len;
} gasnet_memvec_t;

typedef struct {
    uint32_t state, magic;
    void *owner, *below;
} gasnet_hsl_t;
#define GASNET_CAUSEWAY_HSL_MAGIC 0x48534c31u
#ifdef __cplusplus
#define GASNET_HSL_INITIALIZER {0, GASNET_CAUSEWAY_HSL_MAGIC, nullptr, nullptr}
#else
#define GASNET_HSL_INITIALIZER {0, GASNET_CAUSEWAY_HSL_MAGIC, NULL, NULL}
#endif

#ifdef __cplusplus
#define GASNET_INVALID_HANDLE nullptr
#else
#define GASNET_INVALID_HANDLE ((gasnet_handle_t)0)
#endif

// ---------------------------------------------------------------- errors
#define GASNET_OK 0
#define GASNET_ERR_NOT_INIT 10001
#define GASNET_ERR_RESOURCE 10002
#define GASNET_ERR_BAD_ARG 10003
#define GASNET_ERR_NOT_READY 10004
#define GASNET_ERR_BARRIER_MISMATCH 10005

char *gasnet_ErrorName(int errval);
char *gasnet_ErrorDesc(int errval);

// ---------------------------------------------------------------- job
int gasnet_causeway_init(int *argc, char ***argv, int mode, const char *config);
#define gasnet_init(argc, argv) \
    gasnet_causeway_init(argc, argv, GASNET_CAUSEWAY_MODE, GASNET_CONFIG_STRING)
int gasnet_attach(gasnet_handlerentry_t *table, int numentries, uintptr_t segsize,
                  uintptr_t minheapoffset);
uintptr_t gasnet_getMaxLocalSegmentSize(void);
uintptr_t gasnet_getMaxGlobalSegmentSize(void);
void gasnet_exit(int exitcode) __attribute__((__noreturn__));
gasnet_node_t gasnet_mynode(void);
gasnet_node_t gasnet_nodes(void);
// of clients that name what GASNet keeps to itself
#define gasneti_mynode (gasnet_mynode())
#define gasneti_nodes (gasnet_nodes())
int gasnet_getSegmentInfo(gasnet_seginfo_t *seginfo_table, int numentries);
int gasnet_getNodeInfo(gasnet_nodeinfo_t *nodeinfo_table, int numentries);
char *gasnet_getenv(const char *name);

// ----------------------------------------------- active messages (the calls: causeway/gasnet-am.h)
size_t gasnet_AMMaxArgs(void);
size_t gasnet_AMMaxMedium(void);
size_t gasnet_AMMaxLongRequest(void);
size_t gasnet_AMMaxLongReply(void);
int gasnet_AMGetMsgSource(gasnet_token_t token, gasnet_node_t *srcindex);
int gasnet_AMPoll(void);

void gasnet_causeway_block(unsigned round);
void gasnet_causeway_block_end(void);
// Stores of a handler in another thread, before it made the condition true, are visible behind it.
// (ThreadSanitizer does not know fences, and compilers refuse them for it.)
#if defined(__SANITIZE_THREAD__)
#define GASNET_CAUSEWAY_SEEN() __asm__ __volatile__("" ::: "memory")
#else
#define GASNET_CAUSEWAY_SEEN() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#endif
#define GASNET_BLOCKUNTIL(cond)                                   \
    do {                                                          \
        unsigned gasnet_causeway_round = 0;                       \
        while (!(cond))                                           \
            gasnet_causeway_block(gasnet_causeway_round++);       \
        if (gasnet_causeway_round)                                \
            gasnet_causeway_block_end();                          \
        GASNET_CAUSEWAY_SEEN();                                   \
    } while (0)

// ---------------------------------------------------------------- atomicity
void gasnet_hold_interrupts(void);
void gasnet_resume_interrupts(void);
void gasnet_hsl_init(gasnet_hsl_t *hsl);
void gasnet_hsl_destroy(gasnet_hsl_t *hsl);
void gasnet_hsl_lock(gasnet_hsl_t *hsl);
void gasnet_hsl_unlock(gasnet_hsl_t *hsl);
int gasnet_hsl_trylock(gasnet_hsl_t *hsl);

// ---------------------------------------------------------------- memory to memory
void gasnet_get(void *dest, gasnet_node_t node, void *src, size_t nbytes);
void gasnet_put(gasnet_node_t node, void *dest, void *src, size_t nbytes);
void gasnet_get_bulk(void *dest, gasnet_node_t node, void *src, size_t nbytes);
void gasnet_put_bulk(gasnet_node_t node, void *dest, void *src, size_t nbytes);
void gasnet_memset(gasnet_node_t node, void *dest, int val, size_t nbytes);

gasnet_handle_t gasnet_get_nb(void *dest, gasnet_node_t node, void *src, size_t nbytes);
gasnet_handle_t gasnet_put_nb(gasnet_node_t node, void *dest, void *src, size_t nbytes);
gasnet_handle_t gasnet_get_nb_bulk(void *dest, gasnet_node_t node, void *src, size_t nbytes);
gasnet_handle_t gasnet_put_nb_bulk(gasnet_node_t node, void *dest, void *src, size_t nbytes);
gasnet_handle_t gasnet_memset_nb(gasnet_node_t node, void *dest, int val, size_t nbytes);

void gasnet_get_nbi(void *dest, gasnet_node_t node, void *src, size_t nbytes);
void gasnet_put_nbi(gasnet_node_t node, void *dest, void *src, size_t nbytes);
void gasnet_get_nbi_bulk(void *dest, gasnet_node_t node, void *src, size_t nbytes);
void gasnet_put_nbi_bulk(gasnet_node_t node, void *dest, void *src, size_t nbytes);
void gasnet_memset_nbi(gasnet_node_t node, void *dest, int val, size_t nbytes);

// ---------------------------------------------------------------- synchronization
void gasnet_wait_syncnb(gasnet_handle_t handle);
int gasnet_try_syncnb(gasnet_handle_t handle);
void gasnet_wait_syncnb_all(gasnet_handle_t *handles, size_t numhandles);
int gasnet_try_syncnb_all(gasnet_handle_t *handles, size_t numhandles);
void gasnet_wait_syncnb_some(gasnet_handle_t *handles, size_t numhandles);
int gasnet_try_syncnb_some(gasnet_handle_t *handles, size_t numhandles);
void gasnet_wait_syncnbi_gets(void);
void gasnet_wait_syncnbi_puts(void);
void gasnet_wait_syncnbi_all(void);
int gasnet_try_syncnbi_gets(void);
int gasnet_try_syncnbi_puts(void);
int gasnet_try_syncnbi_all(void);
// By the names of the release: these need not poll.
#define gasnet_try_syncnb_nopoll(handle) gasnet_try_syncnb(handle)
#define gasnet_try_syncnb_all_nopoll(handles, numhandles) gasnet_try_syncnb_all(handles, numhandles)
#define gasnet_try_syncnb_some_nopoll(handles, numhandles) \
    gasnet_try_syncnb_some(handles, numhandles)
void gasnet_begin_nbi_accessregion(void);
gasnet_handle_t gasnet_end_nbi_accessregion(void);

// ---------------------------------------------------------------- register to memory
void gasnet_put_val(gasnet_node_t node, void *dest, gasnet_register_value_t value, size_t nbytes);
gasnet_handle_t gasnet_put_nb_val(gasnet_node_t node, void *dest, gasnet_register_value_t value,
                                  size_t nbytes);
void gasnet_put_nbi_val(gasnet_node_t node, void *dest, gasnet_register_value_t value,
                        size_t nbytes);
gasnet_register_value_t gasnet_get_val(gasnet_node_t node, void *src, size_t nbytes);
gasnet_valget_handle_t gasnet_get_nb_val(gasnet_node_t node, void *src, size_t nbytes);
gasnet_register_value_t gasnet_wait_syncnb_valget(gasnet_valget_handle_t handle);

// ---------------------------------------------------------------- vector, indexed, strided
void gasnet_putv_bulk(gasnet_node_t dstnode, size_t dstcount, gasnet_memvec_t const dstlist[],
                      size_t srccount, gasnet_memvec_t const srclist[]);
void gasnet_getv_bulk(size_t dstcount, gasnet_memvec_t const dstlist[], gasnet_node_t srcnode,
                      size_t srccount, gasnet_memvec_t const srclist[]);
gasnet_handle_t gasnet_putv_nb_bulk(gasnet_node_t dstnode, size_t dstcount,
                                    gasnet_memvec_t const dstlist[], size_t srccount,
                                    gasnet_memvec_t const srclist[]);
gasnet_handle_t gasnet_getv_nb_bulk(size_t dstcount, gasnet_memvec_t const dstlist[],
                                    gasnet_node_t srcnode, size_t srccount,
                                    gasnet_memvec_t const srclist[]);
void gasnet_putv_nbi_bulk(gasnet_node_t dstnode, size_t dstcount, gasnet_memvec_t const dstlist[],
                          size_t srccount, gasnet_memvec_t const srclist[]);
void gasnet_getv_nbi_bulk(size_t dstcount, gasnet_memvec_t const dstlist[], gasnet_node_t srcnode,
                          size_t srccount, gasnet_memvec_t const srclist[]);

void gasnet_puti_bulk(gasnet_node_t dstnode, size_t dstcount, void *const dstlist[], size_t dstlen,
                      size_t srccount, void *const srclist[], size_t srclen);
void gasnet_geti_bulk(size_t dstcount, void *const dstlist[], size_t dstlen, gasnet_node_t srcnode,
                      size_t srccount, void *const srclist[], size_t srclen);
gasnet_handle_t gasnet_puti_nb_bulk(gasnet_node_t dstnode, size_t dstcount, void *const dstlist[],
                                    size_t dstlen, size_t srccount, void *const srclist[],
                                    size_t srclen);
gasnet_handle_t gasnet_geti_nb_bulk(size_t dstcount, void *const dstlist[], size_t dstlen,
                                    gasnet_node_t srcnode, size_t srccount, void *const srclist[],
                                    size_t srclen);
void gasnet_puti_nbi_bulk(gasnet_node_t dstnode, size_t dstcount, void *const dstlist[],
                          size_t dstlen, size_t srccount, void *const srclist[], size_t srclen);
void gasnet_geti_nbi_bulk(size_t dstcount, void *const dstlist[], size_t dstlen,
                          gasnet_node_t srcnode, size_t srccount, void *const srclist[],
                          size_t srclen);

void gasnet_puts_bulk(gasnet_node_t dstnode, void *dstaddr, const size_t dststrides[],
                      void *srcaddr, const size_t srcstrides[], const size_t count[],
                      size_t stridelevels);
void gasnet_gets_bulk(void *dstaddr, const size_t dststrides[], gasnet_node_t srcnode,
                      void *srcaddr, const size_t srcstrides[], const size_t count[],
                      size_t stridelevels);
gasnet_handle_t gasnet_puts_nb_bulk(gasnet_node_t dstnode, void *dstaddr, const size_t dststrides[],
                                    void *srcaddr, const size_t srcstrides[], const size_t count[],
                                    size_t stridelevels);
gasnet_handle_t gasnet_gets_nb_bulk(void *dstaddr, const size_t dststrides[], gasnet_node_t srcnode,
                                    void *srcaddr, const size_t srcstrides[], const size_t count[],
                                    size_t stridelevels);
void gasnet_puts_nbi_bulk(gasnet_node_t dstnode, void *dstaddr, const size_t dststrides[],
                          void *srcaddr, const size_t srcstrides[], const size_t count[],
                          size_t stridelevels);
void gasnet_gets_nbi_bulk(void *dstaddr, const size_t dststrides[], gasnet_node_t srcnode,
                          void *srcaddr, const size_t srcstrides[], const size_t count[],
                          size_t stridelevels);

// ---------------------------------------------------------------- barriers
#define GASNET_BARRIERFLAG_ANONYMOUS 1
#define GASNET_BARRIERFLAG_MISMATCH 2
#define GASNET_BARRIERFLAG_IMAGES 4                                 // each image of a process calls
#define GASNET_BARRIERFLAG_UNNAMED (GASNET_BARRIERFLAG_ANONYMOUS | 8)  // in all nodes
int gasnet_barrier(int id, int flags);  // of GASNet-EX: both halves
void gasnet_barrier_notify(int id, int flags);
int gasnet_barrier_wait(int id, int flags);
int gasnet_barrier_try(int id, int flags);
/** Of the barrier that ended last: 0 with its name, or 1 if no node gave one. */
int gasnet_barrier_result(int *id);

// ---------------------------------------------------------------- threads
#define GASNET_WAIT_SPIN 0
#define GASNET_WAIT_BLOCK 1
#define GASNET_WAIT_SPINBLOCK 2
int gasnet_set_waitmode(int wait_mode);

// The library finds a thread by its thread-local storage, so there is no identity to pass around.
// Clients compare those of threads: with GASNET_PAR it is an address that each has for itself.
#if GASNET_CAUSEWAY_THREADS == 3
#define GASNET_GET_THREADINFO() ((gasnet_threadinfo_t)&errno)
#else
#define GASNET_GET_THREADINFO() ((gasnet_threadinfo_t)0)
#endif
#define GASNET_POST_THREADINFO(info) \
    gasnet_threadinfo_t const gasnet_causeway_threadinfo __attribute__((__unused__)) = (info)
#define GASNET_BEGIN_FUNCTION() GASNET_POST_THREADINFO(GASNET_GET_THREADINFO())

void gasnet_causeway_unsafe(int result);
/** Ends the job when a call does not return GASNET_OK. No macro: clients define one of that
 *  name. */
static inline void GASNET_Safe(int result)
{
    if (result != GASNET_OK)
        gasnet_causeway_unsafe(result);
}

void gasnet_causeway_announce(int mode, const char *source);
void gasnet_causeway_spawn(void);

// ------------------------------------------------- objects of one program are of one configuration
#ifndef GASNET_CAUSEWAY_LIBRARY
// A linker takes two definitions of an absolute symbol with one value as one, and refuses two
// values.
#define GASNET_CAUSEWAY_TEXT_(x) #x
#define GASNET_CAUSEWAY_TEXT(x) GASNET_CAUSEWAY_TEXT_(x)
__asm__(
    ".globl gasnet_threads_of_objects_differ\n"
    ".hidden gasnet_threads_of_objects_differ\n"
    ".set gasnet_threads_of_objects_differ, " GASNET_CAUSEWAY_TEXT(
        GASNET_CAUSEWAY_THREADS) "\n"
                                 ".globl gasnet_segment_of_objects_differs\n"
                                 ".hidden gasnet_segment_of_objects_differs\n"
                                 ".set gasnet_segment_of_objects_differs, " GASNET_CAUSEWAY_TEXT(
                                     GASNET_CAUSEWAY_SEGMENT) "\n");

/** Announces to the library, before main, that this process uses GASNet, and how: so objects in
 *  shared libraries are compared, too. */
static void gasnet_causeway_announce_this(void) __attribute__((__constructor__, __used__));
static void gasnet_causeway_announce_this(void)
{
#ifdef GASNET_CONDUIT_SMP
    gasnet_causeway_spawn();  // GASNET_PSHM_NODES: programs of this conduit start themselves
#endif
    gasnet_causeway_announce(GASNET_CAUSEWAY_MODE, __BASE_FILE__);
}
#endif

#ifdef __cplusplus
}
#endif

#include "causeway/gasnet-am.h"
#include "gasnetex.h"

#endif
