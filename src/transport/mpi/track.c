// SPDX-License-Identifier: BSD-3-Clause
//
// The bytes of a large transfer by messages.
#include "transport/mpi/track.h"

static size_t piece_of(size_t nbytes)
{
    return nbytes <= (size_t)MPW_PIECE * MPW_PIECES ? MPW_PIECE : nbytes;
}

int mpw_track_send(mpw_bytes_t *bytes, int rank, int tag, const void *buf, size_t nbytes)
{
    const size_t piece = piece_of(nbytes);
    int rc = 0;
    for (size_t at = 0, i = 0; at < nbytes && rc == 0; at += piece, i++)
        rc = mpw_world.plugin->send(rank, tag, (const char *)buf + at,
                                    piece < nbytes - at ? piece : nbytes - at, &bytes->requests[i]);
    return rc;
}

int mpw_track_receive(mpw_bytes_t *bytes, int rank, int tag, void *buf, size_t nbytes)
{
    const size_t piece = piece_of(nbytes);
    int rc = 0;
    for (size_t at = 0, i = 0; at < nbytes && rc == 0; at += piece, i++)
        rc = mpw_world.plugin->receive_into(rank, tag, (char *)buf + at,
                                            piece < nbytes - at ? piece : nbytes - at,
                                            &bytes->requests[i]);
    return rc;
}

int mpw_track_test(mpw_bytes_t *bytes, bool *over_p)
{
    bool over = true;
    for (int i = 0; i < MPW_PIECES; i++) {
        int rc = bytes->requests[i] ? mpw_world.plugin->test(&bytes->requests[i]) : 0;
        if (rc)
            return rc;
        over = over && !bytes->requests[i];
    }
    *over_p = over;
    return 0;
}
