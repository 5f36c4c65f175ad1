// SPDX-License-Identifier: BSD-3-Clause
//
// DART 3.2: types, constants, data types, operations. Layouts and values are those of the published
// interface, so programs and DASH may be compiled with either set of headers.
#ifndef DART_TYPES_H_INCLUDED
#define DART_TYPES_H_INCLUDED

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------- results
/** What calls return. */
typedef enum {
    DART_OK = 0,
    DART_PENDING = 1,        // under way
    DART_ERR_INVAL = 2,      // an argument is wrong
    DART_ERR_NOTFOUND = 3,   // there is no such thing
    DART_ERR_NOTINIT = 4,    // before dart_init or after dart_exit
    DART_ERR_NOMEM = 5,      // no memory is left
    DART_ERR_OTHER = 999
} dart_ret_t;

/** With what programs end. */
enum {
    DART_EXIT_SUCCESS = EXIT_SUCCESS,
    DART_EXIT_ABORT = EXIT_FAILURE,
    DART_EXIT_ASSERT = -6  // an assertion failed
};

// ---------------------------------------------------------------- operations
/** Of atomics and reductions. dart_op_create makes further ones. */
enum {
    DART_OP_UNDEFINED = 0,
    DART_OP_MIN,
    DART_OP_MAX,
    DART_OP_MINMAX,   // on pairs: the smaller first, the larger second (allreduce, reduce)
    DART_OP_SUM,
    DART_OP_PROD,
    DART_OP_BAND,     // B: bitwise, L: logical
    DART_OP_LAND,
    DART_OP_BOR,
    DART_OP_LOR,
    DART_OP_BXOR,
    DART_OP_LXOR,
    DART_OP_REPLACE,  // the operand
    DART_OP_NO_OP,    // what was there
    DART_OP_LAST      // how many there are
};
typedef uintptr_t dart_operation_t;

/** Places in a pair of DART_OP_MINMAX. */
#define DART_OP_MINMAX_MIN 0
#define DART_OP_MINMAX_MAX 1

// ---------------------------------------------------------------- data types
/** A number below DART_TYPE_LAST, or what dart_type_create_... gave. */
typedef intptr_t dart_datatype_t;

#define DART_TYPE_UNDEFINED (dart_datatype_t)(0)
#define DART_TYPE_BYTE (dart_datatype_t)(1)
#define DART_TYPE_SHORT (dart_datatype_t)(2)
#define DART_TYPE_INT (dart_datatype_t)(3)
#define DART_TYPE_UINT (dart_datatype_t)(4)
#define DART_TYPE_LONG (dart_datatype_t)(5)
#define DART_TYPE_ULONG (dart_datatype_t)(6)
#define DART_TYPE_LONGLONG (dart_datatype_t)(7)
#define DART_TYPE_ULONGLONG (dart_datatype_t)(8)
#define DART_TYPE_FLOAT (dart_datatype_t)(9)
#define DART_TYPE_DOUBLE (dart_datatype_t)(10)
#define DART_TYPE_LONG_DOUBLE (dart_datatype_t)(11)
#define DART_TYPE_LAST (dart_datatype_t)(12)

/** size_t. */
#if UINT32_MAX == SIZE_MAX
#define DART_TYPE_SIZET DART_TYPE_ULONG
#else
#define DART_TYPE_SIZET DART_TYPE_ULONGLONG
#endif

// ---------------------------------------------------------------- units and teams
/** The number of a unit. */
typedef int32_t dart_unit_t;
#define DART_UNDEFINED_UNIT_ID ((dart_unit_t)(-1))

/** A unit's number in DART_TEAM_ALL. */
typedef struct dart_global_unit {
#ifdef __cplusplus
    constexpr dart_global_unit() : id(DART_UNDEFINED_UNIT_ID)
    {
    }
    constexpr dart_global_unit(dart_unit_t uid) : id(uid)
    {
    }
#endif
    dart_unit_t id;
} dart_global_unit_t;

/** A unit's number in a team. */
typedef struct dart_local_unit {
#ifdef __cplusplus
    constexpr dart_local_unit() : id(DART_UNDEFINED_UNIT_ID)
    {
    }
    constexpr dart_local_unit(dart_unit_t uid) : id(uid)
    {
    }
#endif
    dart_unit_t id;
} dart_team_unit_t;

static inline dart_team_unit_t dart_create_team_unit(dart_unit_t unit)
{
    dart_team_unit_t made = {unit};
    return made;
}
#define DART_TEAM_UNIT_ID(unit_) (dart_create_team_unit(unit_))

static inline dart_global_unit_t dart_create_global_unit(dart_unit_t unit)
{
    dart_global_unit_t made = {unit};
    return made;
}
#define DART_GLOBAL_UNIT_ID(unit_) (dart_create_global_unit(unit_))

#define DART_UNDEFINED_TEAM_UNIT_ID DART_TEAM_UNIT_ID(DART_UNDEFINED_UNIT_ID)
#define DART_UNDEFINED_GLOBAL_UNIT_ID DART_GLOBAL_UNIT_ID(DART_UNDEFINED_UNIT_ID)

typedef int16_t dart_team_t;
#define DART_UNDEFINED_TEAM_ID ((dart_team_t)(-1))

typedef enum {
    DART_THREAD_SINGLE = 0,    // calls come from one thread
    DART_THREAD_MULTIPLE = 10  // from any, at any time
} dart_thread_support_level_t;

// ---------------------------------------------------------------- locality
/** What a domain is, from all units down to a processor: a larger number lies inside of a smaller
 *  one. */
typedef enum {
    DART_LOCALITY_SCOPE_UNDEFINED = -1,
    DART_LOCALITY_SCOPE_GLOBAL = 0,
    DART_LOCALITY_SCOPE_GROUP = 1,  // domains that a program has put together
    DART_LOCALITY_SCOPE_NETWORK = 50,
    DART_LOCALITY_SCOPE_NODE = 100,
    DART_LOCALITY_SCOPE_MODULE = 200,
    DART_LOCALITY_SCOPE_NUMA = 300,
    DART_LOCALITY_SCOPE_UNIT = 400,  // a process, with the cores that it may use
    // parts of the hardware that hold no whole unit
    DART_LOCALITY_SCOPE_PACKAGE = 500,
    DART_LOCALITY_SCOPE_UNCORE = 510,
    DART_LOCALITY_SCOPE_CACHE = 530,
    DART_LOCALITY_SCOPE_CORE = 550,
    DART_LOCALITY_SCOPE_CPU = 600
} dart_locality_scope_t;

/** Bytes of a host's name; 64 on Linux, also where strict C hides HOST_NAME_MAX. */
#if defined(HOST_NAME_MAX)
#define DART_LOCALITY_HOST_MAX_SIZE (HOST_NAME_MAX)
#else
#define DART_LOCALITY_HOST_MAX_SIZE (64)
#endif
#define DART_LOCALITY_DOMAIN_TAG_MAX_SIZE ((int)(32))  // bytes of a domain's tag
#define DART_LOCALITY_MAX_DOMAIN_SCOPES ((int)(12))
#define DART_LOCALITY_UNIT_MAX_CPUS ((int)(64))
#define DART_LOCALITY_MAX_NUMA_ID ((int)(16))
#define DART_LOCALITY_MAX_CACHE_LEVELS ((int)(5))

/** A scope, and which of its parent's parts it is. */
typedef struct {
    dart_locality_scope_t scope;
    int index;
} dart_locality_scope_pos_t;

/** The hardware that a unit runs on. Numbers that are not known are -1 or 0. */
typedef struct {
    char host[DART_LOCALITY_HOST_MAX_SIZE];
    int num_cores;
    int num_numa;
    int numa_id;
    int num_sockets;
    int core_id;  // that the unit runs on
    int cpu_id;   // hardware thread
    int min_cpu_mhz;
    int max_cpu_mhz;
    int cache_sizes[DART_LOCALITY_MAX_CACHE_LEVELS];  // bytes, from level 1 on
    int cache_line_sizes[DART_LOCALITY_MAX_CACHE_LEVELS];
    int cache_ids[DART_LOCALITY_MAX_CACHE_LEVELS];
    int min_threads;  // of a core
    int max_threads;
    int max_shmem_mbps;  // bandwidth of memory, MB/s
    int system_memory_bytes;
    int numa_memory_bytes;
    dart_locality_scope_pos_t scopes[DART_LOCALITY_MAX_DOMAIN_SCOPES];  // from the unit upwards
    int num_scopes;
} dart_hwinfo_t;

typedef struct {
    char host[DART_LOCALITY_HOST_MAX_SIZE];    // of the node that the module is part of
    char module[DART_LOCALITY_HOST_MAX_SIZE];  // its own
    dart_locality_scope_pos_t pos;
} dart_module_location_t;

/** A domain: units that share a part of the machine, and the domains inside of it. Its tag is the
 *  path to it from the top, ".", as in ".0.1": part 1 of part 0. */
struct dart_domain_locality_s {
    char host[DART_LOCALITY_HOST_MAX_SIZE];  // empty: several
    char domain_tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];
    struct dart_domain_locality_s **aliases;
    int num_aliases;
    dart_locality_scope_t scope;
    int level;           // 0: the top
    int global_index;    // among all domains of the scope
    int relative_index;  // among those of the parent
    struct dart_domain_locality_s *parent;
    int num_domains;
    struct dart_domain_locality_s **children;  // [num_domains], or NULL
    int is_symmetric;                          // all parts are alike
    dart_team_t team;
    int num_units;
    dart_global_unit_t *unit_ids;  // [num_units]
    int num_nodes;
    int node_id;  // -1: several nodes
    int num_cores;
    int shared_mem_bytes;
};
typedef struct dart_domain_locality_s dart_domain_locality_t;

/** Where a unit runs. */
typedef struct {
    dart_team_unit_t unit;
    dart_team_t team;
    dart_hwinfo_t hwinfo;
    char domain_tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];
} dart_unit_locality_t;

/** What a program may set (dart_config.h). */
typedef struct {
    int log_enabled;
} dart_config_t;

// ---------------------------------------------------------------- making data types
/** Blocks of blocklen elements, each `stride` elements behind the one before. A transfer takes
 *  whole blocks. */
dart_ret_t dart_type_create_strided(dart_datatype_t basetype, size_t stride, size_t blocklen,
                                    dart_datatype_t *newtype);
/** `count` blocks: block i has blocklen[i] elements and begins offset[i] elements behind the start.
 *  A transfer takes whole sets of blocks. */
dart_ret_t dart_type_create_indexed(dart_datatype_t basetype, size_t count, const size_t blocklen[],
                                    const size_t offset[], dart_datatype_t *newtype);
/** An element of num_bytes bytes. */
dart_ret_t dart_type_create_custom(size_t num_bytes, dart_datatype_t *newtype);
/** Transfers that have begun go on. Sets the type to DART_TYPE_UNDEFINED. */
dart_ret_t dart_type_destroy(dart_datatype_t *dart_type);

// ---------------------------------------------------------------- making operations
/** inoutvec[i] = invec[i] op inoutvec[i], for len elements. */
typedef void (*dart_operator_t)(const void *invec, void *inoutvec, size_t len, void *user_data);

/** An operation for reductions on elements of dtype, which is contiguous. userdata goes to each
 *  call of op. dtype_is_tmp: the type serves this operation only. */
dart_ret_t dart_op_create(dart_operator_t op, void *userdata, bool commute, dart_datatype_t dtype,
                          bool dtype_is_tmp, dart_operation_t *new_op);
/** Sets the operation to DART_OP_UNDEFINED. */
dart_ret_t dart_op_destroy(dart_operation_t *op);

#ifdef __cplusplus
}
#endif

#endif
