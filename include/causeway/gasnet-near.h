// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-1 and GASNet-EX: puts and gets of up to GASNET_CAUSEWAY_NEAR_NBYTES bytes to and from a
// node whose memory is mapped in this process, inlined into clients. The library's function of the
// same name does everything else; it is also the one that has an address, and the only one with
// -DGASNET_CAUSEWAY_CALLS. Included by gasnetex.h only.
#ifndef CAUSEWAY_GASNET_NEAR_H
#define CAUSEWAY_GASNET_NEAR_H

#ifdef __cplusplus
extern "C" {
#endif

/** What inlined transfers read of the library: part of its binary interface, at this size. */
typedef struct {
    const uintptr_t *word;  // of a node, with bits 0 and 1 clear: its addresses + word are those
                            // here; with one of them set the transfer is the library's
    gex_TM_t team;          // whose ranks are nodes; NULL: transfers of teams are the library's
    uint32_t nodes;         // with words; 0: all transfers are the library's
} gasnet_causeway_near_t;
extern gasnet_causeway_near_t gasnet_causeway_near __attribute__((__visibility__("default")));

/** What they read of another team (gex_TM_t): its begin. */
typedef struct {
    const uint32_t *node;  // of each rank
    uint32_t ranks;        // with nodes; 0: its transfers are the library's
} gasnet_causeway_team_t;

/** Of the thread: blocking transfers to nodes below it may be inlined, and each lowers it, so that
 *  the library polls in one of some (0: in the next one). */
extern __thread uint32_t gasnet_causeway_patience
    __attribute__((__tls_model__("initial-exec"), __visibility__("default")));

#if !defined(GASNET_CAUSEWAY_LIBRARY) && !defined(GASNET_CAUSEWAY_CALLS) && \
    defined(__GNUC_STDC_INLINE__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

// Beyond it, a call is a small part of the time.
#define GASNET_CAUSEWAY_NEAR_NBYTES 4096

#define GASNETI_NEAR extern __inline__ __attribute__((__gnu_inline__, __always_inline__))

// Stores and loads of transfers stay where the program has the call.
#define GASNETI_NEAR_BARRIER() __asm__ __volatile__("" ::: "memory")

// ---------------------------------------------------------------- parts
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnonnull" // wrong arguments are found by CAUSEWAY_CHECK
/** A word is stored once: memcpy would store it as overlapping halves. */
GASNETI_NEAR void gasneti_near_copy(void *dest, const void *src, size_t nbytes)
{
    if (nbytes == 8)
        __builtin_memcpy(dest, src, 8);
    else if (nbytes == 4)
        __builtin_memcpy(dest, src, 4);
    else if (nbytes == 2)
        __builtin_memcpy(dest, src, 2);
    else
        __builtin_memcpy(dest, src, nbytes);
}
#pragma GCC diagnostic pop

GASNETI_NEAR int gasneti_near_word(gasnet_node_t node, uintptr_t *word_p)
{
    // relaxed: nothing but mapped memory is behind a word of a mapped node
    *word_p = __atomic_load_n(&gasnet_causeway_near.word[node], __ATOMIC_RELAXED);
    return (int)__builtin_expect(!(*word_p & 3), 1);
}

/** Can the transfer be done here? */
GASNETI_NEAR int gasneti_near_is(gasnet_node_t node, size_t nbytes, uintptr_t *word_p)
{
    return nbytes <= GASNET_CAUSEWAY_NEAR_NBYTES &&
           __builtin_expect(node < gasnet_causeway_near.nodes, 1) &&
           gasneti_near_word(node, word_p);
}

/** The same for a blocking one, which counts. */
GASNETI_NEAR int gasneti_near_is_counted(gasnet_node_t node, size_t nbytes, uintptr_t *word_p)
{
    if (nbytes > GASNET_CAUSEWAY_NEAR_NBYTES ||
        __builtin_expect(node >= gasnet_causeway_patience, 0))
        return 0;
    gasnet_causeway_patience--;
    return gasneti_near_word(node, word_p);
}

/** May the team's transfers be done here? *rank_p becomes a node. */
GASNETI_NEAR int gasneti_near_team(gex_TM_t tm, gex_Rank_t *rank_p)
{
    gex_TM_t all = __atomic_load_n(&gasnet_causeway_near.team, __ATOMIC_RELAXED);
    const gasnet_causeway_team_t *team = (const gasnet_causeway_team_t *)tm;
    if (__builtin_expect(tm == all, 1))
        return 1;
    if (!all || !tm || *rank_p >= team->ranks)
        return 0;
    *rank_p = team->node[*rank_p];
    return 1;
}

GASNETI_NEAR void gasneti_near_put(uintptr_t word, void *dest, const void *src, size_t nbytes)
{
    GASNETI_NEAR_BARRIER();
    gasneti_near_copy((void *)((uintptr_t)dest + word), src, nbytes);
    GASNETI_NEAR_BARRIER();
}

GASNETI_NEAR void gasneti_near_get(void *dest, uintptr_t word, const void *src, size_t nbytes)
{
    GASNETI_NEAR_BARRIER();
    gasneti_near_copy(dest, (const void *)((uintptr_t)src + word), nbytes);
    GASNET_CAUSEWAY_SEEN();
}

/** Of 1 to 8 bytes. */
GASNETI_NEAR uint64_t gasneti_near_value(uintptr_t word, const void *src, size_t nbytes)
{
    uint64_t value = 0;
    gasneti_near_get(&value, word, src, nbytes);
    return value;
}

GASNETI_NEAR int gasneti_near_is_value(size_t nbytes)
{
    return nbytes - 1 < sizeof(uint64_t);
}

// ---------------------------------------------------------------- GASNet-1
// Each is the function's body where it is inlined, and in front of it the library's by another
// name.
#define GASNETI_NEAR_PUT(name, is)                                                                \
    void gasneti_call_##name(gasnet_node_t, void *, void *, size_t) __asm__("gasnet_" #name);     \
    GASNETI_NEAR void gasnet_##name(gasnet_node_t node, void *dest, void *src, size_t nbytes)     \
    {                                                                                             \
        uintptr_t word;                                                                           \
        if (is(node, nbytes, &word))                                                              \
            gasneti_near_put(word, dest, src, nbytes);                                            \
        else                                                                                      \
            gasneti_call_##name(node, dest, src, nbytes);                                         \
    }
GASNETI_NEAR_PUT(put, gasneti_near_is_counted)
GASNETI_NEAR_PUT(put_bulk, gasneti_near_is_counted)
GASNETI_NEAR_PUT(put_nbi, gasneti_near_is)
GASNETI_NEAR_PUT(put_nbi_bulk, gasneti_near_is)

#define GASNETI_NEAR_GET(name, is)                                                                \
    void gasneti_call_##name(void *, gasnet_node_t, void *, size_t) __asm__("gasnet_" #name);     \
    GASNETI_NEAR void gasnet_##name(void *dest, gasnet_node_t node, void *src, size_t nbytes)     \
    {                                                                                             \
        uintptr_t word;                                                                           \
        if (is(node, nbytes, &word))                                                              \
            gasneti_near_get(dest, word, src, nbytes);                                            \
        else                                                                                      \
            gasneti_call_##name(dest, node, src, nbytes);                                         \
    }
GASNETI_NEAR_GET(get, gasneti_near_is_counted)
GASNETI_NEAR_GET(get_bulk, gasneti_near_is_counted)
GASNETI_NEAR_GET(get_nbi, gasneti_near_is)
GASNETI_NEAR_GET(get_nbi_bulk, gasneti_near_is)

#define GASNETI_NEAR_PUT_NB(name)                                                                 \
    gasnet_handle_t gasneti_call_##name(gasnet_node_t, void *, void *, size_t) __asm__(           \
        "gasnet_" #name);                                                                         \
    GASNETI_NEAR gasnet_handle_t gasnet_##name(gasnet_node_t node, void *dest, void *src,         \
                                               size_t nbytes)                                     \
    {                                                                                             \
        uintptr_t word;                                                                           \
        if (!gasneti_near_is(node, nbytes, &word))                                                \
            return gasneti_call_##name(node, dest, src, nbytes);                                  \
        gasneti_near_put(word, dest, src, nbytes);                                                \
        return GASNET_INVALID_HANDLE;                                                             \
    }
GASNETI_NEAR_PUT_NB(put_nb)
GASNETI_NEAR_PUT_NB(put_nb_bulk)

#define GASNETI_NEAR_GET_NB(name)                                                                 \
    gasnet_handle_t gasneti_call_##name(void *, gasnet_node_t, void *, size_t) __asm__(           \
        "gasnet_" #name);                                                                         \
    GASNETI_NEAR gasnet_handle_t gasnet_##name(void *dest, gasnet_node_t node, void *src,         \
                                               size_t nbytes)                                     \
    {                                                                                             \
        uintptr_t word;                                                                           \
        if (!gasneti_near_is(node, nbytes, &word))                                                \
            return gasneti_call_##name(dest, node, src, nbytes);                                  \
        gasneti_near_get(dest, word, src, nbytes);                                                \
        return GASNET_INVALID_HANDLE;                                                             \
    }
GASNETI_NEAR_GET_NB(get_nb)
GASNETI_NEAR_GET_NB(get_nb_bulk)

#define GASNETI_NEAR_PUT_VAL(name, is)                                                            \
    void gasneti_call_##name(gasnet_node_t, void *, gasnet_register_value_t, size_t) __asm__(     \
        "gasnet_" #name);                                                                         \
    GASNETI_NEAR void gasnet_##name(gasnet_node_t node, void *dest,                               \
                                    gasnet_register_value_t value, size_t nbytes)                 \
    {                                                                                             \
        uintptr_t word;                                                                           \
        if (gasneti_near_is_value(nbytes) && is(node, nbytes, &word))                             \
            gasneti_near_put(word, dest, &value, nbytes);                                         \
        else                                                                                      \
            gasneti_call_##name(node, dest, value, nbytes);                                       \
    }
GASNETI_NEAR_PUT_VAL(put_val, gasneti_near_is_counted)
GASNETI_NEAR_PUT_VAL(put_nbi_val, gasneti_near_is)

gasnet_handle_t gasneti_call_put_nb_val(gasnet_node_t, void *, gasnet_register_value_t,
                                        size_t) __asm__("gasnet_put_nb_val");
GASNETI_NEAR gasnet_handle_t gasnet_put_nb_val(gasnet_node_t node, void *dest,
                                               gasnet_register_value_t value, size_t nbytes)
{
    uintptr_t word;
    if (!gasneti_near_is_value(nbytes) || !gasneti_near_is(node, nbytes, &word))
        return gasneti_call_put_nb_val(node, dest, value, nbytes);
    gasneti_near_put(word, dest, &value, nbytes);
    return GASNET_INVALID_HANDLE;
}

gasnet_register_value_t gasneti_call_get_val(gasnet_node_t, void *,
                                             size_t) __asm__("gasnet_get_val");
GASNETI_NEAR gasnet_register_value_t gasnet_get_val(gasnet_node_t node, void *src, size_t nbytes)
{
    uintptr_t word;
    if (!gasneti_near_is_value(nbytes) || !gasneti_near_is_counted(node, nbytes, &word))
        return gasneti_call_get_val(node, src, nbytes);
    return (gasnet_register_value_t)gasneti_near_value(word, src, nbytes);
}

// ---------------------------------------------------------------- GASNet-EX
/** Local completion comes with the call. */
GASNETI_NEAR void gasneti_near_set_lc(gex_Event_t *lc_opt)
{
    if (lc_opt && lc_opt != GEX_EVENT_NOW && lc_opt != GEX_EVENT_DEFER && lc_opt != GEX_EVENT_GROUP)
        *lc_opt = GEX_EVENT_INVALID;
}

int gasneti_call_PutBlocking(gex_TM_t, gex_Rank_t, void *, const void *, size_t,
                             gex_Flags_t) __asm__("gex_RMA_PutBlocking");
GASNETI_NEAR int gex_RMA_PutBlocking(gex_TM_t tm, gex_Rank_t rank, void *dest, const void *src,
                                     size_t nbytes, gex_Flags_t flags)
{
    gex_Rank_t node = rank;
    uintptr_t word;
    if (!gasneti_near_team(tm, &node) || !gasneti_near_is_counted(node, nbytes, &word))
        return gasneti_call_PutBlocking(tm, rank, dest, src, nbytes, flags);
    gasneti_near_put(word, dest, src, nbytes);
    return 0;
}

#define GASNETI_NEAR_GEX_PUT(type, name, done)                                                    \
    type gasneti_call_##name(gex_TM_t, gex_Rank_t, void *, const void *, size_t, gex_Event_t *,   \
                             gex_Flags_t) __asm__("gex_RMA_" #name);                              \
    GASNETI_NEAR type gex_RMA_##name(gex_TM_t tm, gex_Rank_t rank, void *dest, const void *src,   \
                                     size_t nbytes, gex_Event_t *lc_opt, gex_Flags_t flags)       \
    {                                                                                             \
        gex_Rank_t node = rank;                                                                   \
        uintptr_t word;                                                                           \
        if (!gasneti_near_team(tm, &node) || !gasneti_near_is(node, nbytes, &word))               \
            return gasneti_call_##name(tm, rank, dest, src, nbytes, lc_opt, flags);               \
        gasneti_near_put(word, dest, src, nbytes);                                                \
        gasneti_near_set_lc(lc_opt);                                                              \
        return done;                                                                              \
    }
GASNETI_NEAR_GEX_PUT(gex_Event_t, PutNB, GEX_EVENT_INVALID)
GASNETI_NEAR_GEX_PUT(int, PutNBI, 0)

#define GASNETI_NEAR_GEX_GET(type, name, is, done)                                                \
    type gasneti_call_##name(gex_TM_t, void *, gex_Rank_t, void *, size_t, gex_Flags_t) __asm__(  \
        "gex_RMA_" #name);                                                                        \
    GASNETI_NEAR type gex_RMA_##name(gex_TM_t tm, void *dest, gex_Rank_t rank, void *src,         \
                                     size_t nbytes, gex_Flags_t flags)                            \
    {                                                                                             \
        gex_Rank_t node = rank;                                                                   \
        uintptr_t word;                                                                           \
        if (!gasneti_near_team(tm, &node) || !is(node, nbytes, &word))                            \
            return gasneti_call_##name(tm, dest, rank, src, nbytes, flags);                       \
        gasneti_near_get(dest, word, src, nbytes);                                                \
        return done;                                                                              \
    }
GASNETI_NEAR_GEX_GET(int, GetBlocking, gasneti_near_is_counted, 0)
GASNETI_NEAR_GEX_GET(gex_Event_t, GetNB, gasneti_near_is, GEX_EVENT_INVALID)
GASNETI_NEAR_GEX_GET(int, GetNBI, gasneti_near_is, 0)

#define GASNETI_NEAR_GEX_PUT_VAL(type, name, is, done)                                            \
    type gasneti_call_##name(gex_TM_t, gex_Rank_t, void *, gex_RMA_Value_t, size_t,               \
                             gex_Flags_t) __asm__("gex_RMA_" #name);                              \
    GASNETI_NEAR type gex_RMA_##name(gex_TM_t tm, gex_Rank_t rank, void *dest,                    \
                                     gex_RMA_Value_t value, size_t nbytes, gex_Flags_t flags)     \
    {                                                                                             \
        gex_Rank_t node = rank;                                                                   \
        uintptr_t word;                                                                           \
        if (!gasneti_near_is_value(nbytes) || !gasneti_near_team(tm, &node) ||                    \
            !is(node, nbytes, &word))                                                             \
            return gasneti_call_##name(tm, rank, dest, value, nbytes, flags);                     \
        gasneti_near_put(word, dest, &value, nbytes);                                             \
        return done;                                                                              \
    }
GASNETI_NEAR_GEX_PUT_VAL(int, PutBlockingVal, gasneti_near_is_counted, 0)
GASNETI_NEAR_GEX_PUT_VAL(gex_Event_t, PutNBVal, gasneti_near_is, GEX_EVENT_INVALID)
GASNETI_NEAR_GEX_PUT_VAL(int, PutNBIVal, gasneti_near_is, 0)

gex_RMA_Value_t gasneti_call_GetBlockingVal(gex_TM_t, gex_Rank_t, void *, size_t,
                                            gex_Flags_t) __asm__("gex_RMA_GetBlockingVal");
GASNETI_NEAR gex_RMA_Value_t gex_RMA_GetBlockingVal(gex_TM_t tm, gex_Rank_t rank, void *src,
                                                    size_t nbytes, gex_Flags_t flags)
{
    gex_Rank_t node = rank;
    uintptr_t word;
    if (!gasneti_near_is_value(nbytes) || !gasneti_near_team(tm, &node) ||
        !gasneti_near_is_counted(node, nbytes, &word))
        return gasneti_call_GetBlockingVal(tm, rank, src, nbytes, flags);
    return gasneti_near_value(word, src, nbytes);
}

#endif

#ifdef __cplusplus
}
#endif

#endif
