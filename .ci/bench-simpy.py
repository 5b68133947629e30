"""A peer for `make bench`: the simplest fleet of its kind in SimPy 4, as somebody would write it in an afternoon.

Users begin sessions at random, and act in them at random; each action captures an event. A timer of 15 s uploads
batches of 50 to a collector that takes a millisecond and fails at times: then the batch is tried again at the next
tick. No bytes are made, no fates are kept. Prints steps of processes per second.

    bench-simpy.py DEVICES SECONDS [offline]
"""

from __future__ import annotations

import random
import sys
import time

import simpy

BATCH, INTERVAL, SERVICE, FAILURES = 50, 15.0, 0.001, 0.01


class Device:
    def __init__(self, env: simpy.Environment, seed: int, uploads: bool):
        self.env, self.draw, self.uploads = env, random.Random(seed), uploads
        self.store: list[tuple[int, float]] = []
        self.sequence = self.delivered = self.steps = 0
        self.active = False
        env.process(self.user())

    def user(self):
        while True:
            yield self.env.timeout(self.draw.expovariate(6 / 86400))
            self.steps += 1
            self.active = True
            if self.uploads:
                self.env.process(self.timer())
            end = self.env.now + self.draw.lognormvariate(4.6, 1.0)
            while self.env.now < end:
                self.store.append((self.sequence, self.env.now))
                self.sequence += 1
                yield self.env.timeout(self.draw.lognormvariate(1.4, 0.8))
                self.steps += 1
            self.active = False

    def timer(self):
        while self.active:
            yield self.env.timeout(INTERVAL)
            self.steps += 1
            while self.store:
                batch = self.store[:BATCH]
                yield self.env.timeout(SERVICE)
                self.steps += 1
                if self.draw.random() < FAILURES:
                    break
                self.delivered += len(batch)
                del self.store[: len(batch)]


def main() -> None:
    devices, seconds, uploads = int(sys.argv[1]), float(sys.argv[2]), "offline" not in sys.argv[3:]
    env = simpy.Environment()
    fleet = [Device(env, seed, uploads) for seed in range(devices)]
    begin = time.perf_counter()
    while time.perf_counter() - begin < seconds:
        env.run(until=env.now + 600)
    print(sum(device.steps for device in fleet) / (time.perf_counter() - begin))


if __name__ == "__main__":
    main()
