// SPDX-License-Identifier: BSD-3-Clause
//
// DART's part of a plugin for an MPI (plugin.h); built once for each MPI family, into one file with
// bootstrap/mpi_plugin.c.
#include "dart/windows/plugin.h"

#include <mpi.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/mpi/plugin.h"
#include "dash/dart/if/dart_types.h"

struct drt_mpi_node {
    MPI_Comm comm;
};

struct drt_mpi_memory {
    MPI_Win window;  // of shared memory
    void *base;
};

static MPI_Comm comm = MPI_COMM_NULL;
static MPI_Win window = MPI_WIN_NULL;  // dynamic
static MPI_Request unending = MPI_REQUEST_NULL;

// ---------------------------------------------------------------- all processes

static int open_world(void (*ending)(void), cwu_mpi_facts_t *facts_p, bool *unified_p)
{
    int *model = NULL, known = 0, turn = -1, rc = cwu_mpi_open_world(ending, &comm, facts_p);
    if (rc == MPI_SUCCESS && (rc = cwu_mpi_begin_progress(&unending)) == MPI_SUCCESS &&
        (rc = cwu_mpi_begin_window(comm, &turn)) == MPI_SUCCESS)
        rc = MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &window);
    cwu_mpi_end_window(turn);
    if (rc || (rc = MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN)) ||
        (rc = MPI_Win_get_attr(window, MPI_WIN_MODEL, (void *)&model, &known)))
        return rc;
    *unified_p = known && *model == MPI_WIN_UNIFIED;
    return MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
}

static int close_world(void)
{
    int rc = cwu_mpi_end_progress(&unending);
    if (rc || (rc = MPI_Win_unlock_all(window)) || (rc = MPI_Win_free(&window)))
        return rc;
    return MPI_Comm_free(&comm);
}

static int progress(void)
{
    return cwu_mpi_progress(unending);
}

// ---------------------------------------------------------------- members on a node

static int make_comm(const int *ranks, int n, int tag, MPI_Comm *made_p)
{
    MPI_Group all = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
    int rc = MPI_Comm_group(comm, &all);
    if (rc == MPI_SUCCESS)
        rc = MPI_Group_incl(all, n, ranks, &group);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_create_group(comm, group, tag, made_p);
    if (group != MPI_GROUP_NULL)
        MPI_Group_free(&group);
    if (all != MPI_GROUP_NULL)
        MPI_Group_free(&all);
    return rc ? rc : MPI_Comm_set_errhandler(*made_p, MPI_ERRORS_RETURN);
}

static int node_open(const int *ranks, int n, int tag, drt_mpi_node_t **node_p)
{
    drt_mpi_node_t *node = malloc(sizeof *node);
    if (!node)
        return MPI_ERR_NO_MEM;
    node->comm = MPI_COMM_NULL;
    *node_p = node;
    return make_comm(ranks, n, tag, &node->comm);
}

static int node_close(drt_mpi_node_t *node)
{
    int rc = MPI_Comm_free(&node->comm);
    free(node);
    return rc;
}

// ---------------------------------------------------------------- segments

/** Each part in pages of its own: a unit's memory is near the unit. */
static int make_shared(drt_mpi_node_t *node, size_t nbytes, drt_mpi_memory_t *memory)
{
    MPI_Info info = MPI_INFO_NULL;
    int rc = MPI_Info_create(&info);
    if (rc == MPI_SUCCESS)
        rc = MPI_Info_set(info, "alloc_shared_noncontig", "true");
    if (rc == MPI_SUCCESS)
        rc = MPI_Win_allocate_shared((MPI_Aint)nbytes, 1, info, node->comm, &memory->base,
                                     &memory->window);
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    return rc ? rc : MPI_Win_set_errhandler(memory->window, MPI_ERRORS_RETURN);
}

static int release(drt_mpi_memory_t *memory)
{
    int rc = memory->base ? MPI_Win_detach(window, memory->base) : MPI_SUCCESS;
    if (rc == MPI_SUCCESS && memory->window != MPI_WIN_NULL)
        rc = MPI_Win_free(&memory->window);
    free(memory);
    return rc;
}

static int allocate(drt_mpi_node_t *node, size_t nbytes, drt_mpi_memory_t **memory_p, void **base_p,
                    uint64_t *at_p)
{
    MPI_Aint at = 0;
    drt_mpi_memory_t *memory = malloc(sizeof *memory);
    if (!memory)
        return MPI_ERR_NO_MEM;
    *memory = (drt_mpi_memory_t){MPI_WIN_NULL, NULL};
    int rc = make_shared(node, nbytes, memory);
    if (rc == MPI_SUCCESS && (rc = MPI_Win_attach(window, memory->base, (MPI_Aint)nbytes)))
        memory->base = NULL;  // nothing to detach
    if (rc || (rc = MPI_Get_address(memory->base, &at))) {
        release(memory);
        return rc;
    }
    *memory_p = memory;
    *base_p = memory->base;
    *at_p = (uint64_t)at;
    return MPI_SUCCESS;
}

static int mapped(drt_mpi_memory_t *memory, int rank, void **base_p)
{
    MPI_Aint nbytes;
    int unit;
    return MPI_Win_shared_query(memory->window, rank, &nbytes, &unit, base_p);
}

// ---------------------------------------------------------------- transfers

static int put(int rank, uint64_t at, const void *src, size_t nbytes)
{
    return MPI_Put(src, (int)nbytes, MPI_BYTE, rank, (MPI_Aint)at, (int)nbytes, MPI_BYTE, window);
}

static int get(int rank, uint64_t at, void *dest, size_t nbytes)
{
    return MPI_Get(dest, (int)nbytes, MPI_BYTE, rank, (MPI_Aint)at, (int)nbytes, MPI_BYTE, window);
}

static int flush(int rank, bool local)
{
    if (rank == DRT_MPI_ALL)
        return local ? MPI_Win_flush_local_all(window) : MPI_Win_flush_all(window);
    return local ? MPI_Win_flush_local(rank, window) : MPI_Win_flush(rank, window);
}

// ---------------------------------------------------------------- atomics

/** Of a basic type of DART. */
static MPI_Datatype type_of(intptr_t type)
{
    switch (type) {
    case DART_TYPE_BYTE:
        return MPI_UNSIGNED_CHAR;
    case DART_TYPE_SHORT:
        return MPI_SHORT;
    case DART_TYPE_INT:
        return MPI_INT;
    case DART_TYPE_UINT:
        return MPI_UNSIGNED;
    case DART_TYPE_LONG:
        return MPI_LONG;
    case DART_TYPE_ULONG:
        return MPI_UNSIGNED_LONG;
    case DART_TYPE_LONGLONG:
        return MPI_LONG_LONG;
    case DART_TYPE_ULONGLONG:
        return MPI_UNSIGNED_LONG_LONG;
    case DART_TYPE_FLOAT:
        return MPI_FLOAT;
    case DART_TYPE_DOUBLE:
        return MPI_DOUBLE;
    default:
        return MPI_LONG_DOUBLE;
    }
}

/** The caller has checked that the type has it. */
static MPI_Op op_of(int op)
{
    switch (op) {
    case DART_OP_MIN:
        return MPI_MIN;
    case DART_OP_MAX:
        return MPI_MAX;
    case DART_OP_SUM:
        return MPI_SUM;
    case DART_OP_PROD:
        return MPI_PROD;
    case DART_OP_BAND:
        return MPI_BAND;
    case DART_OP_LAND:
        return MPI_LAND;
    case DART_OP_BOR:
        return MPI_BOR;
    case DART_OP_LOR:
        return MPI_LOR;
    case DART_OP_BXOR:
        return MPI_BXOR;
    case DART_OP_LXOR:
        return MPI_LXOR;
    case DART_OP_REPLACE:
        return MPI_REPLACE;
    default:
        return MPI_NO_OP;
    }
}

static int accumulate(int rank, uint64_t at, const void *values, int n, drt_mpi_kind_t kind)
{
    const MPI_Datatype type = type_of(kind.type);
    return MPI_Accumulate(values, n, type, rank, (MPI_Aint)at, n, type, op_of(kind.op), window);
}

static int fetch(int rank, uint64_t at, const void *value, void *result, drt_mpi_kind_t kind)
{
    return MPI_Fetch_and_op(value, result, type_of(kind.type), rank, (MPI_Aint)at, op_of(kind.op),
                            window);
}

static int exchange(int rank, uint64_t at, const void *value, const void *compare, void *result,
                    intptr_t type)
{
    return MPI_Compare_and_swap(value, compare, result, type_of(type), rank, (MPI_Aint)at, window);
}

extern const drt_mpi_plugin_t causeway_mpi_dart_memory;
CW_EXPORTED const drt_mpi_plugin_t causeway_mpi_dart_memory = {
    .version = DRT_MPI_PLUGIN_VERSION,
    .describe = cwu_mpi_describe,
    .open = open_world,
    .close = close_world,
    .node_open = node_open,
    .node_close = node_close,
    .allocate = allocate,
    .mapped = mapped,
    .release = release,
    .put = put,
    .get = get,
    .accumulate = accumulate,
    .fetch = fetch,
    .exchange = exchange,
    .flush = flush,
    .progress = progress,
};
