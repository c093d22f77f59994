import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClientFormat, paths } from '../../bench/scenarios.ts';
import { errorOf, questionHeaders } from './clients.ts';
import { Fleet, type FleetProcess } from './fleet.ts';
import { type Entry, ledger, sumOf } from './ledger.ts';

const count = 200;
const atOnce = 16;

let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.start({ workers: 2, catalog });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

/** `falls` has failing upstreams before working ones, one of which has the other format. */
function catalog(simulatorUrl: string): string {
  return `providers:
  - { name: chat, kind: openai-compatible, baseUrl: "${simulatorUrl}/v1" }
  - { name: messages, kind: anthropic, baseUrl: "${simulatorUrl}", apiKey: { value: any } }
models:
  - { name: "chat/*", targets: [ { provider: chat, model: "*" } ] }
  - { name: "messages/*", targets: [ { provider: messages, model: "*" } ] }
  - name: falls/*
    targets:
      - { provider: chat, model: fault-500 }
      - { provider: messages, model: fault-500 }
      - { provider: messages, model: "*" }
`;
}

interface Case {
  format: ClientFormat;
  stream: boolean;
  model: string;
  n?: 2;
}

const model = 'sim-t20-i10ms';
/** Every way of asking: own and other format, whole and streamed, after failures, in several calls, and in vain. */
const cases: Case[] = (['chat', 'messages'] as const).flatMap(format =>
  [false, true].flatMap(stream => [
    ...[`chat/${model}`, `messages/${model}`, `falls/${model}`, 'chat/fault-500'].map(name => ({
      ...{ format, stream, model: name },
    })),
    ...(format === 'chat' ? [{ format, stream, model: `messages/${model}`, n: 2 as const }] : []),
  ]),
);

/** The client's result. */
interface Got extends Case {
  requestId: string;
  status: number;
  body: string;
}

async function ask({ format, stream, model, n }: Case): Promise<Got> {
  const response = await fetch((fleet.fronts[0] as FleetProcess).url + paths[format], {
    method: 'POST',
    headers: questionHeaders(fleet.token),
    body: JSON.stringify({ model, stream, n, max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] }),
    signal: AbortSignal.timeout(30_000),
  });
  const requestId = response.headers.get('x-request-id') ?? '';
  const body = await response.text();
  return { format, stream, model, ...(n && { n }), requestId, status: response.status, body };
}

/** Sends all requests, a few at once; `halfway` is called when half of them are answered. */
async function askAll(halfway: () => Promise<void>): Promise<Got[]> {
  const got: Got[] = [];
  let asked = 0;
  let half: Promise<void> | undefined;
  const client = async () => {
    while (asked < count) {
      got.push(await ask(cases[asked++ % cases.length] as Case));
      if (got.length >= count / 2) half ??= halfway();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  await half;
  return got;
}

test('after a worker is killed under load, every request is in the ledger with the charge for what its client received', async () => {
  const got = await askAll(() => (fleet.workers[0] as FleetProcess).kill());
  const requestIds = got.map(({ requestId }) => requestId);
  expect(new Set(requestIds).size).toBe(count);
  const charged = got.reduce((sum, each) => sum + chargesOf(each), 0);
  const recorded = async () => {
    const entries = await ledger(fleet);
    return {
      requests: new Set(entries.map(({ requestId }) => requestId)).size,
      charged: entries.filter(entry => entry.charged).length,
    };
  };
  await expect.poll(recorded, { timeout: 20_000 }).toEqual({ requests: count, charged });
  const entries = await ledger(fleet);
  expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
  for (const each of got) expectCharged(each, entries);
  expect(entries.some(({ outcome }) => outcome === 'lost')).toBe(true);
});

/** The number of charged attempts of a request. */
function chargesOf({ status, n }: Got): number {
  return status === 200 ? (n ?? 1) : 0;
}

function expectCharged(got: Got, entries: readonly Entry[]): void {
  const paid = entries.filter(({ requestId, charged }) => charged && requestId === got.requestId);
  const about = [got.format, got.model, got.stream, got.status, got.body.slice(-200)];
  expect([...about, paid.length]).toEqual([...about, chargesOf(got)]);
  if (got.model.includes('fault')) expect(got.status).toBeGreaterThanOrEqual(500);
  else if (!got.stream) {
    expect([...about, got.status]).toEqual([...about, 200]);
    expect(sumOf(paid)).toEqual(usageOf(got));
  } else if (!errorOf(got.body)) for (const { outcome } of paid) expect(outcome).toBe('answered');
}

/** The usage in a non-streamed response. */
function usageOf({ format, body }: Got): { input: number; output: number } {
  const { usage } = JSON.parse(body);
  return format === 'chat'
    ? { input: usage.prompt_tokens, output: usage.completion_tokens }
    : { input: usage.input_tokens, output: usage.output_tokens };
}
