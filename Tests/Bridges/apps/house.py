"""Home Assistant with its own component `caldav`, as a household that does without our integration has it.

    PYTHON house.py DIRECTORY URL USER PASSWORD

DIRECTORY has the packages that only the component asks for. HOME keeps its configuration. Commands and answers are those of evolution.py.
The calls are those of its dashboards. Updates are asked for: by itself it would look every 15 minutes.
"""

import asyncio
import json
import os
import sys

# Last: Home Assistant's own packages count first.
sys.path.append(sys.argv[1])

from homeassistant import auth, bootstrap, loader  # noqa: E402
from homeassistant.config_entries import ConfigEntries  # noqa: E402
from homeassistant.core import HomeAssistant  # noqa: E402
from homeassistant.setup import async_setup_component  # noqa: E402

url, user, password = sys.argv[2:]


class House:
    def __init__(self, hass):
        self.hass, self.entity = hass, None

    async def call(self, service, entity=None, domain='todo', answers=False, **data):
        return await self.hass.services.async_call(
            domain, service, {'entity_id': entity or self.entity, **data}, blocking=True, return_response=answers)

    async def find(self):
        return sorted(each.name for each in self.hass.states.async_all('todo'))

    async def open(self, name):
        self.entity = next(each.entity_id for each in self.hass.states.async_all('todo') if each.name == name)

    async def ready(self):
        return self.hass.states.get(self.entity).state != 'unavailable'

    async def refresh(self):
        await self.call('update_entity', domain='homeassistant')

    async def tasks(self):
        answer = await self.call('get_items', answers=True, status=['needs_action', 'completed'])
        return [[each['summary'], each['status'] == 'completed'] for each in answer[self.entity]['items']]

    async def add(self, summary):
        await self.call('add_item', item=summary)

    async def done(self, summary):
        await self.call('update_item', item=summary, status='completed')

    async def rename(self, summary, to):
        await self.call('update_item', item=summary, rename=to)

    async def describe(self, summary, note, due):
        await self.call('update_item', item=summary, description=note, due_date=f'{due[:4]}-{due[4:6]}-{due[6:]}')

    async def delete(self, summary):
        await self.call('remove_item', item=[summary])


async def main():
    hass = HomeAssistant(os.environ['HOME'])
    hass.config.skip_pip = True
    hass.config_entries = ConfigEntries(hass, {})
    loader.async_setup(hass)
    await bootstrap.async_load_base_functionality(hass)
    hass.auth = await auth.auth_manager_from_config(hass, [], [])
    for component in ('homeassistant', 'todo', 'caldav'):
        if not await async_setup_component(hass, component, {}):
            raise RuntimeError(f'{component} is not set up')
    if not hass.config_entries.async_entries('caldav'):
        done = await hass.config_entries.flow.async_init(
            'caldav', context={'source': 'user'}, data={'url': url, 'username': user, 'password': password, 'verify_ssl': True})
        if done['type'] != 'create_entry':
            raise RuntimeError(f'the account is refused: {done.get("errors")}')
    await hass.async_block_till_done()
    house = House(hass)
    while line := await hass.async_add_executor_job(sys.stdin.readline):
        name, *arguments = json.loads(line)
        try:
            answer = {'answer': await getattr(house, name)(*arguments)}
        except Exception as error:  # noqa: BLE001: the judge decides
            answer = {'error': f'{type(error).__name__}: {error}'}
        print(json.dumps(answer), flush=True)
    await hass.async_stop(force=True)


asyncio.run(main())
