"""Keeps the lists of an account: sends what waits, fetches what changed, and listens for hints."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from homeassistant.core import callback
from homeassistant.exceptions import ConfigEntryAuthFailed, ConfigEntryNotReady, HomeAssistantError
from homeassistant.helpers import device_registry as dr

from .const import BACKSTOP, BACKSTOP_WITHOUT_STREAM, DOMAIN, LOGGER, VERDICT_TIMEOUT
from .device.backoff import Backoff
from .device.entries import Change, PendingEntry
from .device.queue import MAX_WAITING, Rejected, UploadQueue
from .device.service import NotSignedIn, NotTrolley, Service, ServiceError, Unavailable
from .device.shown import ShownList
from .sync.events import ListEvents
from .sync.fetching import Fetching
from .sync.hints import HintStream
from .sync.refusals import report_refused
from .sync.storage import DeviceStorage
from .sync.undoing import Undoing
from .sync.uploading import Uploading

if TYPE_CHECKING:
    from homeassistant.config_entries import ConfigEntry
    from homeassistant.core import CALLBACK_TYPE, HomeAssistant
    from homeassistant.helpers.device_registry import DeviceEntry


async def remove_stores(hass: HomeAssistant, entry: ConfigEntry) -> None:
    """Delete what is stored for an entry."""
    await DeviceStorage(hass, entry).forget()


class TrolleyCoordinator:
    """The device: its lists and its upload queue. One loop sends and fetches, and it alone tries again."""

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry, service: Service) -> None:
        self.hass = hass
        self.entry = entry
        self.service = service
        self.storage = DeviceStorage(hass, entry)
        self.queue = UploadQueue()
        self.events = ListEvents(hass)
        self.uploading = Uploading(self)
        self.fetching = Fetching(self)
        self.hints = HintStream(self)
        self.undoing = Undoing(self)
        #: The lists as the service has them.
        self.base: dict[str, ShownList] = {}
        #: The lists as they are shown, with the changes that wait.
        self.lists: dict[str, ShownList] = {}
        #: Lists whose entities are gone.
        self.removed: set[str] = set()
        self.is_connected = False
        self.is_signed_out = False
        self.backoff = Backoff()
        self._wake = asyncio.Event()
        self._is_back = asyncio.Event()
        self._has_failed = False
        self._listeners: list[Callable[[], None]] = []
        self._verdicts: dict[str, asyncio.Future[Rejected | None]] = {}

    # Starting and stopping

    async def async_start(self) -> None:
        """Read what is stored, and fetch. Without a connection, what was last known is enough."""
        self.queue = await self.storage.queue()
        self.base = await self.storage.lists()
        try:
            config = await self.service.config()
            self.uploading.limits = config["limits"]
            await self._sync()
        except NotSignedIn as error:
            await self._leave(error)
            raise ConfigEntryAuthFailed(translation_domain=DOMAIN, translation_key="signed_out") from error
        except (Unavailable, NotTrolley, ServiceError) as error:
            if not self.base:
                raise ConfigEntryNotReady(
                    str(error),
                    translation_domain=DOMAIN,
                    translation_key="cannot_connect",
                    translation_placeholders={"error": str(error)},
                ) from error
            self._note_failure(error)
        self.publish()

    @callback
    def async_run(self) -> None:
        """Begin to sync and to listen, until the entry is unloaded."""
        if not self.is_connected:
            self._wake.set()
        self.entry.async_create_background_task(self.hass, self._run(), "trolley sync")
        self.entry.async_create_background_task(self.hass, self.hints.run(), "trolley hints")

    async def async_stop(self) -> None:
        self.events.async_stop()
        if not self.is_signed_out:
            await self.storage.save_lists(self.base)

    # What entities ask

    @callback
    def async_listen(self, listener: Callable[[], None]) -> CALLBACK_TYPE:
        """Calls the listener after each change of what is shown."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def list_of(self, device: DeviceEntry) -> str | None:
        """The list that a device of the registry stands for."""
        prefix = f"{self.entry.unique_id}_"
        names = [name for domain, name in device.identifiers if domain == DOMAIN and name.startswith(prefix)]
        return names[0].removeprefix(prefix) if names else None

    async def async_change(self, list_id: str, changes: Iterable[Change]) -> None:
        """Make one gesture. It is stored before it is sent. Without an answer of the service it waits.

        Raises an error if the service refuses it.
        """
        if self.is_signed_out:
            raise HomeAssistantError(translation_domain=DOMAIN, translation_key="signed_out")
        if len(self.queue) >= MAX_WAITING:
            raise HomeAssistantError(
                translation_domain=DOMAIN, translation_key="queue_full", translation_placeholders={"count": str(MAX_WAITING)}
            )
        entries = self.queue.add(list_id, changes)
        if not entries:
            return
        verdicts = [self._verdicts.setdefault(entry.id, self.hass.loop.create_future()) for entry in entries]
        await self.storage.save_queue(self.queue)
        self.publish()
        self.try_now()
        try:
            if self.is_connected:
                await asyncio.wait(verdicts, timeout=VERDICT_TIMEOUT)
        finally:
            # From now on a repair tells of what is refused, also where this action was cancelled.
            for entry in entries:
                self._verdicts.pop(entry.id, None)
        for verdict in verdicts:
            if verdict.done() and (rejected := verdict.result()):
                raise HomeAssistantError(
                    translation_domain=DOMAIN,
                    translation_key="refused",
                    translation_placeholders={"reason": rejected.detail or rejected.code},
                )

    async def async_settle_refused(self, list_id: str, entries: set[str], is_sent_again: bool) -> None:
        """Send refused entries again, or forget them."""
        self.queue.settle_refused(list_id, entries, is_sent_again)
        await self.storage.save_queue(self.queue)
        self.publish()
        self._wake.set()

    @callback
    def try_now(self) -> None:
        """A person is there: ends a pause, unless the service has asked to wait."""
        self._wake.set()
        self._is_back.set()

    async def async_until(self, condition: Callable[[], bool]) -> bool:
        """Waits for a condition of what is published, for as long as an action waits for a verdict. Whether it holds."""
        published = asyncio.Event()
        stop = self.async_listen(published.set)
        try:
            async with asyncio.timeout(VERDICT_TIMEOUT):
                while not condition():
                    await published.wait()
                    published.clear()
        except TimeoutError:
            return condition()
        finally:
            stop()
        return True

    # What uploading and fetching report

    @callback
    def wake(self) -> None:
        """There is something to do."""
        self._wake.set()

    @callback
    def note_service_is_back(self) -> None:
        """Ends a pause after a failure, unless the service has asked to wait."""
        self._is_back.set()

    @callback
    def publish(self) -> None:
        """Show the lists with what waits, and tell the entities."""
        self.lists = {
            list_id: shown.with_pending([*self.uploading.unseen(list_id), *self.queue.waiting(list_id)])
            for list_id, shown in self.base.items()
            # Before its first fetch a list has no name, by which its entities would be named.
            if shown.digest is not None and (shown.name is not None or shown.items)
        }
        for listener in list(self._listeners):
            listener()
        self.removed -= set(self.lists)

    @callback
    def note_verdicts(self, confirmed: Iterable[PendingEntry], refused: list[Rejected], list_id: str) -> None:
        for entry in confirmed:
            self._answer(entry.id, None)
        unseen = [each for each in refused if not self._answer(each.entry.id, each)]
        if unseen:
            report_refused(self, list_id, unseen)

    def _answer(self, entry_id: str, verdict: Rejected | None) -> bool:
        """Whether an action waits for the verdict. Then it tells the person."""
        future = self._verdicts.get(entry_id)
        if not future or future.done():
            return False
        future.set_result(verdict)
        return True

    @callback
    def remove_list(self, list_id: str) -> None:
        """The list isn't the account's any more."""
        self.base.pop(list_id, None)
        self.events.forget(list_id)
        self.removed.add(list_id)
        registry = dr.async_get(self.hass)
        device = registry.async_get_device(identifiers={(DOMAIN, f"{self.entry.unique_id}_{list_id}")})
        if device:
            registry.async_remove_device(device.id)

    # The loop that sends and fetches

    async def _sync(self) -> None:
        await self.uploading.run()
        await self.fetching.run()
        if self._has_failed or not self.is_connected:
            if self._has_failed:
                LOGGER.info("%s: connected again", self.entry.title)
            self.is_connected, self._has_failed = True, False
        self.backoff.reset()

    async def _run(self) -> None:
        while True:
            try:
                await self._wait()
                self._wake.clear()
                self._is_back.clear()
                await self._sync()
            except NotSignedIn as error:
                await self._leave(error)
                self.entry.async_start_reauth(self.hass)
                return
            except (Unavailable, NotTrolley, ServiceError) as error:
                self._note_failure(error)
                self.fetching.wants_all = True
                await self._rest(getattr(error, "retry_after", None))
            except Exception:
                # An answer that nobody expected must not end the loop: what waits would wait for ever.
                LOGGER.exception("%s: the sync has failed", self.entry.title)
                self.fetching.wants_all = True
                await self._rest(None)
            self.publish()
            self.storage.save_lists_soon(self.base)

    async def _wait(self) -> None:
        """Until something is to be done, or it is time to look."""
        interval = BACKSTOP if self.hints.is_open else BACKSTOP_WITHOUT_STREAM
        try:
            async with asyncio.timeout_at(self.fetching.due(interval.total_seconds())):
                await self._wake.wait()
        except TimeoutError:
            self.fetching.want_what_is_due(interval.total_seconds())

    async def _rest(self, retry_after: float | None) -> None:
        """Until the next try. A stream that opens again ends it, unless the service has asked to wait."""
        self.publish()
        delay = self.backoff.next(retry_after)
        if retry_after is not None:
            await asyncio.sleep(delay)
        else:
            try:
                async with asyncio.timeout(delay):
                    await self._is_back.wait()
            except TimeoutError:
                pass
        self._wake.set()

    def _note_failure(self, error: Exception) -> None:
        self.is_connected = False
        if not self._has_failed:
            self._has_failed = True
            LOGGER.info("%s: no connection (%s). Changes wait until it is back", self.entry.title, error)

    async def _leave(self, error: NotSignedIn) -> None:
        """The token isn't valid any more. What waits stays stored for the next one; the lists leave."""
        LOGGER.warning("%s: the token is not valid any more (%s)", self.entry.title, error)
        self.is_connected, self.is_signed_out = False, True
        if error.signed_out:
            await self.storage.forget_lists()
        self.publish()
