"""How long to wait before the next try: docs/protocol.md, 'When something goes wrong'."""

from __future__ import annotations

import random

FIRST = 1.0
LONGEST = 300.0


class Backoff:
    """Exponential, with full jitter. What the service asks for counts more."""

    def __init__(self, randomness: random.Random | None = None) -> None:
        self._random = randomness or random.Random()
        self._most = FIRST

    def reset(self) -> None:
        self._most = FIRST

    def next(self, retry_after: float | None = None) -> float:
        """Seconds until the next try."""
        most, self._most = self._most, min(LONGEST, self._most * 2)
        if retry_after is not None:
            # A little later than asked for, not all clients at once.
            return retry_after + self._random.uniform(0, 1)
        return self._random.uniform(0, most)
