"""Constants of the integration."""

from __future__ import annotations

import logging
from datetime import timedelta

DOMAIN = "trolley"
LOGGER = logging.getLogger(__package__)

#: How long an action waits for the service's verdict. Without one, the change stays in the queue.
VERDICT_TIMEOUT = 5
#: The stream of hints says what changes. Beside it, everything is fetched this often.
BACKSTOP = timedelta(minutes=15)
#: Without a stream, for instance behind a proxy that holds it back.
BACKSTOP_WITHOUT_STREAM = timedelta(minutes=1)
#: Older changes, such as those of a week without a connection, are no events for automations.
MAX_EVENT_AGE = timedelta(hours=1)
#: Items in the attributes of a list's entity. `trolley.get_items` has all.
MAX_ITEMS_IN_ATTRIBUTES = 200
