import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closed, listening } from './testing/connect-proxy.ts';
import { privateCa } from './testing/private-ca.ts';
import { Ways } from './ways.ts';

const ca = privateCa('house.internal');
const ways = new Ways({}, 0);
const tls = { ca: ca.pem('ca.pem'), serverName: 'house.internal' };
let largest = 0;

/** Answers with a number of parts, each filled with a letter of the path: `/a/40/50000`. */
const parts: RequestListener = async (request, response) => {
  const [, letter = '', count, size] = String(request.url).split('/');
  for (let n = 0; n < Number(count); n++) {
    response.write(letter.repeat(Number(size)));
    largest = Math.max(largest, response.writableLength);
    await sleep(1);
  }
  response.end();
};
const servers = [
  createServer(parts),
  createHttpsServer({ key: ca.pem('server.key'), cert: ca.pem('server.pem') }, parts),
];
let plain: string;
let secure: string;

beforeAll(async () => {
  const [plainPort, securePort] = await Promise.all(servers.map(listening));
  plain = `http://127.0.0.1:${plainPort}`;
  secure = `https://127.0.0.1:${securePort}`;
});
afterAll(async () => {
  await ways.destroy();
  for (const server of servers) closed(server);
  ca[Symbol.dispose]();
});

const way = (origin: string): Dispatcher =>
  (origin === secure && ways.of('house', { tls })?.dispatcher) || ways.usual;

test('bytes of answers that arrive together stay apart and in order', async () => {
  const letters = [...'abcdefghijklmnop'];
  const texts = letters.map(async (letter, index) => {
    const origin = index % 2 ? plain : secure;
    const options = { origin, path: `/${letter}/40/${1 + index * 1_000}`, method: 'GET' } as const;
    return (await way(origin).request(options)).body.text();
  });
  const all = await Promise.all(texts);
  expect(all).toEqual(letters.map((letter, index) => letter.repeat(40 * (1 + index * 1_000))));
});

test.each(['http', 'https'])(
  'a reader that pauses is waited for over %s, and gets every byte',
  async scheme => {
    const origin = scheme === 'http' ? plain : secure;
    largest = 0;
    const { body } = await way(origin).request({ origin, path: '/z/200/100000', method: 'GET' });
    await sleep(400);
    let bytes = 0;
    for await (const part of body) bytes += part.length;
    expect(bytes).toBe(20_000_000);
    // The server kept what nobody read.
    expect(largest).toBeGreaterThan(5_000_000);
  },
);
