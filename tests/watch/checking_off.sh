#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# meson -Dchecking=false builds, reports it when checking mode is requested, and omits the checks.
set -u
fail() { echo "FAIL: $*"; exit 1; }
src=$CAUSEWAY_TEST_SOURCE
meson setup -Dchecking=false -Dtests=false off "$src" >log 2>&1 || { cat log; fail "setup"; }
# The library alone: programs and launcher are those of the stage.
version=$(sed -n "s/.*version: '\([0-9.]*\)'.*/\1/p" "$src/meson.build" | head -n 1)
ninja -C off -j2 "libcauseway.so.$version" >>log 2>&1 || { tail -n 40 log; fail "build"; }
oshcc -O2 -o misuse "$src/tests/api/misuse.c" || fail "oshcc"
export LD_LIBRARY_PATH=$PWD/off
CAUSEWAY_CHECK=1 oshrun -n 2 ./misuse put_to_private >out 2>&1
grep -q "built without checks (meson option checking)" out ||
    { cat out; fail "CAUSEWAY_CHECK=1 is ignored silently"; }
grep -q "is not symmetric" out && { cat out; fail "it checks nevertheless"; }
# Noticed by every build.
CAUSEWAY_CHECK=1 oshrun -n 2 ./misuse p_pe_too_high >out 2>&1
grep -q "there is no PE 2" out || { cat out; fail "a PE that does not exist"; }

text() { size "$1" | awk 'NR == 2 { print $1 }'; }
with=$(text "$CAUSEWAY_TEST_STAGE/lib/libcauseway.so") without=$(text off/libcauseway.so)
echo "bytes of code and constants: $with with checks, $without without ($((with - without)) less)"
[ "$without" -lt "$with" ] || fail "nothing was left out"
nm off/libcauseway.so | grep -qi ' t shm_lock_check_set' && fail "the lock checks are still there"
exit 0
