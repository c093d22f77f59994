import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as openRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, createGzip, gzipSync } from 'node:zlib';
import type { GatewayError } from '@model-gateway/canonical';
import { ManualClock } from '@model-gateway/clock/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MemoryBudget, TokenCount } from '../memory/budgets.ts';
import { type BodyLimits, BodyWatch, paceSeconds, readBody } from './body.ts';

let clock: ManualClock;
let limits: BodyLimits;

let server: ReturnType<typeof createServer>;
let arrived: PromiseWithResolvers<IncomingMessage>;

beforeEach(async () => {
  clock = new ManualClock();
  limits = { bytes: 32_000_000, bytesPerSecond: 1_000, ms: 300_000, clock };
  arrived = Promise.withResolvers();
  server = createServer(request => arrived.resolve(request)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Starts a request whose body is not written yet. */
async function begin(headers: Record<string, string> = {}) {
  const { port } = server.address() as AddressInfo;
  const client = openRequest({ port, method: 'POST', headers });
  client.on('error', () => {});
  client.flushHeaders();
  return { client, request: await arrived.promise };
}

/** Lets seconds pass; `each` runs before each of them. */
async function seconds(count: number, each: () => Promise<void> | void = () => {}) {
  for (let i = 0; i < count; i++) {
    await each();
    await clock.advance(1_000);
  }
}

async function arrive(client: ReturnType<typeof openRequest>, request: IncomingMessage, bytes: number) {
  client.write(Buffer.alloc(bytes, 'a'));
  for (let left = bytes; left > 0; ) left -= (await once(request, 'data'))[0].length;
}

describe('the pace of a body', () => {
  test('is too slow after one window if only single bytes arrive', async () => {
    const { client, request } = await begin();
    const slow: GatewayError[] = [];
    new BodyWatch(request, limits, false, error => slow.push(error));
    const drop = () => arrive(client, request, 10);
    await seconds(paceSeconds - 1, drop);
    expect(slow).toEqual([]);
    await seconds(1, drop);
    expect(slow).toMatchObject([{ kind: 'timeout', details: { code: 'request_timeout' } }]);
    expect(slow[0]?.message).toBe('The request body arrived at less than 1000 bytes/s over 30 s.');
  });

  test('is an average: a burst makes up for one pause, but not for two', async () => {
    const { client, request } = await begin();
    const slow: GatewayError[] = [];
    new BodyWatch(request, limits, false, error => slow.push(error));
    await arrive(client, request, 30_000);
    await seconds(paceSeconds);
    expect(slow).toEqual([]);
    await seconds(1);
    expect(slow).toHaveLength(1);
  });

  test('and the time are not measured while this process pauses reading', async () => {
    const { request } = await begin();
    const slow: GatewayError[] = [];
    new BodyWatch(request, limits, false, error => slow.push(error));
    request.pause();
    await seconds(1_000);
    expect(slow).toEqual([]);
    request.resume();
    await seconds(paceSeconds);
    expect(slow).toHaveLength(1);
  });

  test('does not extend the total time', async () => {
    const { client, request } = await begin();
    const slow: GatewayError[] = [];
    new BodyWatch(request, { ...limits, ms: 60_000 }, false, error => slow.push(error));
    await seconds(60, () => arrive(client, request, 2_000));
    expect(slow).toEqual([]);
    await seconds(1);
    expect(slow[0]?.message).toBe('The request body was not complete after 60 s.');
  });
});

/** Reads a body compressed with `encoding`. */
async function read(encoding: string, body: Buffer): Promise<Buffer> {
  const { client, request } = await begin({ 'content-encoding': encoding });
  client.end(body);
  const held = new MemoryBudget(100_000_000, new TokenCount(100_000_000, 'full'));
  const share = held.share('a');
  try {
    return await readBody(request, limits, share);
  } finally {
    share.release();
    expect(held.held).toBe(0);
  }
}

const file = Array.from({ length: 500 }, (_, k) => `const value${k} = ${k * k};`).join('\n');
const callId = (i: number) => `call_${hash('sha256', `${i}`, 'base64url').slice(0, 24)}`;

/** A history in which an agent reads the same file 500 times. */
const history = Buffer.from(
  JSON.stringify({
    model: 'm',
    messages: Array.from({ length: 500 }, (_, i) => [
      { role: 'assistant', tool_calls: [{ id: callId(i), function: { name: 'read', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: callId(i), content: file },
    ]).flat(),
  }),
);

test.each([
  ['identity', Buffer.from('\ufeff{"a":1}')],
  ['gzip', gzipSync('\ufeff{"a":1}')],
])('a byte order mark before a body in %s is left out', async (encoding, body) => {
  expect((await read(encoding, body)).toString()).toBe('{"a":1}');
});

describe('a compressed body', () => {
  test.each([
    ['gzip', gzipSync(history)],
    ['br', brotliCompressSync(history, { params: { 1: 5 } })],
  ])('of a repetitive conversation is accepted in %s', async (encoding, body) => {
    expect(history.length).toBeGreaterThan(5_000_000);
    expect((await read(encoding, body)).equals(history)).toBe(true);
  });

  test.each([
    ['gzip', gzipSync(Buffer.alloc(20_000_000, 'a'))],
    ['br', brotliCompressSync(Buffer.alloc(20_000_000, 'a'), { params: { 1: 1 } })],
  ])('of one repeated letter is refused in %s', async (encoding, body) => {
    await expect(read(encoding, body)).rejects.toMatchObject({
      kind: 'too-large',
      message: expect.stringContaining('more than 800 times'),
    });
  });

  test('may have any compression ratio up to 1 MB', async () => {
    expect((await read('br', brotliCompressSync(Buffer.alloc(1_000_000, 'a')))).length).toBe(1_000_000);
  });

  test('releases its bytes when the client disconnects in the middle', async () => {
    const { client, request } = await begin({ 'content-encoding': 'gzip' });
    const held = new MemoryBudget(100_000_000, new TokenCount(100_000_000, 'full'));
    const share = held.share('a');
    const reading = readBody(request, limits, share);
    const gzip = createGzip().on('data', data => client.write(data));
    gzip.write(JSON.stringify(Array.from({ length: 50_000 }, (_, i) => i)));
    gzip.flush();
    await expect.poll(() => held.held).toBeGreaterThan(100_000);
    client.destroy();
    await expect(reading).rejects.toMatchObject({ kind: 'cancelled' });
    share.release();
    expect(held.held).toBe(0);
  });
});
