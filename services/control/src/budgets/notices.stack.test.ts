import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UsageWriter } from '@model-gateway/bus';
import { noUsage, type UsageRecord } from '@model-gateway/canonical';
import { ConfigError } from '@model-gateway/service';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestControl, until } from '../testing/control.ts';
import { Stage } from '../testing/stage.ts';
import { signatureOf } from './webhook.ts';

const key = Buffer.from('a secret that both sides know');
const secret = `whsec_${key.toString('base64')}`;

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  at: number;
}

interface Notice {
  type: string;
  data: { owner: object; threshold: number; spent: number; budget: object; resetsAt: string | null };
}

let stage: Stage;
let settings: Record<string, string>;
let control: TestControl;
let writer: UsageWriter;
let receiver: Server;
const received: Received[] = [];
/** The statuses of the next answers; 204 after them. A request whose status is `never` gets no answer. */
const statuses: number[] = [];
const never = 0;

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = '';
    request.on('data', chunk => (body += chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body, at: Date.now() });
      const status = statuses.shift() ?? 204;
      if (status !== never) response.writeHead(status).end();
    });
  });
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
  stage = await Stage.set();
  settings = {
    ...(await stage.withCatalog(catalog)),
    GATEWAY_BUDGET_WEBHOOK: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`,
    GATEWAY_BUDGET_WEBHOOK_SECRET: secret,
    GATEWAY_BUDGET_THRESHOLDS: '50,100',
  };
  control = await stage.control(settings);
  writer = new UsageWriter(stage.bus);
});
afterAll(async () => {
  await writer?.close();
  await stage?.clear();
  receiver?.close();
});

const catalog = `
providers:
  - { name: house, kind: openai-compatible, baseUrl: "http://127.0.0.1:1/v1" }
models:
  - { name: fast, targets: [ { provider: house, model: small } ], price: { output: 10000 } }
projects:
  - { name: lab, budget: { amount: 10, period: week } }
`;

let last = 0;

/** Records an attempt that costs so many dollars. */
function spend(dollars: number, tokenId: string, project = 'default'): void {
  const id = `019a0000-0000-7000-8000-${String(++last).padStart(12, '0')}`;
  const names = { requestId: `req_${last}`, model: 'fast', provider: 'house', upstreamModel: 'small' };
  const record: UsageRecord = {
    ...{ id, ...names, tokenId, project, at: Date.now(), ms: 1 },
    ...{ operation: 'generate', format: 'chat', stream: false, outcome: 'answered', charged: true },
    usage: { ...noUsage, output: Math.round(dollars * 100) },
  };
  writer.add(record);
}

const noticesOf = (id: string) =>
  received
    .map(({ body }) => JSON.parse(body) as Notice)
    .filter(({ data }) => Object.values(data.owner).includes(id));

test('each threshold of a budget is told once, signed', async () => {
  const { id } = await control.issue({ name: 'one', budget: { amount: 4, period: 'month' } });
  spend(1, id);
  spend(1, id);
  await until(() => noticesOf(id).length === 1);
  expect(noticesOf(id)[0]).toMatchObject({
    type: 'budget.threshold',
    data: {
      owner: { kind: 'token', id },
      budget: { amount: 4, period: 'month' },
      threshold: 50,
      spent: 2,
      resetsAt: expect.stringMatching(/-01T00:00:00\.000Z$/),
    },
  });
  spend(3, id);
  await until(() => noticesOf(id).length === 2);
  spend(1, id);
  await new Promise(resolve => setTimeout(resolve, 3_000));
  expect(noticesOf(id).map(({ data }) => data.threshold)).toEqual([50, 100]);
  for (const { headers, body } of received) {
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const signature = createHmac('sha256', key).update(signed).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${signature}`);
    expect(Math.abs(Number(headers['webhook-timestamp']) * 1_000 - Date.now())).toBeLessThan(60_000);
  }
});

test('a notice that the receiver does not take is sent again, later each time, and after a restart', async () => {
  const { id } = await control.issue({ name: 'two', budget: { amount: 1, period: 'total' } });
  const sent = () => received.filter(({ body }) => body.includes(id));
  statuses.push(302, never, 503);
  spend(0.75, id);
  await until(() => sent().length >= 2);
  await control.stop();
  control = await stage.control(settings);
  await until(() => sent().length >= 3);
  await until(() => sent().length >= 4);
  expect(new Set(sent().map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  const [first, second, third] = sent() as [Received, Received, Received];
  expect(second.at - first.at).toBeGreaterThanOrEqual(1_000);
  expect(third.at - second.at).toBeGreaterThanOrEqual(2_000);
  expect(noticesOf(id)[0]?.data).toMatchObject({ threshold: 50, resetsAt: null });
  spend(0.01, id);
  await new Promise(resolve => setTimeout(resolve, 3_000));
  expect(sent()).toHaveLength(4);
});

test('the budget of a project is told for all its tokens', async () => {
  const tokens = [
    await control.issue({ project: 'lab', name: 'a' }),
    await control.issue({ project: 'lab', name: 'b' }),
  ];
  for (const { id } of tokens) spend(3, id, 'lab');
  await until(() => noticesOf('lab').length === 1);
  expect(noticesOf('lab')[0]?.data).toMatchObject({ owner: { kind: 'project', name: 'lab' }, spent: 6 });
});

test('a webhook without a secret is refused at the start', async () => {
  const { GATEWAY_BUDGET_WEBHOOK_SECRET: _, ...without } = settings;
  await expect(stage.control({ ...without, GATEWAY_DATA: await stage.folder() })).rejects.toThrow(
    ConfigError,
  );
});

test('a webhook with a password is refused at the start, without the password in the error', async () => {
  const withPassword = { ...settings, GATEWAY_BUDGET_WEBHOOK: 'https://ada:pass-word@127.0.0.1/hook' };
  const error = await stage.control({ ...withPassword, GATEWAY_DATA: await stage.folder() }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ConfigError);
  expect(String(error)).not.toContain('pass-word');
});

test('a signature is that of the example in the specification', () => {
  const example = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const text = 'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}';
  expect(signatureOf(example, text)).toBe('g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});
