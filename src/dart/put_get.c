// SPDX-License-Identifier: BSD-3-Clause
//
// Puts, gets, flushes, handles. Within the node a transfer is a copy; what leaves it is complete
// after a quiet of the default context. A handle is the number of a quiet (core/owner/handle.h).
#include <string.h>

#include "base/symbol.h"
#include "core/observe/sources.h"
#include "core/owner/handle.h"
#include "dart/transfer.h"

/** Where the elements are mapped here, if a copy is all that there is to do; else NULL. */
static CW_ALWAYS_INLINE char *near_of(dart_gptr_t gptr, const void *local, size_t nelem,
                                      dart_datatype_t src_type, dart_datatype_t dst_type,
                                      size_t *nbytes_p)
{
    drt_gets_finish();
    if (CW_UNLIKELY(!drt_plain_nbytes(nelem, src_type, dst_type, nbytes_p)) || CW_UNLIKELY(!local))
        return NULL;
    return drt_near(gptr, *nbytes_p);
}

static CW_ALWAYS_INLINE dart_ret_t copy(void *dest, const void *src, size_t nbytes)
{
    cw_copy(dest, src, nbytes);
    cw_get_done();
    return DART_OK;
}

// One word, mapped here, which most calls are: it is all that the functions of the interface do by
// themselves. The rest is a jump to a function of the same arguments, so that they save no
// registers and move no arguments.
/** Bytes of the word; 0: it is none. */
static CW_ALWAYS_INLINE size_t word_nbytes(size_t nelem, dart_datatype_t src_type,
                                           dart_datatype_t dst_type)
{
    size_t nbytes;
    return CW_LIKELY(drt_plain_nbytes(nelem, src_type, dst_type, &nbytes)) ? nbytes : 0;
}

/** False: it was none, or gets are under way. */
static CW_ALWAYS_INLINE bool put_word(dart_gptr_t gptr, const void *src, size_t nbytes)
{
    char *near;
    if (CW_UNLIKELY(!src) || CW_UNLIKELY(drt_gets_under_way()))
        return false;
    if (CW_LIKELY(nbytes == 8) && CW_LIKELY((near = drt_near_word(gptr, 8)) != NULL))
        memcpy(near, src, 8);
    else if (nbytes == 4 && CW_LIKELY((near = drt_near_word(gptr, 4)) != NULL))
        memcpy(near, src, 4);
    else
        return false;
    return true;
}

static CW_ALWAYS_INLINE bool get_word(void *dest, dart_gptr_t gptr, size_t nbytes)
{
    const char *near;
    if (CW_UNLIKELY(!dest) || CW_UNLIKELY(drt_gets_under_way()))
        return false;
    if (CW_LIKELY(nbytes == 8) && CW_LIKELY((near = drt_near_word(gptr, 8)) != NULL))
        memcpy(dest, near, 8);
    else if (nbytes == 4 && CW_LIKELY((near = drt_near_word(gptr, 4)) != NULL))
        memcpy(dest, near, 4);
    else
        return false;
    cw_get_done();
    return true;
}

#define PUT(call_, blocking_)                                                             \
    {                                                                                     \
        call_, gptr, (void *)(uintptr_t)src, nelem, dst_type, src_type, true, (blocking_) \
    }
#define GET(call_, blocking_)                                            \
    {                                                                    \
        call_, gptr, dest, nelem, src_type, dst_type, false, (blocking_) \
    }

// ---------------------------------------------------------------- complete when they return
static dart_ret_t complete(const drt_transfer_t *t)
{
    bool flying;
    dart_ret_t rc = drt_transfer(t, &flying);
    drt_land(flying);
    return rc;
}

static CW_NOINLINE dart_ret_t put_blocking_anywhere(dart_gptr_t gptr, const void *src, size_t nelem,
                                                    dart_datatype_t src_type,
                                                    dart_datatype_t dst_type)
{
    size_t nbytes;
    char *near = near_of(gptr, src, nelem, src_type, dst_type, &nbytes);
    if (CW_LIKELY(near != NULL))
        return copy(near, src, nbytes);
    const drt_transfer_t t = PUT("dart_put_blocking", true);
    return complete(&t);
}

DRT_API dart_ret_t dart_put_blocking(dart_gptr_t gptr, const void *src, size_t nelem,
                                     dart_datatype_t src_type, dart_datatype_t dst_type)
{
    if (CW_LIKELY(put_word(gptr, src, word_nbytes(nelem, src_type, dst_type))))
        return DART_OK;
    return put_blocking_anywhere(gptr, src, nelem, src_type, dst_type);
}

static CW_NOINLINE dart_ret_t get_blocking_anywhere(void *dest, dart_gptr_t gptr, size_t nelem,
                                                    dart_datatype_t src_type,
                                                    dart_datatype_t dst_type)
{
    size_t nbytes;
    const char *near = near_of(gptr, dest, nelem, src_type, dst_type, &nbytes);
    if (CW_LIKELY(near != NULL))
        return copy(dest, near, nbytes);
    const drt_transfer_t t = GET("dart_get_blocking", true);
    return complete(&t);
}

DRT_API dart_ret_t dart_get_blocking(void *dest, dart_gptr_t gptr, size_t nelem,
                                     dart_datatype_t src_type, dart_datatype_t dst_type)
{
    if (CW_LIKELY(get_word(dest, gptr, word_nbytes(nelem, src_type, dst_type))))
        return DART_OK;
    return get_blocking_anywhere(dest, gptr, nelem, src_type, dst_type);
}

// ---------------------------------------------------------------- complete after a flush
static CW_NOINLINE dart_ret_t put_anywhere(dart_gptr_t gptr, const void *src, size_t nelem,
                                           dart_datatype_t src_type, dart_datatype_t dst_type)
{
    size_t nbytes;
    char *near = near_of(gptr, src, nelem, src_type, dst_type, &nbytes);
    if (CW_LIKELY(near != NULL))
        return copy(near, src, nbytes);
    const drt_transfer_t t = PUT("dart_put", false);
    bool flying;
    dart_ret_t rc = drt_transfer(&t, &flying);
    if (CW_CHECKING() && rc == DART_OK)
        drt_keep_source(&t, NULL, CWU_CALLER);
    return rc;
}

DRT_API dart_ret_t dart_put(dart_gptr_t gptr, const void *src, size_t nelem,
                            dart_datatype_t src_type, dart_datatype_t dst_type)
{
    if (CW_LIKELY(put_word(gptr, src, word_nbytes(nelem, src_type, dst_type))))
        return DART_OK;
    return put_anywhere(gptr, src, nelem, src_type, dst_type);
}

static CW_NOINLINE dart_ret_t get_anywhere(void *dest, dart_gptr_t gptr, size_t nelem,
                                           dart_datatype_t src_type, dart_datatype_t dst_type)
{
    size_t nbytes;
    const char *near = near_of(gptr, dest, nelem, src_type, dst_type, &nbytes);
    if (CW_LIKELY(near != NULL))
        return copy(dest, near, nbytes);
    const drt_transfer_t t = GET("dart_get", false);
    bool flying;
    dart_ret_t rc = drt_transfer(&t, &flying);
    if (CW_CHECKING() && rc == DART_OK)
        drt_keep_get(&t, CWU_CALLER);
    return rc;
}

/** False: it was none, or nothing may be left. */
static CW_ALWAYS_INLINE bool begin_word(void *dest, dart_gptr_t gptr, size_t nbytes)
{
    const char *near;
    if (CW_UNLIKELY(nbytes != 8) || CW_UNLIKELY(!dest) || CW_UNLIKELY(!drt_gets.on) ||
        CW_UNLIKELY((near = drt_near_word(gptr, 8)) == NULL))
        return false;
    drt_gets_begin(dest, near);
    return true;
}

DRT_API dart_ret_t dart_get(void *dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                            dart_datatype_t dst_type)
{
    const size_t nbytes = word_nbytes(nelem, src_type, dst_type);
    if (CW_LIKELY(begin_word(dest, gptr, nbytes)) || get_word(dest, gptr, nbytes))
        return DART_OK;
    return get_anywhere(dest, gptr, nelem, src_type, dst_type);
}

/** A quiet covers all segments and units. */
static dart_ret_t flush(const char *call, dart_gptr_t gptr, bool of_unit)
{
    drt_gets_finish();
    const drt_segment_t *segment = drt_segment_find_any(gptr);
    if (CW_UNLIKELY(!segment))
        return drt_refuse_segment(call, gptr);
    if (CW_UNLIKELY(of_unit && (uint32_t)gptr.unitid >= (uint32_t)segment->nunits)) {
        const drt_team_t *team = drt_team_find(gptr.teamid);
        return drt_is_ignored(team, gptr.unitid) ? DART_OK
                                                 : drt_refuse_unit(call, gptr.unitid, team);
    }
    CW_WATCH(cw_watch_call(call));
    if (CW_CHECKING()) {
        cw_source_end_all(CW_SOURCE_FLUSH, call);
        cw_source_end_all(CW_SOURCE_HANDLE, call);
        cw_source_forget(CW_GET_FLUSH, 0);
    }
    cw_quiet_default();
    return DART_OK;
}

DRT_API dart_ret_t dart_flush(dart_gptr_t gptr)
{
    return flush(__func__, gptr, true);
}

DRT_API dart_ret_t dart_flush_all(dart_gptr_t gptr)
{
    return flush(__func__, gptr, false);
}

DRT_API dart_ret_t dart_flush_local(dart_gptr_t gptr)
{
    return flush(__func__, gptr, true);
}

DRT_API dart_ret_t dart_flush_local_all(dart_gptr_t gptr)
{
    return flush(__func__, gptr, false);
}

// ---------------------------------------------------------------- complete with their handle
static dart_ret_t begin(const drt_transfer_t *t, dart_handle_t *handle, const void *caller)
{
    bool flying;
    dart_ret_t rc = drt_transfer(t, &flying);
    cw_handle_t made = cw_handle_make(flying, NULL);
    if (CW_CHECKING() && rc == DART_OK) {
        made = cw_handle_given(t->call, made);
        if (t->put)
            drt_keep_source(t, made, caller);
    }
    *handle = (dart_handle_t)made;
    return rc;
}

DRT_API dart_ret_t dart_put_handle(dart_gptr_t gptr, const void *src, size_t nelem,
                                   dart_datatype_t src_type, dart_datatype_t dst_type,
                                   dart_handle_t *handle)
{
    DRT_WANT(handle);
    *handle = DART_HANDLE_NULL;
    size_t nbytes;
    char *near = near_of(gptr, src, nelem, src_type, dst_type, &nbytes);
    if (CW_LIKELY(near != NULL))
        return copy(near, src, nbytes);
    const drt_transfer_t t = PUT(__func__, false);
    return begin(&t, handle, CWU_CALLER);
}

DRT_API dart_ret_t dart_get_handle(void *dest, dart_gptr_t gptr, size_t nelem,
                                   dart_datatype_t src_type, dart_datatype_t dst_type,
                                   dart_handle_t *handle)
{
    DRT_WANT(handle);
    *handle = DART_HANDLE_NULL;
    size_t nbytes;
    const char *near = near_of(gptr, dest, nelem, src_type, dst_type, &nbytes);
    if (CW_LIKELY(near != NULL))
        return copy(dest, near, nbytes);
    const drt_transfer_t t = GET(__func__, false);
    return begin(&t, handle, CWU_CALLER);
}

/** In checking mode: was each of them given, and none waited for? */
static CW_COLD dart_ret_t check_spent(const char *call, const dart_handle_t *handles, size_t n)
{
    char origin[CW_KNOWN_TEXT];
    for (size_t i = 0; i < n; i++)
        if (handles[i] && !cw_handle_was_given((cw_handle_t)handles[i]))
            return drt_refuse(call, DART_ERR_INVAL, "handle %zu is none that a call has given", i);
        else if (cw_handle_is_spent((cw_handle_t)handles[i], origin, sizeof origin))
            return drt_refuse(call, DART_ERR_INVAL, "handle %zu was waited for already; %s", i,
                              origin);
    return DART_OK;
}

/** Could a call have given these? */
static dart_ret_t check_handles(const char *call, const dart_handle_t *handles, size_t n)
{
    if (CW_UNLIKELY(!drt_team_find(DART_TEAM_ALL)))
        return drt_refuse_team(call, DART_TEAM_ALL);
    for (size_t i = 0; i < n; i++)
        // a number: this front end's handles never count messages
        if (CW_UNLIKELY(handles[i] && (!((uintptr_t)handles[i] & 1) ||
                                       !cw_handle_is_known((cw_handle_t)handles[i]))))
            return drt_refuse(call, DART_ERR_INVAL, "handle %zu is none that a call has given", i);
    return CW_CHECKING() ? check_spent(call, handles, n) : DART_OK;
}

/** In checking mode, of handles that are complete, or given up. */
static CW_COLD void spend_all(const char *call, const dart_handle_t *handles, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (handles[i])
            cw_handle_spend(call, (cw_handle_t)handles[i]);
}

static CW_COLD bool test_checked(const char *call, dart_handle_t *handles, size_t n)
{
    bool all = true;
    for (size_t i = 0; i < n; i++) {
        if (!handles[i])
            continue;
        if (!cw_handle_test((cw_handle_t)handles[i])) {
            all = false;
            continue;
        }
        cw_handle_spend(call, (cw_handle_t)handles[i]);
        handles[i] = DART_HANDLE_NULL;
    }
    return all;
}

static dart_ret_t wait_all(const char *call, dart_handle_t *handles, size_t n)
{
    drt_gets_finish();
    if (n == 0)
        return DART_OK;
    if (CW_UNLIKELY(!handles))
        return drt_refuse_null(call, "handle");
    dart_ret_t rc = check_handles(call, handles, n);
    if (rc == DART_OK) {
        CW_WATCH(cw_watch_call(call));
        if (CW_CHECKING())
            spend_all(call, handles, n);
        cw_handle_wait_all(call, (cw_handle_t *)handles, n);
    }
    return rc;
}

/** All or none become DART_HANDLE_NULL. */
static dart_ret_t test_all(const char *call, dart_handle_t *handles, size_t n, int32_t *result_p)
{
    drt_gets_finish();
    if (CW_UNLIKELY(!result_p))
        return drt_refuse_null(call, "result");
    *result_p = 1;
    if (n == 0)
        return DART_OK;
    *result_p = 0;
    if (CW_UNLIKELY(!handles))
        return drt_refuse_null(call, "handle");
    dart_ret_t rc = check_handles(call, handles, n);
    if (rc == DART_OK) {
        CW_WATCH(cw_watch_call(call));
        *result_p = CW_CHECKING() ? test_checked(call, handles, n)
                                  : cw_handle_test_all((cw_handle_t *)handles, n);
    }
    return rc;
}

#define WAITS(name)                                       \
    DRT_API dart_ret_t dart_##name(dart_handle_t *handle) \
    {                                                     \
        return wait_all(__func__, handle, 1);             \
    }
#define WAITS_ALL(name)                                               \
    DRT_API dart_ret_t dart_##name(dart_handle_t handles[], size_t n) \
    {                                                                 \
        return wait_all(__func__, handles, n);                        \
    }
#define TESTS(name)                                                      \
    DRT_API dart_ret_t dart_##name(dart_handle_t *handle, int32_t *done) \
    {                                                                    \
        return test_all(__func__, handle, 1, done);                      \
    }
#define TESTS_ALL(name)                                                              \
    DRT_API dart_ret_t dart_##name(dart_handle_t handles[], size_t n, int32_t *done) \
    {                                                                                \
        return test_all(__func__, handles, n, done);                                 \
    }
// a number is that of a quiet, so local completion is completion
WAITS(wait)
WAITS(wait_local)
WAITS_ALL(waitall)
WAITS_ALL(waitall_local)
TESTS(test)
TESTS(test_local)
TESTS_ALL(testall)
TESTS_ALL(testall_local)

DRT_API dart_ret_t dart_handle_free(dart_handle_t *handle)
{
    DRT_WANT(handle);
    if (CW_CHECKING())
        spend_all(__func__, handle, 1);
    *handle = DART_HANDLE_NULL;
    return DART_OK;
}
