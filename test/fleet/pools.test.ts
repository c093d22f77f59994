import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Fleet } from './fleet.ts';

const catalog = (simulatorUrl: string) => `providers:
  - { name: near, kind: openai-compatible, baseUrl: "${simulatorUrl}/v1", apiKey: { value: sk-near } }
  - { name: far, kind: openai-compatible, baseUrl: "${simulatorUrl}/v1", apiKey: { value: sk-far }, pool: other }
models:
  - { name: near, targets: [ { provider: near, model: sim-fast } ] }
  - { name: far, targets: [ { provider: far, model: sim-fast } ] }
`;

let fleet: Fleet;
/** The folder of a worker in another network. */
const elsewhere = mkdtempSync(join(tmpdir(), 'worker-'));
beforeAll(async () => {
  fleet = await Fleet.start({ catalog, env: { SIMULATOR_RECORD: '1' } });
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  rmSync(elsewhere, { recursive: true });
});

async function ask(model: string): Promise<{ status: number; requestId: string | null; text: string }> {
  const response = await fetch(`${fleet.fronts[0]?.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${fleet.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Which pool?' }] }),
  });
  const text = await response.text();
  return { status: response.status, requestId: response.headers.get('x-request-id'), text };
}

/** The API key of the last request at the upstream. */
async function lastKey(): Promise<string | undefined> {
  const { headers } = (await (await fetch(`${fleet.simulator.url}/last`)).json()) as {
    headers: Record<string, string>;
  };
  return headers.authorization;
}

test('a worker elsewhere needs the key of its pool alone, and its records prove their calls', async () => {
  await vi.waitFor(
    () => expect(readFileSync(join(fleet.folder, 'pool-keys', 'other'), 'utf8')).not.toBe(''),
    {
      timeout: 60_000,
    },
  );
  const key = readFileSync(join(fleet.folder, 'pool-keys', 'other'), 'utf8').trim();
  await fleet.startWorker({ GATEWAY_POOL: 'other', GATEWAY_POOL_KEY: key, GATEWAY_DATA: elsewhere });
  const requests: (string | null)[] = [];
  for (const model of ['near', 'far']) {
    const { status, requestId } = await ask(model);
    expect([status, await lastKey()]).toEqual([200, `Bearer sk-${model}`]);
    requests.push(requestId);
  }
  await vi.waitFor(
    async () => {
      const { body } = await fleet.admin('GET', '/usage?limit=10');
      const { data } = body as { data: { requestId: string; provider: string; charged: boolean }[] };
      expect(data.map(({ requestId, provider, charged }) => [requestId, provider, charged]).sort()).toEqual(
        [
          [requests[0], 'near', true],
          [requests[1], 'far', true],
        ].sort(),
      );
    },
    { timeout: 60_000 },
  );
  expect((await fleet.admin('GET', '/usage/rejected')).body).toMatchObject({ data: [] });
});

test('a worker with another key serves no provider with secrets, and the doctor says why', async () => {
  const [worker] = fleet.workers.slice(-1);
  await worker?.stop();
  const wrong = randomUUID().replaceAll('-', '').repeat(2);
  await fleet.startWorker({ GATEWAY_POOL: 'other', GATEWAY_POOL_KEY: wrong, GATEWAY_DATA: elsewhere });
  const { status, text } = await ask('far');
  expect([status, text]).toEqual([502, expect.stringContaining("The provider 'far' is disabled")]);
  const { body } = await fleet.admin('GET', '/diagnostics');
  expect(JSON.stringify(body)).toContain('cannot be opened with the key of this pool');
  expect((await ask('near')).status).toBe(200);
});
