// SPDX-License-Identifier: BSD-3-Clause
//
// Allocation: coarrays, static ones before main, and components.
#include "caf/gfortran/gft.h"
#include "caf/section.h"
#include "caf/window.h"

bool gft_allocation_asks;
gft_token_t gft_found_allocated;

/** What is allocated, by the compiler's numbers. */
enum {
    STATIC,
    ALLOCATABLE,
    LOCK_STATIC,
    LOCK,
    CRITICAL,
    EVENT_STATIC,
    EVENT,
    COMPONENT_TOKEN,      // there is a component, which is not allocated
    COMPONENT_MEMORY,     // of that one
    ASSOCIATED,           // a part of another coarray, in CHANGE TEAM (GCC 16)
    COMPONENT_OF_ITS_OWN  // no number of the compiler: both
};
/** And what deallocated: a coarray or a component with its token, or the memory of a component. */
enum { TOKEN, MEMORY_ONLY };
enum { WORD = 8 };

GFT_API void _gfortran_caf_register(size_t size, int type, gft_token_t *token,
                                    caf_descriptor_t *descriptor, int *stat, char *errmsg,
                                    size_t errmsg_nbytes);
GFT_API void _gfortran_caf_deregister(gft_token_t *token, int type, int *stat, char *errmsg,
                                      size_t errmsg_nbytes);

/** Of locks and events, size is how many. */
static size_t nbytes_of(size_t size, int type)
{
    switch (type) {
    case LOCK_STATIC:
    case LOCK:
    case CRITICAL:
    case EVENT_STATIC:
    case EVENT:
        return size * WORD;
    default:
        return size;
    }
}

static void clear(caf_coarray_t *c, int type)
{
    if (type != ALLOCATABLE && c)
        for (size_t i = 0; i < c->nbytes / WORD; i++)
            ((uint64_t *)(void *)c->mine)[i] = 0;
}

/** Numbers, logicals and characters have no pointers in them. */
static bool is_plain(const caf_descriptor_t *descriptor)
{
    return descriptor->dtype.type == CAF_CHARACTER ||
           (descriptor->dtype.type >= CAF_INTEGER && descriptor->dtype.type <= CAF_COMPLEX);
}

static caf_coarray_t *associate(const caf_coarray_t *of, const caf_descriptor_t *descriptor)
{
    const char *view = caf_view(of->mine);
    if (descriptor->data < view || descriptor->data > view + of->nbytes)
        caf_fatal("change team", "what is associated is no part of the coarray");
    return caf_associate(of, (size_t)(descriptor->data - view));
}

/** A component has a token while it is allocated: what stays of one in a variable that is no more
 *  would never be returned. */
static caf_coarray_t *make_component(const caf_status_t *status, size_t nbytes)
{
    caf_coarray_t *c = caf_component_register();
    if (caf_component_allocate(status, c, nbytes))
        return c;
    caf_component_deregister(c);
    return NULL;
}

static caf_coarray_t *make(const caf_status_t *status, size_t size, int type)
{
    caf_coarray_t *c;
    switch (type) {
    case STATIC:
    case LOCK_STATIC:
    case CRITICAL:
    case EVENT_STATIC:
        c = caf_register_static(nbytes_of(size, type));
        clear(c, type);
        return c;
    case ALLOCATABLE:
        return caf_allocate(status, size);
    case LOCK:
    case EVENT:
        c = caf_allocate(status, nbytes_of(size, type));
        clear(c, type);
        return c;
    case COMPONENT_MEMORY:
    case COMPONENT_OF_ITS_OWN:
        return make_component(status, size);
    default:
        caf_fatal("allocate", "type %d of coarrays is none that GCC 12 to 16 ask for", type);
    }
}

void _gfortran_caf_register(size_t size, int type, gft_token_t *token, caf_descriptor_t *descriptor,
                            int *stat, char *errmsg, size_t errmsg_nbytes)
{
    const caf_status_t status = gft_status(stat, errmsg, errmsg_nbytes);
    caf_join(&gft_door, "_gfortran_caf_register");
    GFT_ENTER();
    if (type == COMPONENT_TOKEN) {
        *token = NULL;
        descriptor->data = NULL;
        caf_succeed(&status);
        return;
    }
    // where one variable is assigned to another, the compiler asks for components as for coarrays
    if (type == ALLOCATABLE && caf_is_mine(token))
        type = COMPONENT_OF_ITS_OWN;
    caf_coarray_t *c =
        type == ASSOCIATED ? associate(*token, descriptor) : make(&status, size, type);
    const bool is_allocatable = type == ALLOCATABLE || type == LOCK || type == EVENT;
    if (is_allocatable)
        gft_allocation_asks = stat != NULL;
    if (!c)
        return;
    *token = c;
    descriptor->data = caf_view(c->mine);
    c->is_plain = is_plain(descriptor);
    if (!c->is_plain && (type == STATIC || type == ALLOCATABLE))
        caf_target_open();
    c->is_critical = type == CRITICAL;
    c->descriptor = is_allocatable ? descriptor : NULL;
    caf_succeed(&status);
}

/** False: it is still there. */
static bool deallocate(const caf_status_t *status, caf_coarray_t *c)
{
    caf_descriptor_t *variable = c->descriptor;
    const char *data = caf_view(c->mine);
    if (!caf_deallocate(status, c))
        return false;
    // an image is gone: the memory is released, and the compiler takes the code for the contrary
    if (status->stat && *status->stat != 0 && variable && variable->data == data)
        variable->data = NULL;
    return true;
}

void _gfortran_caf_deregister(gft_token_t *token, int type, int *stat, char *errmsg,
                              size_t errmsg_nbytes)
{
    caf_status_t status = gft_status(stat, errmsg, errmsg_nbytes);
    caf_coarray_t *c = *token;
    status.cannot_ask = c && c == gft_found_allocated;
    gft_found_allocated = NULL;
    if (!c && type == TOKEN && !caf_is_mine(token)) {
        caf_fail(&status, CAF_ERROR, "deallocate", "the coarray is not allocated");
        return;
    }
    if (!caf.group)
        return;  // the program has left the job, which freed all
    caf_succeed(&status);
    if (caf_component_find(c))
        caf_component_deregister(c);
    else if (c && type == TOKEN && !deallocate(&status, c))
        return;
    *token = NULL;
    if (type == MEMORY_ONLY && CW_CHECKING())
        caf_component_ended(token);
}

/** A variable that has become another's, or is no more, is left alone. */
void gft_released(const caf_coarray_t *coarray)
{
    caf_descriptor_t *variable = coarray->descriptor;
    if (variable && variable->data == caf_view(coarray->mine))
        variable->data = NULL;
}
