// SPDX-License-Identifier: BSD-3-Clause
//
// Layouts and values of DART 3.2, written down from the published interface: programs compiled with
// its headers link with ours. In C and C++ (names.py).
#include <dash/dart/if/dart.h>
#include <dash/dart/if/dart_locality.h>
#include <stddef.h>

#include "frame/check.h"

#define SAME(a, b) CHECK((long long)(a) == (long long)(b), "%s is %lld", #a, (long long)(a))

static void results(void)
{
    SAME(DART_OK, 0), SAME(DART_PENDING, 1), SAME(DART_ERR_INVAL, 2), SAME(DART_ERR_NOTFOUND, 3);
    SAME(DART_ERR_NOTINIT, 4), SAME(DART_ERR_NOMEM, 5), SAME(DART_ERR_OTHER, 999);
    SAME(DART_EXIT_SUCCESS, 0), SAME(DART_EXIT_ABORT, 1), SAME(DART_EXIT_ASSERT, -6);
    SAME(DART_THREAD_SINGLE, 0), SAME(DART_THREAD_MULTIPLE, 10);
    SAME(DART_TEAM_ALL, 0), SAME(DART_TEAM_NULL, -1), SAME(DART_UNDEFINED_TEAM_ID, -1);
    SAME(DART_UNDEFINED_UNIT_ID, -1), SAME(DART_SEGMENT_LOCAL, 0);
    CHECK(DART_GROUP_NULL == NULL && DART_LOCK_NULL == NULL && (DART_HANDLE_NULL) == NULL);
    CHECK_STR(DART_VERSION_STR, "3.2.0");
}

static void operations(void)
{
    SAME(DART_OP_UNDEFINED, 0), SAME(DART_OP_MIN, 1), SAME(DART_OP_MAX, 2);
    SAME(DART_OP_MINMAX, 3), SAME(DART_OP_SUM, 4), SAME(DART_OP_PROD, 5), SAME(DART_OP_BAND, 6);
    SAME(DART_OP_LAND, 7), SAME(DART_OP_BOR, 8), SAME(DART_OP_LOR, 9), SAME(DART_OP_BXOR, 10);
    SAME(DART_OP_LXOR, 11), SAME(DART_OP_REPLACE, 12), SAME(DART_OP_NO_OP, 13);
    SAME(DART_OP_LAST, 14), SAME(DART_OP_MINMAX_MIN, 0), SAME(DART_OP_MINMAX_MAX, 1);
    SAME(sizeof(dart_operation_t), 8), SAME(sizeof(dart_datatype_t), 8);
    SAME(DART_TYPE_UNDEFINED, 0), SAME(DART_TYPE_BYTE, 1), SAME(DART_TYPE_SHORT, 2);
    SAME(DART_TYPE_INT, 3), SAME(DART_TYPE_UINT, 4), SAME(DART_TYPE_LONG, 5);
    SAME(DART_TYPE_ULONG, 6), SAME(DART_TYPE_LONGLONG, 7), SAME(DART_TYPE_ULONGLONG, 8);
    SAME(DART_TYPE_FLOAT, 9), SAME(DART_TYPE_DOUBLE, 10), SAME(DART_TYPE_LONG_DOUBLE, 11);
    SAME(DART_TYPE_LAST, 12), SAME(DART_TYPE_SIZET, 8);
}

static void pointers(void)
{
    dart_gptr_t gptr = DART_GPTR_NULL;
    unsigned char bytes[sizeof gptr];
    SAME(sizeof gptr, 16), SAME(offsetof(dart_gptr_t, segid), 4);
    SAME(offsetof(dart_gptr_t, teamid), 6), SAME(offsetof(dart_gptr_t, addr_or_offs), 8);
    CHECK(DART_GPTR_ISNULL(gptr));
    gptr.unitid = 0x123456, gptr.flags = 0xab, gptr.segid = -2, gptr.teamid = 0x0102;
    gptr.addr_or_offs.offset = 0x1122334455667788;
    memcpy(bytes, &gptr, sizeof gptr);
    const unsigned char expected[] = {0x56, 0x34, 0x12, 0xab, 0xfe, 0xff, 0x02, 0x01,
                                      0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11};
    CHECK(memcmp(bytes, expected, sizeof expected) == 0);
    CHECK(!DART_GPTR_ISNULL(gptr));
    dart_gptr_t other = gptr;
    CHECK(dart_gptr_incaddr(&other, -8) == DART_OK && !DART_GPTR_EQUAL(gptr, other));
    CHECK(dart_gptr_incaddr(&other, 8) == DART_OK && DART_GPTR_EQUAL(gptr, other));
    CHECK(dart_gptr_setunit(&other, DART_TEAM_UNIT_ID(-1)) == DART_OK && other.unitid == -1);
    SAME(sizeof(dart_global_unit_t), 4), SAME(sizeof(dart_team_unit_t), 4);
    SAME(sizeof(dart_team_t), 2), SAME(sizeof(dart_unit_t), 4);
    SAME(DART_GLOBAL_UNIT_ID(5).id, 5), SAME(DART_UNDEFINED_TEAM_UNIT_ID.id, -1);
    SAME(sizeof(dart_handle_t), 8), SAME(sizeof(dart_lock_t), 8), SAME(sizeof(dart_group_t), 8);
}

static void locality(void)
{
    SAME(DART_LOCALITY_SCOPE_UNDEFINED, -1), SAME(DART_LOCALITY_SCOPE_GLOBAL, 0);
    SAME(DART_LOCALITY_SCOPE_GROUP, 1), SAME(DART_LOCALITY_SCOPE_NETWORK, 50);
    SAME(DART_LOCALITY_SCOPE_NODE, 100), SAME(DART_LOCALITY_SCOPE_MODULE, 200);
    SAME(DART_LOCALITY_SCOPE_NUMA, 300), SAME(DART_LOCALITY_SCOPE_UNIT, 400);
    SAME(DART_LOCALITY_SCOPE_PACKAGE, 500), SAME(DART_LOCALITY_SCOPE_UNCORE, 510);
    SAME(DART_LOCALITY_SCOPE_CACHE, 530), SAME(DART_LOCALITY_SCOPE_CORE, 550);
    SAME(DART_LOCALITY_SCOPE_CPU, 600), SAME(sizeof(dart_locality_scope_t), 4);
    SAME(DART_LOCALITY_HOST_MAX_SIZE, 64), SAME(DART_LOCALITY_DOMAIN_TAG_MAX_SIZE, 32);
    SAME(sizeof(dart_hwinfo_t), 64 + 4 * 8 + 3 * 20 + 5 * 4 + 12 * 8 + 4);
    SAME(offsetof(dart_hwinfo_t, cache_sizes), 96), SAME(offsetof(dart_hwinfo_t, scopes), 176);
    SAME(sizeof(dart_module_location_t), 136), SAME(sizeof(dart_locality_scope_pos_t), 8);
    SAME(sizeof(dart_unit_locality_t), 8 + 276 + 32);
    SAME(offsetof(dart_unit_locality_t, domain_tag), 284);
    SAME(offsetof(dart_domain_locality_t, aliases), 96);
    SAME(offsetof(dart_domain_locality_t, scope), 108);
    SAME(offsetof(dart_domain_locality_t, parent), 128);
    SAME(offsetof(dart_domain_locality_t, children), 144);
    SAME(offsetof(dart_domain_locality_t, team), 156);
    SAME(offsetof(dart_domain_locality_t, unit_ids), 168);
    SAME(offsetof(dart_domain_locality_t, shared_mem_bytes), 188);
    SAME(sizeof(dart_domain_locality_t), 192), SAME(sizeof(dart_config_t), 4);
}

int main(void)
{
    results();
    operations();
    pointers();
    locality();
    return check_result();
}
