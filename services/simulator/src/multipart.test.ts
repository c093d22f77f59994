import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type Part, readParts, readWhole } from './multipart.ts';
import { toRefusal } from './refusal.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** Serves what `read` makes of a form, or what is thrown, as JSON. */
async function serve(read: (request: IncomingMessage) => Promise<unknown>): Promise<string> {
  const server = createServer(async (request, response) => {
    const answer = await read(request).catch(error => {
      const { status, message, param } = toRefusal(error);
      return { status, message, param };
    });
    response.end(JSON.stringify(answer));
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

async function all(request: IncomingMessage): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const part of readParts(request)) seen.push(await shown(part));
  return seen;
}

async function shown(part: Part): Promise<unknown> {
  if (part.kind === 'field') return [part.name, part.value];
  const { name, filename, type } = part;
  return [name, filename, type, (await readWhole(part, 100_000)).toString()];
}

function formOf(...parts: [name: string, value: string | File][]): FormData {
  const form = new FormData();
  for (const [name, value] of parts) form.append(name, value);
  return form;
}

const send = async (url: string, body: FormData | string, type?: string) =>
  (await fetch(url, { method: 'POST', body, ...(type && { headers: { 'content-type': type } }) })).json();
const file = (text: string, name = 'ä.png') => new File([text], name, { type: 'image/png' });

test('parts come in their order, with the bytes of files', async () => {
  const form = formOf(
    ['model', 'one'],
    ['image[]', file('a'.repeat(90_000))],
    ['image[]', file('b', 'b.png')],
    ['prompt', 'größer'],
  );
  expect(await send(await serve(all), form)).toEqual([
    ['model', 'one'],
    ['image[]', 'ä.png', 'image/png', 'a'.repeat(90_000)],
    ['image[]', 'b.png', 'image/png', 'b'],
    ['prompt', 'größer'],
  ]);
});

test('what is not read of a file is skipped', async () => {
  const names = async (request: IncomingMessage) => {
    const seen: string[] = [];
    for await (const part of readParts(request)) {
      seen.push(part.name);
      if (part.name === 'half' && part.kind === 'file') for await (const _ of part.bytes) break;
    }
    return seen;
  };
  const large = file('x'.repeat(3_000_000));
  const form = formOf(['none', large], ['half', large], ['last', 'here']);
  expect(await send(await serve(names), form)).toEqual(['none', 'half', 'last']);
});

test('who stops early can answer, and the rest is discarded', async () => {
  const first = async (request: IncomingMessage) => {
    for await (const part of readParts(request)) return part.name;
    return null;
  };
  const url = await serve(first);
  const form = formOf(['model', 'one'], ['file', file('x'.repeat(20_000_000))]);
  expect(await send(url, form)).toBe('model');
});

test('a file that is too large is refused by its name', async () => {
  const form = formOf(['image', file('x'.repeat(100_001))]);
  expect(await send(await serve(all), form)).toMatchObject({ status: 413, param: 'image' });
});

const part = (disposition: string, value: string) =>
  `--a\r\nContent-Disposition: ${disposition}\r\n\r\n${value}\r\n`;
const end = '--a--\r\n';

test.each([
  ['text/plain', 'x', /^Unsupported content type: 'text\/plain'/],
  ['multipart/form-data', 'x', /no boundary/],
  ['multipart/form-data; boundary=a', 'x', /unexpected end of form/],
  ['multipart/form-data; boundary=a', '--a\r\nno header\r\n\r\nx\r\n--a--', /malformed part header/],
  ['multipart/form-data; boundary=a', part('form-data', 'x') + end, /has no name/],
  ['multipart/form-data; boundary=a', part('form-data; name="f"; filename="f"', 'x'), /unexpected end of f/],
  [
    'multipart/form-data; boundary=a',
    part('form-data; name="f"', 'x'.repeat(2 * 1_024 * 1_024)) + end,
    /'f' is longer/,
  ],
  [
    'multipart/form-data; boundary=a',
    part('form-data; name="f"', 'x').repeat(101) + end,
    /more than 100 parts/,
  ],
])('%s is refused: %.40j', async (type, body, message) => {
  const refused = await send(await serve(all), body, type);
  expect(refused).toEqual({ status: 400, message: expect.stringMatching(message), param: null });
});

test('a client that leaves in a file ends the reading', async () => {
  let ended: unknown;
  const url = await serve(async request => {
    ended = await all(request).catch(error => error);
  });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(
    `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: multipart/form-data; boundary=a\r\ncontent-length: 1000000\r\n\r\n`,
  );
  socket.write('--a\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nsome');
  await new Promise(resolve => setTimeout(resolve, 50));
  expect(ended).toBeUndefined();
  socket.destroy();
  await expect.poll(() => ended).toMatchObject({ message: expect.stringMatching(/client left/) });
});

test('a file that nobody reads holds the client up', async () => {
  let go = () => {};
  const url = await serve(async request => {
    let size = 0;
    for await (const part of readParts(request)) {
      if (part.kind === 'field') continue;
      await new Promise<void>(resolve => (go = resolve));
      for await (const chunk of part.bytes) size += chunk.length;
    }
    return size;
  });
  const request = httpRequest(url, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=a' },
  });
  request.write('--a\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n');
  const chunk = Buffer.alloc(1_024 * 1_024);
  let sent = 0;
  while (sent < 64 && (request.write(chunk) || (await drained(request)))) sent++;
  expect(sent).toBeLessThan(32);
  request.end('\r\n--a--\r\n');
  go();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const [body] = await once(response, 'data');
  expect(Number(body)).toBe((sent + 1) * chunk.length);
});

/** Whether a request takes more within a while. */
function drained(request: NodeJS.EventEmitter): Promise<boolean> {
  return Promise.race([
    once(request, 'drain').then(() => true),
    new Promise<boolean>(resolve => setTimeout(resolve, 300, false)),
  ]);
}
