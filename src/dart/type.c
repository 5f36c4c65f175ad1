// SPDX-License-Identifier: BSD-3-Clause
//
// Data types: their table, the ways through them.
#include "dart/type.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

const uint8_t drt_basic_nbytes[] = {
    [DART_TYPE_BYTE] = 1,
    [DART_TYPE_SHORT] = sizeof(short),
    [DART_TYPE_INT] = sizeof(int),
    [DART_TYPE_UINT] = sizeof(unsigned),
    [DART_TYPE_LONG] = sizeof(long),
    [DART_TYPE_ULONG] = sizeof(unsigned long),
    [DART_TYPE_LONGLONG] = sizeof(long long),
    [DART_TYPE_ULONGLONG] = sizeof(unsigned long long),
    [DART_TYPE_FLOAT] = sizeof(float),
    [DART_TYPE_DOUBLE] = sizeof(double),
    [DART_TYPE_LONG_DOUBLE] = sizeof(long double),
};

// ---------------------------------------------------------------- the table
// Pages of it never move, so threads look types up without the lock.
enum { PAGE = 256, PAGES = 256 };
typedef struct page {
    drt_type_t *of[PAGE];
} page_t;
static page_t *pages[PAGES] CW_LARGE;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards changes of the table

const drt_type_t *drt_type_find(dart_datatype_t type)
{
    size_t at = (size_t)type - (size_t)DART_TYPE_LAST;
    if (type < DART_TYPE_LAST || at >= (size_t)PAGE * PAGES)
        return NULL;
    const page_t *page = __atomic_load_n(&pages[at / PAGE], __ATOMIC_ACQUIRE);  // pairs with enter
    return page ? __atomic_load_n(&page->of[at % PAGE], __ATOMIC_ACQUIRE) : NULL;
}

/** The first free place of the table; false: there is none, or no memory. */
static bool find_place(size_t *at_p)
{
    for (size_t at = 0; at < (size_t)PAGE * PAGES; at++) {
        page_t *page = pages[at / PAGE];
        if (!page && !(page = calloc(1, sizeof *page)))
            return false;
        __atomic_store_n(&pages[at / PAGE], page, __ATOMIC_RELEASE);
        if (!page->of[at % PAGE]) {
            *at_p = at;
            return true;
        }
    }
    return false;
}

static dart_ret_t enter(const char *call, drt_type_t *type, dart_datatype_t *number_p)
{
    size_t at = 0;
    pthread_mutex_lock(&lock);
    bool found = type && find_place(&at);
    if (found) {
        *number_p = DART_TYPE_LAST + (dart_datatype_t)at;
        if (type->nelems == 0)
            type->base = *number_p;
        __atomic_store_n(&pages[at / PAGE]->of[at % PAGE], type, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    if (found)
        return DART_OK;
    free(type);
    return drt_refuse(call, DART_ERR_NOMEM, "there is no memory for one more type");
}

// ---------------------------------------------------------------- questions
bool drt_base_of(dart_datatype_t type, dart_datatype_t *base_p, size_t *elem_nbytes_p)
{
    const drt_type_t *made = drt_is_basic(type) ? NULL : drt_type_find(type);
    if (!made && !drt_is_basic(type))
        return false;
    *base_p = made ? made->base : type;
    *elem_nbytes_p = made ? made->elem_nbytes : drt_basic_nbytes[type];
    return true;
}

bool drt_nbytes(size_t nelem, dart_datatype_t type, size_t *nbytes_p)
{
    dart_datatype_t base;
    size_t each;
    return drt_base_of(type, &base, &each) && base == type &&
           !__builtin_mul_overflow(nelem, each, nbytes_p);
}

dart_ret_t drt_refuse_size(const char *call, size_t nelem, dart_datatype_t type)
{
    size_t nbytes;
    if (!drt_nbytes(1, type, &nbytes))
        return drt_refuse(call, DART_ERR_INVAL, "type %lld is no contiguous type", (long long)type);
    return drt_refuse(call, DART_ERR_INVAL, "%zu elements of %zu bytes are too many", nelem,
                      nbytes);
}

bool drt_span(size_t nelem, dart_datatype_t type, size_t *span_p)
{
    const drt_type_t *made = drt_is_basic(type) ? NULL : drt_type_find(type);
    if (!made || made->nelems == 0)
        return drt_nbytes(nelem, type, span_p);
    size_t n = nelem / made->nelems, to_last;
    *span_p = 0;
    if (nelem % made->nelems)
        return false;
    return n == 0 || (!__builtin_mul_overflow(n - 1, made->stride, &to_last) &&
                      !__builtin_add_overflow(to_last, made->reach, span_p));
}

// ---------------------------------------------------------------- walks
drt_walk_t drt_walk(void *base, size_t nelem, dart_datatype_t type)
{
    const drt_type_t *made = drt_is_basic(type) ? NULL : drt_type_find(type);
    size_t each = made ? made->elem_nbytes : drt_basic_nbytes[type];
    drt_walk_t walk = {.base = base, .at = base, .left = nelem * each};
    if (made && made->nelems)
        walk.type = made;
    else
        walk.run = walk.left;
    return walk;
}

bool drt_walk_next(drt_walk_t *walk)
{
    const drt_type_t *type = walk->type;
    while (walk->run == 0 && walk->left > 0 && type) {
        if (type->nblocks == 0) {
            walk->at = walk->base + walk->set++ * type->stride;
            walk->run = type->reach;
            continue;
        }
        const drt_block_t *block = &type->blocks[walk->block];
        walk->at = walk->base + walk->set * type->stride + block->at;
        walk->run = block->nbytes;
        if (++walk->block == type->nblocks) {
            walk->block = 0;
            walk->set++;
        }
    }
    return walk->left > 0;
}

// ---------------------------------------------------------------- calls
DRT_API dart_ret_t dart_type_create_custom(size_t num_bytes, dart_datatype_t *newtype)
{
    DRT_WANT(newtype);
    *newtype = DART_TYPE_UNDEFINED;
    if (num_bytes == 0)
        return drt_refuse(__func__, DART_ERR_INVAL, "a type of 0 bytes");
    drt_type_t *type = calloc(1, sizeof *type);
    if (type)
        *type = (drt_type_t){.elem_nbytes = num_bytes};
    return enter(__func__, type, newtype);
}

/** The base of a type with gaps: a contiguous one. */
static dart_ret_t check_base(const char *call, dart_datatype_t basetype, size_t *each_p)
{
    return drt_nbytes(1, basetype, each_p) ? DART_OK : drt_refuse_size(call, 1, basetype);
}

DRT_API dart_ret_t dart_type_create_strided(dart_datatype_t basetype, size_t stride,
                                            size_t blocklen, dart_datatype_t *newtype)
{
    DRT_WANT(newtype);
    *newtype = DART_TYPE_UNDEFINED;
    size_t each, block, step;
    dart_ret_t rc = check_base(__func__, basetype, &each);
    if (rc != DART_OK)
        return rc;
    if (blocklen == 0 || stride < blocklen || __builtin_mul_overflow(stride, each, &step))
        return drt_refuse(__func__, DART_ERR_INVAL, "blocks of %zu elements every %zu elements",
                          blocklen, stride);
    block = blocklen * each;
    drt_type_t *type = calloc(1, sizeof *type);
    if (type)
        *type = (drt_type_t){.base = basetype,
                             .elem_nbytes = each,
                             .nelems = blocklen,
                             .stride = step,
                             .reach = block};
    return enter(__func__, type, newtype);
}

/** Fills in the blocks but the empty ones, which have no place; false: one of them is out of all
 *  addresses, or all are empty. */
static bool set_blocks(drt_type_t *type, size_t count, const size_t blocklen[],
                       const size_t offset[])
{
    size_t least = SIZE_MAX, each = type->elem_nbytes;
    for (size_t i = 0; i < count; i++) {
        drt_block_t *block = &type->blocks[type->nblocks];
        size_t end;
        if (blocklen[i] == 0)
            continue;
        type->nblocks++;
        if (__builtin_mul_overflow(blocklen[i], each, &block->nbytes) ||
            __builtin_mul_overflow(offset[i], each, &block->at) ||
            __builtin_add_overflow(block->at, block->nbytes, &end) ||
            __builtin_add_overflow(type->nelems, blocklen[i], &type->nelems))
            return false;
        least = block->at < least ? block->at : least;
        type->reach = end > type->reach ? end : type->reach;
    }
    type->stride = type->reach - least;
    return type->nelems > 0;
}

DRT_API dart_ret_t dart_type_create_indexed(dart_datatype_t basetype, size_t count,
                                            const size_t blocklen[], const size_t offset[],
                                            dart_datatype_t *newtype)
{
    DRT_WANT(newtype);
    *newtype = DART_TYPE_UNDEFINED;
    DRT_WANT(blocklen);
    DRT_WANT(offset);
    size_t each;
    dart_ret_t rc = check_base(__func__, basetype, &each);
    if (rc != DART_OK)
        return rc;
    if (count == 0 || count > SIZE_MAX / 2 / sizeof(drt_block_t))
        return drt_refuse(__func__, DART_ERR_INVAL, "%zu blocks", count);
    drt_type_t *type = calloc(1, sizeof *type + count * sizeof type->blocks[0]);
    if (type) {
        type->base = basetype;
        type->elem_nbytes = each;
        if (!set_blocks(type, count, blocklen, offset)) {
            free(type);
            return drt_refuse(__func__, DART_ERR_INVAL,
                              "the blocks have no element, or are out of all addresses");
        }
    }
    return enter(__func__, type, newtype);
}

DRT_API dart_ret_t dart_type_destroy(dart_datatype_t *dart_type)
{
    DRT_WANT(dart_type);
    size_t at = (size_t)*dart_type - (size_t)DART_TYPE_LAST;
    pthread_mutex_lock(&lock);
    drt_type_t *type = (drt_type_t *)(uintptr_t)drt_type_find(*dart_type);
    if (type)
        __atomic_store_n(&pages[at / PAGE]->of[at % PAGE], NULL, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    if (!type)
        return drt_refuse(__func__, DART_ERR_INVAL, "type %lld is none that a call has made",
                          (long long)*dart_type);
    free(type);
    *dart_type = DART_TYPE_UNDEFINED;
    return DART_OK;
}
