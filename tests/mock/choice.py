#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which provider is chosen, and what causeway-info says of the others: over a mock that has a card
without an IP address beside the real software providers."""

import os
import re
import subprocess

from frame.script import BUILD, STAGE, check, finish

MOCK = str(BUILD / "tests/mock/libfabric-mock.so")


def info(demands, **env):
    """(exit status, {(provider, mode): (device or software, verdict)}, best first, all output)."""
    done = subprocess.run([STAGE / "bin/causeway-info", "--libfabric"], text=True,
                          capture_output=True, timeout=60,
                          env={**os.environ, "CAUSEWAY_LIBFABRIC": MOCK, "MOCK_FABRIC": demands,
                               **env})
    rows = re.findall(r"^    (\S+), (msg|rdm) endpoints, on \S+ +(device|software) +(.+)$",
                      done.stdout, re.M)
    return (done.returncode, {(p, m): (kind, verdict) for p, m, kind, verdict in rows},
            done.stdout + done.stderr)


def chosen(rows):
    return [key for key, (_, verdict) in rows.items() if verdict == "chosen"]


def main():
    status, rows, text = info("card")
    check(status == 0 and chosen(rows) == [("card", "rdm")]
          and rows["card", "rdm"][0] == "device" and next(iter(rows)) == ("card", "rdm"),
          "a device without an IP address comes before software", text)
    check(any(m == "msg" and v == ("software", "ranks below") for (_, m), v in rows.items())
          and re.search(r"sockets, msg .* only if CAUSEWAY_PROVIDER names it", text),
          "the others are listed with their reasons", text)

    status, rows, text = info("card_broken")
    software = chosen(rows)
    check(status == 0 and "opens no domain" in rows["card", "rdm"][1]
          and software and software[0][1] == "msg" and rows[software[0]][0] == "software",
          "a device that does not open is passed over; of software, msg endpoints", text)

    status, rows, text = info("card", CAUSEWAY_INTERFACE="lo")
    check(status == 0 and ("card", "rdm") not in rows and chosen(rows),
          "a named interface leaves what does not listen there", text)

    status, rows, text = info("card", CAUSEWAY_INTERFACE="lo", CAUSEWAY_PROVIDER="card")
    check(status == 0 and chosen(rows) == [("card", "rdm")], "but a named provider", text)

    for demands, order in (("order_asked", "order SAS SAW RAW WAW"),
                           ("order_asked,no_saw", "order SAS RAW WAW"), ("only_sas", "order SAS"),
                           ("order_asked,only_sas", "order SAS"), ("unordered", "no order")):
        _, _, text = info(demands)
        check(re.search(rf"a job would use .*, {order}$", text, re.M),
              f"as much order as there is with '{demands}'", text)

    for demands, registers in (("mr_accepted", False), ("mr_local", True)):
        _, _, text = info(demands)
        check(("local registration" in text) == registers,
              f"local buffers are registered only where that is demanded: '{demands}'", text)

    status, rows, text = info("cm32")
    check(status != 0 and not chosen(rows)
          and "32 bytes of private data" in rows["tcp", "msg"][1]
          and "over sockets" in rows["tcp;ofi_rxm", "rdm"][1] and "32 bytes of" in text,
          "too little private data, and datagrams over sockets only on request", text)

    status, rows, text = info("mr_raw")
    check(status != 0 and "it demands FI_MR_RAW" in text, "raw keys are refused, and said so", text)

    status, rows, text = info("unordered,delivery_refused")
    check(status != 0 and rows and not chosen(rows) and "quiet cannot prove a put" in text,
          "neither order nor completion by delivery", text)

    # rxm gives up its order for the atomics that it emulates
    status, rows, text = info("delivery_refused", CAUSEWAY_PROVIDER="tcp;ofi_rxm",
                              CAUSEWAY_ENDPOINT="rdm", CAUSEWAY_ATOMICS="nic")
    check(status == 0 and chosen(rows) == [("tcp;ofi_rxm", "rdm")],
          "atomics are not worth a provider that proves puts without them", text)
    finish()


main()
