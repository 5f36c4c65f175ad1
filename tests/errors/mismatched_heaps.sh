#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# PEs that disagree about SHMEM_SYMMETRIC_SIZE, on one node and on two: a message, an error exit, no
# hang.
set -u
[ "$CAUSEWAY_TEST_SANITIZE" = thread ] && thread=-fsanitize=thread  # its runtime must come first
oshcc ${thread:-} -o ring "$CAUSEWAY_TEST_SOURCE/tests/errors/ring.c" || exit 1
cat > odd <<'S'
#!/bin/sh
case "$CAUSEWAY_LAUNCH" in
*pe=1*) export SHMEM_SYMMETRIC_SIZE=32M ;;
*) export SHMEM_SYMMETRIC_SIZE=16M ;;
esac
exec ./ring
S
chmod +x odd
for nodes in 1 2; do
    timeout 20 oshrun -n 2 --emulate-nodes $nodes ./odd >out 2>&1
    status=$?
    if [ $status -eq 0 ] || [ $status -eq 124 ] ||
        ! grep -q "disagree about SHMEM_SYMMETRIC_SIZE" out; then
        echo "wrong end with $nodes node(s): status $status"
        cat out
        exit 1
    fi
done
