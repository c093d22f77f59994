import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { type StartedSimulator, startSimulator } from '@model-gateway/simulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNewApiDatabase } from '../../services/control/src/testing/new-api-database.ts';
import { laptopKey, newApiSample } from '../../services/control/src/testing/new-api-sample.ts';
import { cleanUp, Launched, newFolder, type ReadyFile, root } from '../launcher/launched.ts';

let simulator: StartedSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(async () => {
  await cleanUp();
  await simulator.close();
});

/** Runs `gateway import`, and returns what it prints. */
async function runImport(args: string[], ready?: ReadyFile): Promise<string> {
  const access = ready && { GATEWAY_URL: ready.baseUrl, GATEWAY_ADMIN_TOKEN: ready.adminToken };
  const child = spawn(process.execPath, ['services/control/src/cli/main.ts', 'import', ...args], {
    cwd: root,
    env: { ...process.env, ...access },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', chunk => (printed += chunk));
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
  return printed;
}

/** Imports as the documents say: writes gateway.yaml and the secrets, starts a gateway with them, and creates the tokens. */
async function migrate(args: string[]): Promise<ReadyFile> {
  const folder = newFolder();
  const [GATEWAY_CONFIG, secrets] = [join(folder, 'gateway.yaml'), join(folder, 'secrets.env')];
  await runImport([...args, '--output', GATEWAY_CONFIG, '--secrets', secrets]);
  const env = parseEnv(readFileSync(secrets, 'utf8')) as Record<string, string>;
  const ready = await new Launched({ env: { ...env, GATEWAY_CONFIG } }).ready();
  const tokens = [...args, '--output', GATEWAY_CONFIG, '--tokens'];
  expect(await runImport(tokens, ready)).toMatch(/Tokens: \d created, 0 exist already\./);
  expect(await runImport(tokens, ready)).toMatch(/Nothing is new: of \d tokens, all exist\./);
  return ready;
}

/** Asks for a chat completion with a key of the gateway that was before. */
function ask({ baseUrl }: ReadyFile, key: string, model: string): Promise<Response> {
  return fetch(`${baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
  });
}

const credentialSent = () => simulator.requests.at(-1)?.headers.authorization;

test('a key that LiteLLM issued keeps working', async () => {
  const folder = newFolder();
  const [config, keys] = [join(folder, 'config.yaml'), join(folder, 'keys.jsonl')];
  const litellm_params = { model: 'openai/sim-1', api_base: `${simulator.url}/v1`, api_key: 'sk-upstream' };
  const aliased = { router_settings: { model_group_alias: { 'gpt-4': 'house' } } };
  writeFileSync(
    config,
    JSON.stringify({ model_list: [{ model_name: 'house', litellm_params }], ...aliased }),
  );
  // The SHA-256 that LiteLLM's own hash_token returns for this key.
  const token = 'dd65e03569cfa4fa17f41cc914529f60fa210b46a7ee8647c7c2f1ed5844a3ea';
  const rows = [
    { token, key_alias: 'old', models: ['house'], max_budget: 5, budget_duration: '30d', team_id: 'search' },
    { token: '0'.repeat(64), key_alias: 'other', models: [] },
  ];
  writeFileSync(keys, rows.map(row => JSON.stringify(row)).join('\n'));
  const ready = await migrate(['litellm', config, '--keys', keys]);

  const answered = await ask(ready, 'sk-1234567890abcdef', 'house');
  expect(answered.status, await answered.clone().text()).toBe(200);
  expect(await answered.json()).toMatchObject({ object: 'chat.completion' });
  expect(credentialSent()).toBe('Bearer sk-upstream');
  expect((await ask(ready, 'sk-1234567890abcdef', 'gpt-4')).status).toBe(403);
  expect((await ask(ready, 'sk-of-nobody', 'house')).status).toBe(401);
});

test('a key that new-api issued keeps working', async () => {
  const path = join(newFolder(), 'one-api.db');
  createNewApiDatabase(path, newApiSample(simulator.url));
  const ready = await migrate(['new-api', path]);

  const answered = await ask(ready, laptopKey, 'sim-1');
  expect(answered.status, await answered.clone().text()).toBe(200);
  expect(await answered.json()).toMatchObject({ object: 'chat.completion' });
  expect(credentialSent()).toBe('Bearer secret-of-house');
  expect((await ask(ready, laptopKey, 'dall-e-3')).status).toBe(403);
  // Its user has no quota left.
  expect((await ask(ready, `sk-${'e'.repeat(48)}`, 'sim-1')).status).toBe(401);
});
