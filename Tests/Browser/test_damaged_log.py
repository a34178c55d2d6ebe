"""After a power cut, or when the browser was killed, chromium's log of IndexedDB may end in half a record. Chromium goes on writing
behind it, and loses that when it reads the log again."""

import pytest

from app import PHONE, App
from conftest import ARGUMENTS, CHROMIUM
from service import Cable

# Behind the last whole record: the file's new length without its content, and a record's head without the record.
TAILS = {"zeroes": bytes(200), "half a record": b"\1\2\3\4\x80\0\1"}
# More than the log's 32 KiB that are lost at once: a record that goes beyond them is what chromium takes for a damaged database.
ADDED = [f"Thing {number}" for number in range(16)]


@pytest.mark.parametrize("tail", TAILS)
def test_what_is_written_after_a_power_cut_stays(browser, service, complaints, tmp_path, tail):
    cable = Cable(service)

    def opened(path="/"):
        context = browser.browser_type.launch_persistent_context(
            str(tmp_path), executable_path=CHROMIUM, args=ARGUMENTS, locale="en-GB", **PHONE)
        return App(None, service, complaints, context=context, cable=cable).open(path)

    anna = opened()
    anna.fill("need", "Milk")
    anna.page.click(".panel button:has-text('Start a list')")
    anna.sees("Milk").add("Bread")
    # Waits for what is being written.
    anna.evaluate("device => device.store.queues()")
    list = anna.list
    anna.context.close()

    [log] = tmp_path.glob("Default/IndexedDB/*.leveldb/*.log")
    with log.open("ab") as file:
        file.write(TAILS[tail])

    anna = opened(f"/#/list/{list}").sees("Milk", "Bread").add(*ADDED)
    anna.evaluate("device => device.store.queues()")
    anna.context.close()
    opened(f"/#/list/{list}").sees("Milk", "Bread", *ADDED).context.close()
