# SPDX-License-Identifier: BSD-3-Clause
. "$CAUSEWAY_TEST_SOURCE/tests/tools/lib.sh"
output_has '^Causeway [0-9]+\.[0-9]+\.[0-9]+$' causeway-info --version
output_has 'build type' causeway-info
output_has '^Usage: causeway-info' causeway-info --help
output_has 'SHMEM_SYMMETRIC_SIZE \(old name: SMA_SYMMETRIC_SIZE\)' causeway-info --env
output_has 'now: CAUSEWAY_SPIN=7' env CAUSEWAY_SPIN=7 causeway-info -e
output_has 'now: SMA_SYMMETRIC_SIZE=1M' env SMA_SYMMETRIC_SIZE=1M causeway-info -e
output_has '^broadcast \(bytes: of the message\)$' causeway-info --collectives
output_has '^  binomial +several nodes' causeway-info -c
output_has '^  ring +\[CAUSEWAY_COLL\] several nodes' env CAUSEWAY_COLL=reduce=ring causeway-info \
    --collectives
refuses 1 'reduce has no algorithm "rong": give one of .*ring' env CAUSEWAY_COLL=reduce=rong \
    causeway-info --collectives
refuses 2 'unrecognized option' causeway-info --nonsense
refuses 2 "unexpected argument 'x'" causeway-info x
output_has '^libfabric [0-9]+\.[0-9]+ from /' causeway-info --libfabric
output_has '^  rdm endpoints .*tcp' causeway-info --libfabric
output_has '^  a job would use   (tcp|net)' env CAUSEWAY_PROVIDER=tcp causeway-info --libfabric
refuses 1 'no usable libfabric provider' env CAUSEWAY_PROVIDER=pigeon causeway-info -f
# MSG endpoints that connect nowhere: RDM over sockets is no substitute unless it is asked for.
mock=$CAUSEWAY_TEST_BUILD/tests/mock/libfabric-mock.so
refuses 1 'rdm over sockets only on request' env CAUSEWAY_LIBFABRIC="$mock" MOCK_FABRIC=cm32 \
    causeway-info -f
output_has '^  a job would use .*rdm endpoints' env CAUSEWAY_LIBFABRIC="$mock" MOCK_FABRIC=cm32 \
    CAUSEWAY_ENDPOINT=rdm causeway-info -f
output_has '^  a job would use .*rdm endpoints' env CAUSEWAY_LIBFABRIC="$mock" MOCK_FABRIC=cm32 \
    CAUSEWAY_PROVIDER=net causeway-info -f
refuses 1 'cannot load libfabric.*nowhere' env CAUSEWAY_LIBFABRIC=/nowhere/lib.so causeway-info \
    --libfabric
refuses 1 'is not a libfabric' env CAUSEWAY_LIBFABRIC=libm.so.6 causeway-info -f

# The table has every variable of the rooms.
checks=$((checks + 1))
causeway-info --env-table >table
[ "$(cat "$CAUSEWAY_TEST_SOURCE"/src/*/env.def | grep -c "^CW_ENV(")" = "$(wc -l <table)" ] ||
    bad "rows differ from env.def"
finish
