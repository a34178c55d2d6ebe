"""Three people with two devices each, of two kinds: each kind of device is there twice."""

from pathlib import Path

from browser import BrowserDevice
from household import Device, sign_up
from hosted import HostedDevice
from playwright.sync_api import Browser
from sqlite import SQLiteDevice
from system.cable import Cable
from system.postgres import Postgres


class Fleet:
    def __init__(
        self, name: str, program: Path, command: Path, port: int, postgres: Postgres, browser: Browser, directory: Path, seed: int,
    ) -> None:
        self.program, self.postgres, self.directory = program, postgres, directory
        # Ids of the entries that were refused so far.
        self.rejected: set[str] = set()
        address = f"http://127.0.0.1:{port}"
        directory.mkdir()
        self.people = [sign_up(address, each, f"{each.lower()}-{name}@example.com") for each in ("Ann", "Ben", "Cleo")]
        ann, ben, cleo = self.people
        self.devices: list[Device] = [
            SQLiteDevice("ann's phone", ann, command, directory / "ann"), BrowserDevice("ann's browser", ann, browser),
            BrowserDevice("ben's browser", ben, browser), HostedDevice("ben's speaker", ben, address, postgres),
            SQLiteDevice("cleo's phone", cleo, command, directory / "cleo"), HostedDevice("cleo's speaker", cleo, address, postgres)]
        for place, device in enumerate(self.devices):
            if device.can_be_cut:
                device.cable = Cable([port], seed + place)
            if isinstance(device, BrowserDevice):
                device.open()
            device.sign_in()
