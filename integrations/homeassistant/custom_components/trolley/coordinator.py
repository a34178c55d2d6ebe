"""Keeps the lists of an account: sends what waits, fetches what changed, and listens for hints."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from homeassistant.core import callback
from homeassistant.exceptions import ConfigEntryAuthFailed, ConfigEntryNotReady, HomeAssistantError
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers import issue_registry as ir

from .const import BACKSTOP, BACKSTOP_WITHOUT_STREAM, DOMAIN, LOGGER, VERDICT_TIMEOUT
from .device.backoff import Backoff
from .device.entries import Change, PendingEntry
from .device.queue import MAX_WAITING, Rejected, UploadQueue
from .device.service import Hint, NotSignedIn, NotTrolley, Service, ServiceError, Unavailable
from .device.shown import ShownList
from .sync.events import ListEvents
from .sync.fetching import Fetching
from .sync.storage import DeviceStorage
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
        self._has_stream = False
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
        self.entry.async_create_background_task(self.hass, self._listen(), "trolley hints")

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
        self._wake.set()
        # A person is there: try now, unless the service has asked to wait.
        self._is_back.set()
        if self.is_connected:
            await asyncio.wait(verdicts, timeout=VERDICT_TIMEOUT)
        for entry, verdict in zip(entries, verdicts, strict=True):
            self._verdicts.pop(entry.id, None)
            if verdict.done() and (rejected := verdict.result()):
                raise HomeAssistantError(
                    translation_domain=DOMAIN,
                    translation_key="refused",
                    translation_placeholders={"reason": rejected.detail or rejected.code},
                )

    # What uploading and fetching report

    @callback
    def wake(self) -> None:
        """There is something to do."""
        self._wake.set()

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
            self._report(list_id, unseen)

    def _answer(self, entry_id: str, verdict: Rejected | None) -> bool:
        """Whether an action waits for the verdict. Then it tells the person."""
        future = self._verdicts.get(entry_id)
        if not future or future.done():
            return False
        future.set_result(verdict)
        return True

    def _report(self, list_id: str, refused: list[Rejected]) -> None:
        """Changes of earlier were refused: say so where the person looks."""
        shown = self.base.get(list_id)
        texts = dict.fromkeys(self._text_of(shown, each.entry) for each in refused)
        ir.async_create_issue(
            self.hass,
            DOMAIN,
            # One of its own each time: a person may have ignored the last one.
            f"refused_{refused[0].entry.id}",
            is_fixable=False,
            is_persistent=True,
            severity=ir.IssueSeverity.WARNING,
            translation_key="changes_refused",
            translation_placeholders={
                "list": (shown and shown.name) or list_id,
                "count": str(len(refused)),
                "items": ", ".join(list(texts)[:10]),
                "reason": refused[-1].detail or refused[-1].code,
            },
        )

    @staticmethod
    def _text_of(shown: ShownList | None, entry: PendingEntry) -> str:
        text = (entry.content.get("fields") or {}).get("text")
        item = shown.item(entry.content["item"]) if shown else None
        return text or (item.text if item else None) or entry.content["operation"]

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
        interval = BACKSTOP if self._has_stream else BACKSTOP_WITHOUT_STREAM
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

    # The stream of hints

    async def _listen(self) -> None:
        backoff = Backoff()
        while not self.is_signed_out:
            retry_after = None
            try:
                async for hint in self.service.hints():
                    self._has_stream = True
                    backoff.reset()
                    self._is_back.set()
                    self._take(hint)
            except NotSignedIn:
                # The loop that fetches asks for a new token.
                self._wake.set()
                return
            except (Unavailable, NotTrolley, ServiceError) as error:
                LOGGER.debug("%s: the stream has ended (%s)", self.entry.title, error)
                retry_after = getattr(error, "retry_after", None)
            except Exception:
                LOGGER.exception("%s: the stream has failed", self.entry.title)
            self._has_stream = False
            # It may have ended because the token is revoked, or the service is gone: the other loop finds out.
            self.fetching.wants_all = True
            self._wake.set()
            await asyncio.sleep(backoff.next(retry_after))

    @callback
    def _take(self, hint: Hint) -> None:
        if hint.name == "changed" and hint.list_id in self.base:
            if (hint.sequence or 0) > self.base[hint.list_id].sequence:
                self.fetching.wanted.add(hint.list_id)
        elif hint.name == "presence" and hint.list_id in self.base:
            self.fetching.wanted_people.add(hint.list_id)
        elif hint.name in ("sync", "changed", "gone"):
            self.fetching.wants_all = True
        else:
            return
        self._wake.set()

    def diagnostics(self) -> dict[str, Any]:
        """What helps to find a fault, without anybody's words."""
        return {
            "connected": self.is_connected,
            "stream": self._has_stream,
            "signed_out": self.is_signed_out,
            "lists": {
                list_id: {
                    "sequence": shown.sequence, "digest": shown.digest, "items": len(shown.items), "wanted": len(shown.wanted),
                    "can_edit": shown.can_edit, "role": shown.role, "people": len(shown.people), "present": len(shown.present),
                }
                for list_id, shown in self.base.items()
            },
            "queue": {
                list_id: {
                    "next_number": each.next_number,
                    "confirmed": len(each.confirmed),
                    "waiting": [
                        {"id": e.id, "operation": e.content["operation"], "item": e.content["item"],
                         "age": e.age(self.queue.clock), "sent": e.was_sent}
                        for e in each.waiting
                    ],
                    "rejected": [
                        {"id": r.entry.id, "operation": r.entry.content["operation"], "code": r.code} for r in each.rejected
                    ],
                }
                for list_id, each in self.queue.lists.items()
            },
        }  # fmt: skip
