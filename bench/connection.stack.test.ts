import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createRawServer, type Server as RawServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Connection } from './connection.ts';

const servers: (Server | RawServer)[] = [];
const connections: Connection[] = [];
afterEach(() => {
  for (const connection of connections.splice(0)) connection.close();
  for (const server of servers.splice(0)) server.close();
});

const request = Buffer.from('GET / HTTP/1.1\r\nHost: here\r\n\r\n');

async function connected(server: Server | RawServer): Promise<Connection> {
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  const connection = await Connection.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  connections.push(connection);
  return connection;
}

const http = (listener: RequestListener) => connected(createServer(listener));
const raw = (text: string) =>
  connected(createRawServer(socket => socket.once('data', () => socket.end(text))));

test('responses with a length and chunked ones are read one after another on one connection', async () => {
  const long = 'ä🚀'.repeat(100_000);
  let count = 0;
  const connection = await http((_request, response) => {
    if (++count === 1) response.end(long);
    else {
      response.writeHead(201);
      for (const piece of ['a\r\n', '0\r\n\r\n', long]) response.write(piece);
      response.end();
    }
  });
  expect(await connection.send(request)).toMatchObject({ status: 200, body: long });
  expect(await connection.send(request)).toMatchObject({ status: 201, body: `a\r\n0\r\n\r\n${long}` });
});

test('a response may arrive byte by byte, and the time of its first byte is measured', async () => {
  const answer =
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\nhello world\r\n3\r\n...\r\n0\r\n\r\n';
  const connection = await connected(
    createRawServer(socket => {
      socket.setNoDelay().once('data', async () => {
        for (const byte of answer) {
          socket.write(byte);
          await new Promise(resolve => setTimeout(resolve, 1));
        }
      });
    }),
  );
  const { body, firstAt, endedAt } = await connection.send(request);
  expect(body).toBe('hello world...');
  expect(endedAt - firstAt).toBeGreaterThan(10);
});

test.each([
  ['a cut answer', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel', 'closed the connection'],
  ['a cut chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel', 'closed the connection'],
  ['too much', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello', 'more bytes'],
  ['no length', 'HTTP/1.1 200 OK\r\n\r\nhello', 'no length'],
])('an invalid response is an error: %s', async (_, text, why) => {
  const connection = await raw(text);
  await expect(connection.send(request)).rejects.toThrow(why);
});
