import type { RequestListener, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { type Listening, listen } from './listen.ts';

let listening: Listening | undefined;
afterEach(() => listening?.close());

/** Sends raw requests over one connection; returns the bodies of their responses as they are on the wire. */
async function bodies(requests: string, answer: (response: ServerResponse) => void): Promise<string[]> {
  const handler: RequestListener = (_request, response) => answer(response);
  listening = await listen(handler, '127.0.0.1', 0);
  const client = connect(Number(new URL(listening.url).port), '127.0.0.1');
  client.write(requests);
  const responses = (await text(client)).split('HTTP/1.1 200 OK\r\n').slice(1);
  return responses.map(response => response.slice(response.indexOf('\r\n\r\n') + 4));
}

const get = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
const lastGet = 'GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n';
const twenty = 'x'.repeat(20);
const end = '0\r\n\r\n';

test('text and bytes of one turn are one chunk, and the connection serves the next request', async () => {
  const body = `1c\r\nGrüße${twenty}!\r\n${end}`;
  const found = await bodies(get + lastGet, response => {
    response.writeHead(200);
    response.write('Grüße');
    response.write('');
    response.write(Buffer.from(twenty));
    response.end('!');
  });
  expect(found).toEqual([body, body]);
});

test('what a turn writes is one write to the socket', async () => {
  const writes: string[] = [];
  const found = await bodies(lastGet, async response => {
    response.writeHead(200);
    response.write('head and first chunk');
    await turn();
    const write = vi.spyOn(response.socket as Socket, 'write');
    response.write('one');
    response.write(Buffer.from('two'));
    await turn();
    response.write('three');
    await turn();
    writes.push(...write.mock.calls.map(([data]) => String(data)));
    response.end();
  });
  expect(writes).toEqual(['6\r\nonetwo\r\n', '5\r\nthree\r\n']);
  expect(found).toEqual([`14\r\nhead and first chunk\r\n6\r\nonetwo\r\n5\r\nthree\r\n${end}`]);
});

test('a turn that writes much learns at once that the client is slow', async () => {
  const large = 'x'.repeat(8 * 1024);
  let ready = 0;
  const [found = ''] = await bodies(lastGet, response => {
    response.writeHead(200);
    while (response.write(large)) ready++;
    response.end();
  });
  expect(ready).toBeGreaterThan(0);
  expect(ready).toBeLessThan(32);
  expect(found.replaceAll(/[^x]/g, '').length).toBe((ready + 1) * large.length);
});

test('what waits for the end of a turn is dropped if the connection is closed before', async () => {
  const errors: Error[] = [];
  const found = await bodies(get, async response => {
    response.on('error', error => errors.push(error));
    response.writeHead(200);
    response.write('first');
    await turn();
    response.write('second');
    response.destroy();
    await turn();
  });
  expect(found).toEqual(['5\r\nfirst\r\n']);
  expect(errors).toEqual([]);
});

test('encodings and callbacks work as those of Node', async () => {
  const called: string[] = [];
  const found = await bodies(lastGet, response => {
    response.writeHead(200);
    response.write('ff00', 'hex', () => called.push('write'));
    response.write('a', () => called.push('written'));
    response.end('YmM=', 'base64', () => called.push('end'));
  });
  expect(found).toEqual([`2\r\n\ufffd\0\r\n1\r\na\r\n2\r\nbc\r\n${end}`]);
  expect(called.toSorted()).toEqual(['end', 'write', 'written']);
});

test('a response without a head is completed, and so is one that only ends', async () => {
  const found = await bodies(get + lastGet, response => {
    response.write('first');
    response.write('second');
    response.end();
  });
  const body = `5\r\nfirst\r\n6\r\nsecond\r\n${end}`;
  expect(found).toEqual([body, body]);
  await listening?.close();
  const ended = await bodies(lastGet, response => {
    response.writeHead(200, { 'transfer-encoding': 'chunked' });
    response.end();
  });
  expect(ended).toEqual([end]);
});

test('a second end changes nothing', async () => {
  const errors: Error[] = [];
  const found = await bodies(lastGet, response => {
    response.on('error', error => errors.push(error));
    response.writeHead(200);
    response.write('a');
    response.end();
    response.end();
  });
  expect(found).toEqual([`1\r\na\r\n${end}`]);
  expect(errors).toEqual([]);
});

test.each([
  ['a body of known length', lastGet, { 'content-length': 3 }],
  ['a body for a client of HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n', {}],
])('%s is not encoded', async (_name, request, headers) => {
  const found = await bodies(request, response => {
    response.writeHead(200, headers);
    response.write('a');
    response.end('bc');
  });
  expect(found).toEqual(['abc']);
});

test.each([
  ['bytes', Buffer.from('Grüße \u{1f30d}')],
  ['text', 'Grüße \u{1f30d}'],
])('a whole body of %s is one write with its headers', async (_name, body) => {
  const write = vi.spyOn(Socket.prototype, 'write');
  const found = await bodies(get + lastGet, response => {
    response.writeHead(200, { 'content-length': Buffer.byteLength(body) });
    response.end(body);
  });
  const heads = write.mock.calls.filter(([data]) => String(data).startsWith('HTTP/1.1 200'));
  write.mockRestore();
  expect(found).toEqual(['Grüße \u{1f30d}', 'Grüße \u{1f30d}']);
  expect(heads.map(([data]) => String(data).includes('Gr'))).toEqual([true, true]);
});

/** Returns the lines of a response's headers that are not Node's own. */
async function headers(answer: (response: ServerResponse) => void): Promise<string[]> {
  listening = await listen((_request, response) => answer(response), '127.0.0.1', 0);
  const client = connect(Number(new URL(listening.url).port), '127.0.0.1');
  client.write(lastGet);
  const [head = ''] = (await text(client)).split('\r\n\r\n');
  return head.split('\r\n').filter(line => /^(x-|set-cookie|HTTP)/i.test(line));
}

test('headers that are set are sent once, and the last value of a name counts', async () => {
  const found = await headers(response => {
    response.setHeader('x-a', 1).setHeader('x-b', 'two').setHeader('x-a', 'one');
    response.writeHead(201, { 'x-b': 'b', 'x-c': 3, 'set-cookie': ['a=1', 'b=2'] });
    expect(() => response.setHeader('x-late', 'no')).toThrow('after they are sent');
    response.end();
  });
  expect(found).toEqual([
    ...['HTTP/1.1 201 Created', 'x-content-type-options: nosniff', 'x-a: one', 'x-b: b', 'x-c: 3'],
    ...['set-cookie: a=1', 'set-cookie: b=2'],
  ]);
});

test('a list of headers keeps each of its names, with a reason of its own', async () => {
  const list = ['X-Content-Type-Options', 'none', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'];
  const found = await headers(response =>
    response.setHeader('x-a', 'one').writeHead(200, 'Fine', list).end(),
  );
  expect(found).toEqual([
    ...['HTTP/1.1 200 Fine', 'x-a: one', 'X-Content-Type-Options: none'],
    ...['Set-Cookie: a=1', 'Set-Cookie: b=2'],
  ]);
});

test('headers are sent with a body without writeHead', async () => {
  expect(await headers(response => response.setHeader('x-a', 'one').end('body'))).toEqual([
    ...['HTTP/1.1 200 OK', 'x-content-type-options: nosniff', 'x-a: one'],
  ]);
});
