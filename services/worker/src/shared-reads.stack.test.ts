import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { systemClock } from '@model-gateway/clock';
import type { Dispatcher } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closed, listening } from './testing/connect-proxy.ts';
import { privateCa } from './testing/private-ca.ts';
import { sharedReads, UpstreamConnections } from './upstream-connections.ts';

const ca = privateCa('house.internal');
const connections = new UpstreamConnections({}, systemClock);
const tls = { ca: ca.pem('ca.pem'), serverName: 'house.internal' };
let largest = 0;

/** Answers with a number of parts, each filled with a letter of the path: `/a/40/50000`. */
const parts: RequestListener = async (request, response) => {
  const [, letter = '', count, size] = String(request.url).split('/');
  for (let n = 0; n < Number(count); n++) {
    response.write(letter.repeat(Number(size)));
    largest = Math.max(largest, response.writableLength);
    await setImmediate();
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
  await connections.destroy();
  for (const server of servers) closed(server);
  ca[Symbol.dispose]();
});

const via = (origin: string): Dispatcher =>
  (origin === secure && connections.of('house', { tls })?.dispatcher) || connections.usual;

test('bytes of answers that arrive together stay apart and in order', async () => {
  const letters = [...'abcdefghijklmnop'];
  const texts = letters.map(async (letter, index) => {
    const origin = index % 2 ? plain : secure;
    const options = { origin, path: `/${letter}/40/${1 + index * 1_000}`, method: 'GET' } as const;
    return (await via(origin).request(options)).body.text();
  });
  const all = await Promise.all(texts);
  expect(all).toEqual(letters.map((letter, index) => letter.repeat(40 * (1 + index * 1_000))));
});

test.each(['http', 'https'])(
  'a reader that pauses is waited for over %s, and gets every byte',
  async scheme => {
    const origin = scheme === 'http' ? plain : secure;
    largest = 0;
    const { body } = await via(origin).request({ origin, path: '/z/200/100000', method: 'GET' });
    // The server keeps what nobody reads.
    await expect.poll(() => largest).toBeGreaterThan(5_000_000);
    let bytes = 0;
    for await (const part of body) bytes += part.length;
    expect(bytes).toBe(20_000_000);
  },
);

describe('the readers of a socket', () => {
  const sent = Array.from({ length: 200 }, (_, n) => `part ${n};`).join('');
  /** Each collects a socket's bytes in another way. */
  const readers: Record<string, (socket: Socket, add: (part: Buffer) => void) => void> = {
    'read() at readable': (socket, add) => {
      socket.on('readable', () => {
        for (let part = socket.read(); part !== null; part = socket.read()) add(part);
      });
    },
    'read(3) at readable': (socket, add) => {
      socket.on('readable', () => {
        for (let part = socket.read(3); part !== null; part = socket.read(3)) add(part.subarray(0, 3));
      });
    },
    'read() in a later tick': (socket, add) => {
      socket.on('readable', () => {
        void setImmediate().then(() => {
          for (let part = socket.read(); part !== null; part = socket.read()) add(part);
        });
      });
    },
    'read() and read(3) by turns': (socket, add) => {
      let events = 0;
      socket.on('readable', () => {
        const part = events++ % 3 === 2 ? socket.read() : socket.read(3);
        if (part !== null) add(part);
      });
      // There is no event for what is left at the end.
      const rest = setInterval(() => {
        for (let part = socket.read(); part !== null; part = socket.read()) add(part);
      }, 50);
      socket.on('close', () => clearInterval(rest));
    },
    'read() of all but what is put back': (socket, add) => {
      socket.on('readable', () => {
        for (let part = socket.read(); part !== null; part = socket.read()) {
          add(part.subarray(0, 2));
          if (part.length > 2) socket.unshift(part.subarray(2));
        }
      });
    },
    data: (socket, add) => socket.on('data', add),
    'for await': async (socket, add) => {
      for await (const part of socket) add(part);
    },
  };

  test.each(Object.entries(readers))('get every byte in order by %s', async (_name, readAll) => {
    using server = await tcpServer(async socket => {
      for (const part of sent.match(/.{1,40}/g) ?? []) {
        await new Promise(resolve => socket.write(part, resolve));
        await setImmediate();
      }
      socket.end();
    });
    const socket = server.connect();
    const got: Buffer[] = [];
    readAll(socket, part => got.push(part));
    await once(socket, 'close');
    expect(Buffer.concat(got).toString()).toBe(sent);
  });

  test('get nothing of what arrives at another socket', async () => {
    using server = await tcpServer(async socket => {
      socket.write('first');
      await once(socket, 'data');
      socket.write('second');
    });
    using one = server.connect();
    using other = server.connect();
    const texts = (socket: Socket) => once(socket, 'readable').then(() => String(socket.read()));
    expect(await Promise.all([texts(one), texts(other)])).toEqual(['first', 'first']);
    const read = new Promise(resolve =>
      one.on('readable', () => resolve([other.read(), String(one.read())])),
    );
    one.write('next');
    expect(await read).toEqual([null, 'second']);
  });
});

/** A server on a free port; `connect` connects to it as a worker to an upstream. */
async function tcpServer(serve: (socket: Socket) => Promise<void>) {
  const server = createTcpServer(socket => {
    // Clients end by a reset.
    socket.on('error', () => {});
    void serve(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    connect() {
      const socket = connect({ host: '127.0.0.1', port, onread: sharedReads });
      return Object.assign(socket, { [Symbol.dispose]: () => void socket.destroy() });
    },
    [Symbol.dispose]: () => void server.close(),
  };
}
