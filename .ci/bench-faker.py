"""A peer for `make bench`: rows of events as a generator with Faker writes them, as somebody would in an afternoon.

Each row is one event of a shop: who, when, what, on which device, with a few properties, as a line of JSON. There are
no sessions, no SDK and no delivery: rows are independent of each other. Prints rows per second.

    bench-faker.py SECONDS
"""

from __future__ import annotations

import json
import os
import sys
import time

from faker import Faker

NAMES = ("ViewHome", "ViewProduct", "AddToCart", "Checkout", "Pay")
BLOCK = 200


def row(fake: Faker, number: int) -> dict[str, object]:
    return {
        "row_id": number,
        "event_id": fake.uuid4(),
        "user": f"u{fake.random_int(1, 2000)}",
        "name": fake.random_element(NAMES),
        "captured_at": fake.date_time_this_month().isoformat(),
        "model": fake.random_element(("iPhone12,1", "iPhone13,2", "iPhone14,5")),
        "os_version": f"{fake.random_int(13, 17)}.{fake.random_int(0, 6)}",
        "app_version": fake.numerify("#.#.#"),
        "city": fake.city(),
        "ip": fake.ipv4(),
        "price": fake.pyfloat(min_value=1, max_value=500, right_digits=2),
        "product": fake.word(),
    }


def main() -> None:
    seconds = float(sys.argv[1])
    fake = Faker()
    Faker.seed(3)
    rows, begin = 0, time.monotonic()
    with open(os.devnull, "w") as sink:
        while time.monotonic() - begin < seconds:
            for _ in range(BLOCK):
                sink.write(json.dumps(row(fake, rows)) + "\n")
                rows += 1
    print(rows / (time.monotonic() - begin))


main()
