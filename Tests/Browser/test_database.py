"""The browser's database, from one version of the app to the next."""

from app import DESKTOP


def test_a_database_of_version_1_gets_what_version_2_adds_and_keeps_its_records(app, service):
    anna = app(service_workers="block", **DESKTOP)
    # An empty page of the service, which runs no app.
    anna.page.route("**/tests/*", lambda route: route.fulfill(content_type="text/html; charset=utf-8", body="<!doctype html><title>Tests</title>"))
    anna.open("/tests/page.html")
    found, fresh = anna.page.evaluate("""async path => {
        const { Database, SCHEMA, STEPS } = await import(path);
        const first = new Database();
        await first.write(['lists', 'rejected'], async t => {
            t.put('lists', { id: 'ours', unread: 2 });
            t.put('rejected', { list: 'ours', code: 'permissionFailure' });
        });
        first.close();
        const version = async () => (await indexedDB.databases()).find(({ name }) => name === 'trolley').version;
        const versions = [await version()];
        // The next version of the app: another store, another index, and other records.
        SCHEMA.offers = { keyPath: ['list', 'id'] };
        SCHEMA.rejected.indices = { list: 'list' };
        STEPS.push(transaction => {
            const lists = transaction.objectStore('lists'), list = lists.get('ours');
            list.onsuccess = () => lists.put({ ...list.result, isNew: true });
        });
        const second = new Database(), stores = ['lists', 'rejected', 'offers'];
        const found = await second.read(stores, async t => [
            await t.get('lists', 'ours'), (await t.all('rejected', 'ours', 'list')).map(({ code }) => code), await t.count('offers'),
        ]);
        versions.push(await version());
        await second.destroy();
        // A new database needs no step.
        const fresh = await second.read(stores, async t => [await t.count('lists'), await t.count('rejected', 'ours', 'list'), await t.count('offers')]);
        versions.push(await version());
        await second.destroy();
        return [[...found, versions], fresh];
    }""", f"/app/{next((service.site / 'app').iterdir()).name}/device/storage/database.js")
    assert found == [{"id": "ours", "unread": 2, "isNew": True}, ["permissionFailure"], 0, [1, 2, 2]]
    assert fresh == [0, 0, 0]
