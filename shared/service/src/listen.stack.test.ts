import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { type Listening, listen, toOriginForm } from './listen.ts';

const opened: Listening[] = [];
afterEach(() => Promise.all(opened.splice(0).map(listening => listening.close())));

/** Answers `status` at once and does not read the body. */
function refuse(status: number): RequestListener {
  return (_request, response) => void response.writeHead(status).end('No.');
}

/** Connects to a server with this handler; `answered` collects the bytes that it sends. The client may send after them. */
async function connected(handler: RequestListener) {
  const server = await listen(handler, '127.0.0.1', 0);
  opened.push(server);
  const port = Number(new URL(server.url).port);
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let answered = '';
  client.on('data', chunk => {
    answered += chunk;
  });
  await once(client, 'connect');
  return { server, client, answered: () => answered };
}

function post(client: Socket, length: number, connection: 'close' | 'keep-alive'): void {
  client.write(
    `POST / HTTP/1.1\r\nhost: gateway\r\nconnection: ${connection}\r\ncontent-length: ${length}\r\n\r\n`,
  );
}

/** Sends bytes in ten pieces, each once the one before has left. */
async function sendInPieces(client: Socket, length: number): Promise<void> {
  for (let piece = 0; piece < 10; piece += 1) {
    await new Promise(resolve => client.write(Buffer.alloc(length / 10), resolve));
    await setImmediate();
  }
}

test('a client that sends its body slowly and closes after it reads its refusal', async () => {
  const { client, answered } = await connected(refuse(413));
  const failed: Error[] = [];
  client.on('error', error => failed.push(error));
  const ended = once(client, 'end');
  const refused = once(client, 'data');
  post(client, 1_000_000, 'close');
  await refused;
  await sendInPieces(client, 1_000_000);
  await ended;
  expect(failed).toEqual([]);
  expect(answered()).toMatch(/^HTTP\/1\.1 413 [\s\S]*No\./);
});

test('a request that took too long is cut', async () => {
  const { client, answered } = await connected(refuse(408));
  const cut = once(client, 'error');
  post(client, 1_000_000, 'close');
  // A client that sends to a closed connection before it has read the answer may lose it.
  await expect.poll(answered).toMatch(/^HTTP\/1\.1 408 /);
  await sendInPieces(client, 100_000);
  await cut;
});

test('a server that closes does not wait for a refused body', async () => {
  const { server, client } = await connected(refuse(413));
  post(client, 1_000_000, 'close');
  await once(client, 'data');
  await server.close();
  client.destroy();
});

test('a connection that outlived a refused body is closed after its last response', async () => {
  const { client, answered } = await connected(refuse(413));
  const ended = once(client, 'end');
  post(client, 1_000, 'keep-alive');
  await once(client, 'data');
  client.write(Buffer.alloc(1_000));
  post(client, 0, 'close');
  await ended;
  expect(answered().match(/HTTP\/1\.1 413 /g)).toHaveLength(2);
});

test('a connection with many refused bodies keeps only the last of their requests', async () => {
  const ends = new Set<unknown>();
  const { client, answered } = await connected((_request, response) => {
    const { socket } = response;
    response.on('finish', () => ends.add(socket?.destroySoon));
    response.writeHead(413).end('No.');
  });
  for (let i = 1; i <= 3; i++) {
    post(client, 4, 'keep-alive');
    await expect.poll(() => answered().split('No.').length - 1).toBe(i);
    client.write('body');
  }
  client.destroy();
  expect(ends.size).toBe(1);
});

test('a request line with a whole URL is handled by its path, also for an upgrade', async () => {
  const seen: unknown[] = [];
  const server = await listen(
    (request, response) => {
      seen.push(request.url);
      response.end();
    },
    '127.0.0.1',
    0,
    {
      upgrade(request, socket) {
        seen.push(request.url);
        socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n');
      },
    },
  );
  opened.push(server);
  for (const upgrade of ['', 'connection: upgrade\r\nupgrade: websocket\r\n']) {
    const client = connect(Number(new URL(server.url).port), '127.0.0.1');
    client.end(`GET http://gateway/v1/x?a=b HTTP/1.1\r\nhost: gateway\r\n${upgrade}\r\n`);
    await once(client.resume(), 'end');
  }
  expect(seen).toEqual(['/v1/x?a=b', '/v1/x?a=b']);
});

test.each([
  ['/v1/models?a=b', '/v1/models?a=b'],
  ['http://gw.example/v1/models?a=b', '/v1/models?a=b'],
  ['HTTPS://gw.example:8443/v1/responses', '/v1/responses'],
  ['http://user:pass@[::1]:8080/v1beta/models/a%2Fb:countTokens', '/v1beta/models/a%2Fb:countTokens'],
  ['http://gw.example', '/'],
  ['http://gw.example?a=b', '/?a=b'],
  ['*', '*'],
  ['/http://gw.example/x', '/http://gw.example/x'],
  ['//v1/models', '//v1/models'],
])('the target %s is read as %s', (url, expected) => {
  const request = { url };
  toOriginForm(request);
  expect(request.url).toBe(expected);
});
