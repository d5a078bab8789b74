# SPDX-License-Identifier: BSD-3-Clause
"""Boids: birds that keep together, fly alike and avoid each other and the walls."""
import numpy as np

SIZES = {"tiny": (5, 6), "medium": (150, 25), "large": (400, 20)}
count, steps = SIZES[SIZE]
WIDTH, HEIGHT = 100.0, 60.0


class Bird:
    """Position and velocity are views of the flock's arrays."""

    def __init__(self, flock, number):
        self.position = flock.position[number]
        self.velocity = flock.velocity[number]

    @property
    def speed(self):
        return np.sqrt(self.velocity @ self.velocity)


class Flock:
    def __init__(self, count, rng):
        self.position = rng.random((count, 2)) * [WIDTH, HEIGHT]
        self.velocity = rng.normal(size=(count, 2))
        self.birds = [Bird(self, k) for k in range(count)]

    def step(self, dt=0.5):
        delta = self.position - self.position[:, np.newaxis]
        distance = np.hypot(delta[..., 0], delta[..., 1])
        np.fill_diagonal(distance, np.inf)
        near, crowd = distance < 12, distance < 3
        n = np.maximum(near.sum(axis=1), 1)[:, None]
        centre = np.where(near[..., None], delta, 0).sum(axis=1) / n
        heading = (near @ self.velocity) / n - self.velocity
        heading[~near.any(axis=1)] = 0
        away = -np.where(crowd[..., None], delta, 0).sum(axis=1)
        self.velocity += dt * (0.01 * centre + 0.1 * heading + 0.2 * away)
        self.turn_at_walls()
        self.limit(0.5, 3.0)
        self.position += dt * self.velocity

    def turn_at_walls(self):
        x, y = self.position.T
        vx, vy = self.velocity[:, 0], self.velocity[:, 1]
        vx[x < 5] += 0.3
        vx[x > WIDTH - 5] -= 0.3
        vy[y < 5] += 0.3
        vy[y > HEIGHT - 5] -= 0.3

    def limit(self, slow, fast):
        speed = np.linalg.norm(self.velocity, axis=1, keepdims=True)
        self.velocity *= np.clip(speed, slow, fast) / np.where(speed == 0, 1, speed)


flock = Flock(count, np.random.default_rng(1986))
order, spread = [], []
for k in range(steps):
    flock.step()
    unit = flock.velocity / np.linalg.norm(flock.velocity, axis=1)[:, None]
    order.append(np.linalg.norm(unit.mean(axis=0)))
    spread.append(flock.position.std(axis=0))
fastest = max(flock.birds, key=lambda b: round(float(b.speed), 9))
flock.birds[0].velocity[:] = 0            # seen in the flock's array
assert not flock.velocity[0].any()
spread = np.vstack(spread)
print("order", " ".join("%.6f" % o for o in order[::5]))
print("spread", spread[-1], "fastest %.5f" % fastest.speed)
TOLERANCE = {"default": 1e-8}
