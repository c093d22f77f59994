import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { percentiles } from '../../bench/figures.ts';
import { until } from '../until.ts';
import { ask, errorOf } from './clients.ts';
import { Fleet, type FleetProcess } from './fleet.ts';
import { ledger, sumOf } from './ledger.ts';

/** Ten places at each of two workers, two of them reserved. */
const capacity = 10;
const workers = 2;
/** Each takes 0.6 s, half a second of it to the first token: twice that leaves room for a busy machine. */
const model = 'sim-f500ms-t10-i10ms';
const tokensPerProject = 10;
/** Half of what a flood's line takes to be served, so that an estimate refuses new requests early, even by fast workers. */
const queueMs = 5_000;
/** The longest time that a refused client waits before it asks again, so that the flood goes on. */
const patienceMs = 500;

let fleet: Fleet;
beforeAll(async () => {
  const env = { GATEWAY_CAPACITY: String(capacity), GATEWAY_QUEUE_MS: String(queueMs) };
  fleet = await Fleet.start({ workers, fronts: 2, env, catalog });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

function catalog(simulatorUrl: string): string {
  return `providers:
  - { name: simulator, kind: openai-compatible, baseUrl: "${simulatorUrl}/v1" }
models:
  - { name: "sim-*", targets: [ { provider: simulator, model: "sim-*" } ] }
projects:
  - { name: heavy, weight: 3 }
`;
}

/** A client's request. */
interface Asked {
  status: number;
  /** Milliseconds to the first bytes of the body. */
  firstMs: number;
  retryAfter: string | null;
  body: string;
}

async function askOnce(front: FleetProcess, token: string): Promise<Asked> {
  const began = performance.now();
  const response = await ask(front.url, token, { model, stream: true });
  const pieces = (response.body as ReadableStream<Uint8Array>)
    .pipeThrough(new TextDecoderStream())
    .getReader();
  let piece = await pieces.read();
  const firstMs = performance.now() - began;
  let body = '';
  for (; !piece.done; piece = await pieces.read()) body += piece.value;
  const { status, headers } = response;
  return { status, firstMs, retryAfter: headers.get('retry-after'), body };
}

async function tokensOf(project: string): Promise<string[]> {
  const made = [];
  for (let i = 0; i < tokensPerProject; i++) made.push((await fleet.createToken({ project })).token);
  return made;
}

/** Sends `count` requests, a few at a time, to both fronts in turn. */
async function askGently(token: string, count: number, atOnce: number): Promise<Asked[]> {
  const asked: Asked[] = [];
  let sent = 0;
  const client = async () => {
    while (sent < count) asked.push(await askOnce(frontOf(sent++), token));
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  return asked;
}

function frontOf(i: number): FleetProcess {
  return fleet.fronts[i % fleet.fronts.length] as FleetProcess;
}

/** Many clients of one project, which ask at both fronts until they are stopped. */
class Flood {
  readonly asked: Asked[] = [];
  readonly #clients: Promise<void>[];
  #stopped = false;

  constructor(tokens: readonly string[], clients: number) {
    this.#clients = Array.from({ length: clients }, (_, i) =>
      this.#repeat(frontOf(i), tokens[(i >> 1) % tokens.length] as string),
    );
  }

  get served(): number {
    return this.asked.filter(({ status }) => status === 200).length;
  }

  get refused(): Asked[] {
    return this.asked.filter(({ status }) => status !== 200);
  }

  /** Resolves when the last request is answered. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#clients);
  }

  async #repeat(front: FleetProcess, token: string): Promise<void> {
    while (!this.#stopped) {
      const asked = await askOnce(front, token);
      this.asked.push(asked);
      if (asked.retryAfter) await sleep(Math.min(patienceMs, 1_000 * Number(asked.retryAfter)));
    }
  }
}

async function expectLedgerComplete(): Promise<void> {
  const { requests, usage } = await fleet.stats();
  await expect.poll(async () => (await ledger(fleet)).length, { timeout: 30_000 }).toBe(requests);
  expect(sumOf(await ledger(fleet))).toEqual(usage);
}

test('a flood by one project leaves the time to the first token of another within twice its quiet value', async () => {
  const [gentle = ''] = await tokensOf('gentle');
  const tokens = await tokensOf('greedy');
  // The first requests are slower, since code is compiled.
  await askGently(gentle, 20, 3);
  const quiet = await askGently(gentle, 100, 3);
  const flood = new Flood(tokens, 300);
  await expect.poll(() => flood.served, { timeout: 30_000 }).toBeGreaterThan(40);
  const flooded = await askGently(gentle, 100, 3);
  await flood.stop();
  expect([...quiet, ...flooded].filter(({ status }) => status !== 200)).toEqual([]);
  const p99 = (asked: Asked[]) => percentiles(asked.map(({ firstMs }) => firstMs)).p99;
  expect(p99(flooded)).toBeLessThan(2 * p99(quiet));
  // What the flood could not get in time was refused early, with a time to retry.
  expect(flood.refused.length).toBeGreaterThan(100);
  for (const { status, retryAfter, body } of flood.refused) {
    expect([429, 503]).toContain(status);
    expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
    expect(Number(retryAfter)).toBeLessThanOrEqual(60);
    expect(errorOf(body)?.message).toMatch(/Retry later|Wait until/);
  }
  expect(flood.refused.filter(({ firstMs }) => firstMs < 2_000).length).toBeGreaterThan(100);
  await expectLedgerComplete();
});

test('projects that keep every worker busy are served by weight', async () => {
  const floods = [new Flood(await tokensOf('heavy'), 80), new Flood(await tokensOf('light'), 80)] as const;
  const lightServes = (more: number) => {
    const wanted = floods[1].served + more;
    return until(`the light project is served ${more} times`, () => floods[1].served >= wanted);
  };
  await lightServes(10);
  const before = floods.map(({ served }) => served);
  await lightServes(50);
  const [heavy = 0, light = 0] = floods.map(({ served }, i) => served - (before[i] ?? 0));
  await Promise.all(floods.map(flood => flood.stop()));
  expect(heavy / light).toBeGreaterThan(2.4);
  expect(heavy / light).toBeLessThan(3.6);
  await expectLedgerComplete();
});
