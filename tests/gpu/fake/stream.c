// SPDX-License-Identifier: BSD-3-Clause
// The fake's streams, each a thread that takes its work in order and a moment late, so that a
// program that does not wait meets unfinished copies; and events in them.
#include "fake.h"

#include <stdlib.h>
#include <time.h>

struct item {
    struct item *next;
    CUresult (*work)(CUcontext, void *);
    void *what;
};

struct stream {
    struct stream *next;
    CUcontext context;
    pthread_t thread;
    pthread_cond_t changed;
    struct item *first, **last;
    long queued, done;
    CUresult failed;  // the first failure of its work; sticks, as a device's does
    bool ends;
};

struct event {
    struct event *next;
    CUstream stream;
    long at;  // done when the stream has done so many
};

static struct stream *streams;
static struct event *events;
static struct stream *own[MAX_DEVICES];  // for work that names no stream

void fake_streams_left(long *n_streams, long *n_events)
{
    *n_streams = *n_events = 0;
    pthread_mutex_lock(&fake_lock);
    for (struct stream *s = streams; s != NULL; s = s->next)
        *n_streams += s != own[fake_device_of(s->context)];
    for (struct event *e = events; e != NULL; e = e->next)
        ++*n_events;
    pthread_mutex_unlock(&fake_lock);
}

static void *run(void *stream)
{
    struct stream *s = stream;
    long late = fake_number("FAKE_CUDA_LATE", 20);  // microseconds
    pthread_mutex_lock(&fake_lock);
    for (;;) {
        while (s->first == NULL && !s->ends)
            pthread_cond_wait(&s->changed, &fake_lock);
        if (s->first == NULL)
            break;
        struct item *item = s->first;
        pthread_mutex_unlock(&fake_lock);
        nanosleep(&(struct timespec){0, late * 1000}, NULL);
        CUresult result = item->work(s->context, item->what);
        free(item->what);
        pthread_mutex_lock(&fake_lock);
        s->first = item->next;
        if (s->first == NULL)
            s->last = &s->first;
        free(item);
        if (s->failed == CUDA_SUCCESS)
            s->failed = result;
        s->done++;
        pthread_cond_broadcast(&s->changed);
    }
    pthread_mutex_unlock(&fake_lock);
    return NULL;
}

// Under the lock.
static struct stream *open_stream(CUcontext context)
{
    struct stream *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->context = context;
    s->last = &s->first;
    pthread_cond_init(&s->changed, NULL);
    if (pthread_create(&s->thread, NULL, run, s) != 0) {
        free(s);
        return NULL;
    }
    s->next = streams;
    return streams = s;
}

// Under the lock.
static struct stream *stream_of(CUstream given)
{
    if (given == NULL) {
        int device = fake_device_of(fake_current());
        if (own[device] == NULL)
            own[device] = open_stream(fake_current());
        return own[device];
    }
    struct stream *s = streams;
    while (s != NULL && s != given)
        s = s->next;
    return s;
}

CUresult fake_queue(CUstream stream, CUresult (*work)(CUcontext, void *), void *what)
{
    struct item *item = malloc(sizeof *item);
    pthread_mutex_lock(&fake_lock);
    struct stream *s = stream_of(stream);
    CUresult result = item == NULL ? CUDA_ERROR_OUT_OF_MEMORY
                      : s == NULL  ? CUDA_ERROR_INVALID_HANDLE
                                   : s->failed;
    if (result == CUDA_SUCCESS) {
        *item = (struct item){NULL, work, what};
        *s->last = item;
        s->last = &item->next;
        s->queued++;
        pthread_cond_broadcast(&s->changed);
    } else {
        free(item);
        free(what);
    }
    pthread_mutex_unlock(&fake_lock);
    return result;
}

API CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    ENTER_WITH_CONTEXT();
    if (flags > 1)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&fake_lock);
    *stream = open_stream(fake_current());
    pthread_mutex_unlock(&fake_lock);
    return *stream != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

API CUresult cuStreamDestroy_v2(CUstream stream)
{
    ENTER();
    if (stream == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    pthread_mutex_lock(&fake_lock);
    struct stream **s = &streams;
    while (*s != NULL && *s != stream)
        s = &(*s)->next;
    bool known = *s != NULL;
    if (known) {
        *s = stream->next;
        stream->ends = true;
        pthread_cond_broadcast(&stream->changed);
    }
    pthread_mutex_unlock(&fake_lock);
    if (!known)
        return CUDA_ERROR_INVALID_HANDLE;
    pthread_join(stream->thread, NULL);
    pthread_mutex_lock(&fake_lock);
    for (struct event *e = events; e != NULL; e = e->next)
        if (e->stream == stream)
            e->stream = NULL;
    pthread_mutex_unlock(&fake_lock);
    pthread_cond_destroy(&stream->changed);
    free(stream);
    return CUDA_SUCCESS;
}

// Under the lock.
static CUresult wait_until(struct stream *s, long count)
{
    while (s->done < count)
        pthread_cond_wait(&s->changed, &fake_lock);
    return s->failed;
}

API CUresult cuStreamSynchronize(CUstream stream)
{
    ENTER_WITH_CONTEXT();
    pthread_mutex_lock(&fake_lock);
    struct stream *s = stream_of(stream);
    CUresult result = s == NULL ? CUDA_ERROR_INVALID_HANDLE : wait_until(s, s->queued);
    pthread_mutex_unlock(&fake_lock);
    return result;
}

API CUresult cuStreamQuery(CUstream stream)
{
    ENTER_WITH_CONTEXT();
    pthread_mutex_lock(&fake_lock);
    struct stream *s = stream_of(stream);
    CUresult result = s == NULL             ? CUDA_ERROR_INVALID_HANDLE
                      : s->done < s->queued ? CUDA_ERROR_NOT_READY
                                            : s->failed;
    pthread_mutex_unlock(&fake_lock);
    return result;
}

API CUresult cuCtxSynchronize(void)
{
    ENTER_WITH_CONTEXT();
    CUresult result = CUDA_SUCCESS;
    pthread_mutex_lock(&fake_lock);
    for (struct stream *s = streams; s != NULL; s = s->next)
        if (s->context == fake_current()) {
            CUresult failed = wait_until(s, s->queued);
            result = result == CUDA_SUCCESS ? failed : result;
        }
    pthread_mutex_unlock(&fake_lock);
    return result;
}

static struct event *event_of(CUevent given)
{
    struct event *e = events;
    while (e != NULL && e != given)
        e = e->next;
    return e;
}

API CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    ENTER_WITH_CONTEXT();
    struct event *e = calloc(1, sizeof *e);
    if (e == NULL || flags > 7) {
        free(e);
        return e == NULL ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&fake_lock);
    e->next = events;
    *event = events = e;
    pthread_mutex_unlock(&fake_lock);
    return CUDA_SUCCESS;
}

API CUresult cuEventDestroy_v2(CUevent event)
{
    ENTER();
    pthread_mutex_lock(&fake_lock);
    struct event **e = &events;
    while (*e != NULL && *e != event)
        e = &(*e)->next;
    bool known = *e != NULL;
    if (known) {
        *e = event->next;
        free(event);
    }
    pthread_mutex_unlock(&fake_lock);
    return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

API CUresult cuEventRecord(CUevent event, CUstream stream)
{
    ENTER_WITH_CONTEXT();
    pthread_mutex_lock(&fake_lock);
    struct event *e = event_of(event);
    struct stream *s = stream_of(stream);
    if (e != NULL && s != NULL) {
        e->stream = s;
        e->at = s->queued;
    }
    pthread_mutex_unlock(&fake_lock);
    return e != NULL && s != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

API CUresult cuEventQuery(CUevent event)
{
    ENTER();
    pthread_mutex_lock(&fake_lock);
    struct event *e = event_of(event);
    CUresult result = e == NULL                                      ? CUDA_ERROR_INVALID_HANDLE
                      : e->stream != NULL && e->stream->done < e->at ? CUDA_ERROR_NOT_READY
                      : e->stream != NULL                            ? e->stream->failed
                                                                     : CUDA_SUCCESS;
    pthread_mutex_unlock(&fake_lock);
    return result;
}

API CUresult cuEventSynchronize(CUevent event)
{
    ENTER();
    pthread_mutex_lock(&fake_lock);
    struct event *e = event_of(event);
    CUresult result = e == NULL           ? CUDA_ERROR_INVALID_HANDLE
                      : e->stream != NULL ? wait_until(e->stream, e->at)
                                          : CUDA_SUCCESS;
    pthread_mutex_unlock(&fake_lock);
    return result;
}
