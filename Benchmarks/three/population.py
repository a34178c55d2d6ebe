"""People, devices and lists: two households are made by the service itself, and repeated in its database."""

import hashlib
import json
import re
import time
import uuid

PASSWORD = "correct horse"
# A household: a person, a list of theirs, their devices; and in every third one a hosted device besides.
ORDINARY, HOSTING = 2000, 1000
DEVICES = 3
ITEMS = 20

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_HASH = re.compile(r"(?<=\\\\x)[0-9a-f]{64}(?=\")")


def populate(service, share=1.0):
    """3,000 accounts and lists with 10,000 devices, of which 1,000 are hosted; or a share of that.

    A household is copied row by row: whatever names its account, its list or a device, with other ids and hashes. So it works
    with any version's schema."""
    service.start(processes=1)
    households = [(_household(service, "ordinary", False), ORDINARY), (_household(service, "hosting", True), HOSTING)]
    service.stop()
    for ids, count in households:
        _repeat(service, ids, int(count * share) - 1)
    service.postgres.sql("trolley", "VACUUM (ANALYZE)")
    return tuple(
        int(each) for each in service.postgres.sql(
            "trolley",
            "SELECT (SELECT count(*) FROM device) || ' ' || (SELECT count(*) FROM hosted_device)").split())


def person(service, name):
    """Makes a person and a device of theirs. Returns their address and the session."""
    client, email = service.client(0), f"{name}-{uuid.uuid4().hex[:12]}@example.com"
    client.call("POST", "/v1/accounts", {"email": email, "name": "Anna", "password": PASSWORD})
    return email, client.call("POST", "/v1/sessions", {"email": email, "password": PASSWORD})


def added(number):
    return {"id": str(uuid.uuid4()), "operation": "add", "item": str(uuid.uuid4()), "after": None, "fields": {"text": "whole milk"},
            "cause": "edit", "deviceSequence": number, "age": 0}


def _household(service, name, hosts):
    """The ids of its account, its list and its devices."""
    email, session = person(service, f"copy0-{name}")
    ids = [session["account"]["id"], str(uuid.uuid4())]
    client = service.client(0, session["token"])
    client.call("POST", "/v1/lists", {"id": ids[1]})
    if hosts:
        hosted = client.call("POST", "/v1/hosted", {"name": "Kitchen speaker", "list": ids[1]})
    presence = f"/v1/lists/{ids[1]}/presence"
    client.call("PUT", presence, {})
    client.call("POST", f"/v1/lists/{ids[1]}/entries", {"entries": [added(number) for number in range(1, ITEMS + 1)]})
    client.call("PUT", presence, {"present": False})
    for number in range(DEVICES):
        if number:
            session = service.client(0).call("POST", "/v1/sessions", {"email": email, "password": PASSWORD})
        service.client(0, session["token"]).call("POST", "/v1/changes", {"tokens": {}, "protocolVersion": 3})
    if hosts:
        _wait_until_driven(service, hosted, ids[1])
    devices = service.postgres.sql("trolley", f"SELECT id FROM device WHERE account_id = '{ids[0]}'").split()
    return ids + devices


def _wait_until_driven(service, hosted, list_id):
    client, began = service.client(0, hosted["token"]), time.monotonic()
    path = f"/v1/hosted/{hosted.get('id') or hosted['device']['id']}/list?list={list_id}"
    while len(client.call("GET", path)["items"]) < ITEMS:
        if time.monotonic() - began > 60:
            raise SystemExit("the hosted device never got its list")
        time.sleep(0.1)


def _repeat(service, ids, count):
    """Copies every row that names one of these ids so many times."""
    sql = service.postgres.sql
    tables = sql(
        "trolley",
        "SELECT oid::regclass FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition "
        "AND relnamespace = 'public'::regnamespace").split()
    named = " OR ".join(f"row_to_json(t)::text LIKE '%{each}%'" for each in ids)
    script = ["SET session_replication_role = replica;"]
    for table in tables:
        rows = sql("trolley", f"SELECT row_to_json(t) FROM {table} AS t WHERE {named}").splitlines()
        if not rows:
            continue
        columns = sql(
            "trolley",
            "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute "
            f"WHERE attrelid = '{table}'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''")
        script.append("CREATE TEMP TABLE copied (copied_row json);\nCOPY copied FROM STDIN;")
        script += [_copied(row, number).replace("\\", "\\\\") for number in range(1, count + 1) for row in rows]
        script.append(
            f"\\.\nINSERT INTO {table} ({columns}) OVERRIDING SYSTEM VALUE SELECT {columns} "
            f"FROM copied, json_populate_record(NULL::{table}, copied_row);\nDROP TABLE copied;")
    file = service.directory / "copies.sql"
    file.write_text("\n".join(script) + "\n")
    service.postgres.file("trolley", file)


def _copied(row, number):
    def other_id(found):
        digits = hashlib.md5(f"{found[0]}{number}".encode()).hexdigest()
        return f"{digits[:8]}-{digits[8:12]}-{found[0][14:18]}-8{digits[17:20]}-{digits[20:]}"

    copied = _HASH.sub(lambda found: hashlib.sha256(f"{found[0]}{number}".encode()).hexdigest(), _UUID.sub(other_id, row))
    copied = copied.replace('"copy0-', f'"copy{number}-')
    json.loads(copied)
    return copied
