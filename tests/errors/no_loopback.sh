# SPDX-License-Identifier: BSD-3-Clause
#
# Nodes of one machine without a loopback interface: a line names the remedy, at once. With IPv6
# alone they connect.
unshare -n true 2>/dev/null || { echo "SKIP: no network namespaces"; exit 77; }
oshcc -o ring "$CAUSEWAY_TEST_SOURCE/tests/errors/ring.c" || exit 1
for mode in msg rdm; do
    CAUSEWAY_ENDPOINT=$mode timeout 10 unshare -n oshrun -n 2 --emulate-nodes 2 ./ring >out 2>&1
    status=$?
    if [ $status = 0 ] || [ $status = 124 ] || grep -q "CW_E" out ||
        ! grep -q "no loopback interface that is up .*ip link set lo up" out; then
        echo "FAIL: $mode: status $status"
        cat out
    fi
done
timeout 30 unshare -n sh -c 'ip link set lo up && ip addr del 127.0.0.1/8 dev lo &&
    oshrun -n 2 --emulate-nodes 2 ./ring' >out 2>&1 || { echo "FAIL: IPv6 alone"; cat out; }
