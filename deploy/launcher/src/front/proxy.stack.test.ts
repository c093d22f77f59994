import { createServer, type RequestListener, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { clientAddress, type Listening, listen, TrustedProxies } from '@model-gateway/service';
import { afterEach, describe, expect, test } from 'vitest';
import { proxyTo } from './proxy.ts';

const open: Listening[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(listening => listening.close()));
});

const clientOf = clientAddress(new TrustedProxies());

async function serve(handler: RequestListener): Promise<string> {
  const listening = await listen(handler, '127.0.0.1', 0);
  open.push(listening);
  return listening.url;
}

const serveBehindProxy = async (handler: RequestListener) => serve(proxyTo(await serve(handler), clientOf));

/** Returns an address at which nothing listens. */
async function nowhere(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

describe('proxyTo', () => {
  test('forwards the raw URI, headers and body, and returns the response', async () => {
    const url = await serveBehindProxy(async (incoming, outgoing) => {
      const seen = { url: incoming.url, header: incoming.headers['x-some'], body: await text(incoming) };
      outgoing.writeHead(201, { 'set-cookie': ['a=1', 'b=2'], 'x-request-id': 'r1' });
      outgoing.end(JSON.stringify(seen));
    });
    const answer = await fetch(`${url}/api/v1/to%2Fkens?a=%20b`, {
      method: 'POST',
      headers: { 'x-some': 'thing' },
      body: 'hello',
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(answer.headers.get('x-request-id')).toBe('r1');
    expect(await answer.json()).toEqual({
      url: '/api/v1/to%2Fkens?a=%20b',
      header: 'thing',
      body: 'hello',
    });
  });

  test('drops hop-by-hop headers', async () => {
    const url = await serveBehindProxy((incoming, outgoing) => outgoing.end(incoming.rawHeaders.join('\n')));
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write(
      'GET /api/x HTTP/1.1\r\nHost: h\r\nConnection: close, X-Mine\r\nX-Mine: 1\r\nTE: trailers\r\nX-Kept: 2\r\n\r\n',
    );
    const answer = await text(socket);
    expect(answer).toContain('X-Kept');
    expect(answer).not.toMatch(/X-Mine|trailers/);
  });

  test('keeps the length of a body, even if Connection names its header', async () => {
    const url = await serveBehindProxy(async (incoming, outgoing) =>
      outgoing.end(`${incoming.headers['content-length']}:${await text(incoming)}`),
    );
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write(
      'GET /api/x HTTP/1.1\r\nHost: h\r\nConnection: close, Content-Length, Transfer-Encoding\r\nContent-Length: 4\r\n\r\nbody',
    );
    expect(await text(socket)).toMatch(/4:body/);
  });

  test("replaces the client's X-Forwarded-For by its address", async () => {
    const url = await serveBehindProxy((incoming, outgoing) =>
      outgoing.end(JSON.stringify(incoming.headersDistinct['x-forwarded-for'])),
    );
    for (const headers of [{}, { 'X-Forwarded-For': '1.1.1.1' }, { Connection: 'x-forwarded-for' }])
      for (const localAddress of ['127.0.0.1', '127.0.0.4']) {
        const sent = request(`${url}/api/x`, { headers, localAddress }).end();
        const answer = await new Promise<string>(resolve =>
          sent.on('response', response => resolve(text(response))),
        );
        expect(JSON.parse(answer)).toEqual([localAddress]);
      }
  });

  test('frames a body of unknown length, whatever the method', async () => {
    const url = await serveBehindProxy(async (incoming, outgoing) => outgoing.end(await text(incoming)));
    const sent = request(`${url}/api/x`, { method: 'DELETE', headers: { 'transfer-encoding': 'chunked' } });
    sent.end('the body');
    const answer = await new Promise<string>(resolve =>
      sent.on('response', response => resolve(text(response))),
    );
    expect(answer).toBe('the body');
  });

  test('streams the response without buffering', async () => {
    const ended = Promise.withResolvers<void>();
    const url = await serveBehindProxy((_incoming, outgoing) => {
      outgoing.write('one');
      ended.promise.then(() => outgoing.end('two'));
    });
    const answer = await fetch(`${url}/api/x`);
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    expect(Buffer.from((await reader.read()).value as Uint8Array).toString()).toBe('one');
    ended.resolve();
    expect(Buffer.from((await reader.read()).value as Uint8Array).toString()).toBe('two');
  });

  test('aborts the request when the client disconnects', async () => {
    const left = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const url = await serveBehindProxy((_incoming, outgoing) => {
      outgoing.on('close', () => left.resolve());
      arrived.resolve();
    });
    const leave = new AbortController();
    const answer = fetch(`${url}/api/x`, { signal: leave.signal }).catch(() => 'aborted');
    await arrived.promise;
    leave.abort();
    expect(await answer).toBe('aborted');
    await left.promise;
  });

  test('does not end a response cleanly if the server closes it early', async () => {
    const url = await serveBehindProxy((_incoming, outgoing) => {
      outgoing.write('half', () => outgoing.destroy());
    });
    const answer = await fetch(`${url}/api/x`);
    await expect(answer.text()).rejects.toThrow();
  });

  test('responds 503 if nothing listens, and 502 if the server closes without a response', async () => {
    const absent = await fetch(`${await serve(proxyTo(await nowhere(), clientOf))}/api/x`);
    expect(absent.status).toBe(503);
    expect(absent.headers.get('retry-after')).toBe('1');
    expect(absent.headers.get('x-request-id')).toBeTruthy();
    expect(absent.headers.get('content-type')).toBe('application/problem+json');
    expect(await absent.json()).toEqual({
      type: 'urn:model-gateway:problem:server_is_overloaded',
      title: 'Server is overloaded',
      status: 503,
      detail: 'The admin API is starting. Try again soon.',
      code: 'server_is_overloaded',
      requestId: absent.headers.get('x-request-id'),
      errors: [],
    });
    const url = await serveBehindProxy((_incoming, outgoing) => outgoing.destroy());
    expect((await fetch(`${url}/api/x`)).status).toBe(502);
  });
});
