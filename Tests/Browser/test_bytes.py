"""What a browser has to load. Bytes don't depend on the machine."""

from app import PHONE


def loaded(app):
    """Compressed sizes of what the page has loaded, by address."""
    return dict(app.page.evaluate("""() => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        .filter(entry => !entry.name.includes('/v1/')).map(entry => [entry.name, entry.encodedBodySize])"""))


def test_bytes_of_the_first_load(app):
    anna = app(**PHONE)
    # What its cache answers counts uncompressed.
    anna.page.add_init_script("Object.defineProperty(navigator, 'serviceWorker', { value: undefined })")
    anna.open()
    anna.page.wait_for_selector("input[name=name]")
    anna.until_("the module", lambda: anna.evaluate("device => !!device.trolley"))
    sizes = loaded(anna)
    module = next(size for name, size in sizes.items() if name.endswith(".wasm"))
    assert sum(sizes.values()) - module <= 70_000, "until it is interactive"
    assert sum(sizes.values()) <= 190_000, "all of the first load"
    print(f"first load: {sum(sizes.values())} bytes, the module {module} of them")
    # And with a list open.
    anna.sign_up("Anna").page.wait_for_selector(".new-list")
    anna.new_list("Bytes")
    assert anna.evaluate("async (device, list) => (await device.goods()).complete(list)", anna.list)
    sizes = loaded(anna)
    # What comes when the list is there already.
    later = {name: size for name, size in sizes.items() if "/catalogue/" in name or "later.wasm" in name}
    until = sum(sizes.values()) - sum(later.values())
    assert until <= 230_000, "until a list is open"
    assert len(later) == 3 and sum(later.values()) <= 180_000, later
    print(f"until a list is open: {until} bytes, {sum(later.values())} afterwards")


def test_bytes_of_a_catalogue(service):
    tables = list(next((service.site / "app").iterdir()).glob("catalogue/*.txt"))
    assert len(tables) == 6
    for table in tables:
        for form in (".br", ".gz"):
            assert (table.parent / (table.name + form)).stat().st_size <= 30_000, table
