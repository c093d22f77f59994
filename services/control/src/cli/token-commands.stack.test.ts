import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminToken, type TestControl } from '../testing/control.ts';
import { Stage } from '../testing/stage.ts';
import { gateway as commandLine } from './gateway.ts';

let stage: Stage;
let control: TestControl;
beforeAll(async () => {
  stage = await Stage.set();
  control = await stage.control({ GATEWAY_DATA: await stage.folder() });
});
afterAll(() => stage.clear());

test('token show shows what a token may do', async () => {
  const env = { GATEWAY_URL: control.url, GATEWAY_ADMIN_TOKEN: adminToken };
  const command = async (line: string) => String((await commandLine(line.split(' '), env)).printed);
  const options =
    '--owner ada --models gpt-*,fast --limits concurrency=5 --budget 100/month --tags team=search';
  const { id } = JSON.parse(await command(`token create --name ci ${options} --json`));
  const shown = await command(`token show ${id}`);
  expect(Object.fromEntries(shown.split('\n').map(line => line.split(/ {2,}/)))).toMatchObject({
    ...{ ID: id, NAME: 'ci', PROJECT: 'default', OWNER: 'ada', EXPIRES: 'never', DISABLED: 'no' },
    ...{ MODELS: 'gpt-*, fast', ENDPOINTS: 'all', ADDRESSES: 'all' },
    ...{ LIMITS: 'concurrency=5', BUDGET: '100/month', TAGS: 'team=search' },
  });
  expect(JSON.parse(await command(`token show ${id} --json`))).toMatchObject({
    id,
    tags: { team: 'search' },
  });
  await expect(command('token show nothing')).rejects.toThrow('There is no such token.');
});
