import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createGzip, constants as zlib } from 'node:zlib';
import { WebSocket } from 'ws';
import type { AttackedGateway } from './gateway.ts';
import { type Answered, post, postCompressed, type Sent } from './send.ts';

/** An attempt of one token, or of one address, to keep the gateway from all others. */
export interface Attack {
  name: string;
  /** Rejects where the attacker gets another answer than it should. */
  run(gateway: AttackedGateway, attacker: Sent): Promise<void>;
}

const chat = '/v1/chat/completions';
const generate = '/v1beta/models/gemini:generateContent';
const list = (count: number, item: string) => Array(count).fill(item).join(',');
const asking = (model: string, more = '') =>
  `{"model":"${model}"${more},"messages":[{"role":"user","content":"x"}]}`;

function must(name: string, { status, text }: Answered, ...wanted: number[]): void {
  if (!wanted.includes(status)) throw new Error(`${name}: got ${status} ${text.slice(0, 300)}`);
}

/** One body in one request, and the statuses that it may get. */
function body(name: string, path: string, make: () => string, ...wanted: number[]): Attack {
  return {
    name,
    run: async (_gateway, attacker) => must(name, await post(attacker, path, make()), ...wanted),
  };
}

/** Bodies over a bound of JSON, and the largest within all of them. */
const bodies: Attack[] = [
  {
    name: '219 bytes that become 25 MB of tiny values',
    async run(_gateway, attacker) {
      const text = `{"contents":[{"role":"user","parts":[${list(1_900_000, '{"text":"a"}')}]}]}`;
      must('compressed', await postCompressed(attacker, generate, text), 400, 413);
    },
  },
  body(
    '1.1 million messages',
    chat,
    () => `{"model":"gemini","messages":[${list(1_100_000, '{"role":"user","content":"a"}')}]}`,
    400,
    413,
  ),
  body(
    '2.4 million keys',
    chat,
    () => `{"model":"m",${Array.from({ length: 2_400_000 }, (_, i) => `"${i}":1`).join(',')}}`,
    400,
    413,
  ),
  body(
    'a million messages to count',
    '/v1/messages/count_tokens',
    () => `{"model":"m","messages":[${list(900_000, '{"role":"user","content":"a"}')}]}`,
    400,
    413,
  ),
  body(
    'a million items of responses',
    '/v1/responses',
    () => `{"model":"gemini","store":false,"input":[${list(900_000, '{"role":"user","content":"a"}')}]}`,
    400,
    413,
  ),
  body(
    'as many values as are allowed, translated',
    chat,
    () =>
      `{"model":"gemini","messages":[${list(8_000, '{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"a"},{"type":"text","text":"a"}]}')}]}`,
    200,
  ),
  body(
    'as many turns as are allowed, to another format',
    generate.replace('gemini:', 'm:'),
    () => `{"contents":[${list(9_999, '{"role":"user","parts":[{"text":"a"}]}')}]}`,
    200,
  ),
  body(
    'as many token ids as are allowed',
    '/v1/embeddings',
    () => `{"model":"m","input":[${list(2_000, `[${list(146, '12345')}]`)}]}`,
    200,
    502,
  ),
  body(
    'a text of 31 MB, translated',
    chat,
    () => asking('gemini').replace('"x"', `"${'x'.repeat(31_000_000)}"`),
    200,
  ),
  body(
    'a text of 31 MB of escapes, translated',
    chat,
    () => asking('gemini').replace('"x"', `"${'\\n'.repeat(15_500_000)}"`),
    200,
  ),
  body(
    'an image of 20 MB, translated',
    chat,
    () =>
      asking('gemini').replace(
        '"x"',
        `[{"type":"image_url","image_url":{"url":"data:image/png;base64,${'A'.repeat(28_000_000)}"}}]`,
      ),
    200,
  ),
  body(
    'blanks of 31 MB',
    chat,
    () => asking('m').replace(',"messages"', `,${' '.repeat(31_000_000)}"messages"`),
    200,
  ),
  body('a model that a case-blind reader takes', chat, () => asking('m', ',"MODEL":"expensive"'), 400),
];

/** Names that no ledger, metric or message holds. */
const names: Attack[] = [
  {
    name: '400 model names of 14 KB, NUL and half a surrogate pair',
    async run(gateway, attacker) {
      for (const name of ['\\u0000', '\\ud800', '\\udc00x', 'x'.repeat(14_500)])
        for (let i = 0; i < 100; i += 50)
          for (const answer of await Promise.all(
            Array.from({ length: 50 }, () => post(attacker, chat, asking(`fixed/${name}`))),
          ))
            must(name.slice(0, 10), answer, 400);
      await ledgerGoesOn(gateway, attacker);
    },
  },
  {
    name: '500 realtime models that are not there, of 8 KB',
    async run({ ready }, attacker) {
      const url = `${ready.baseUrl.replace('http', 'ws')}/v1/realtime?model=`;
      for (let i = 0; i < 500; i += 50)
        await Promise.all(
          Array.from({ length: 50 }, (_, j) =>
            refusedSocket(`${url}${'x'.repeat(8_000)}${i + j}`, attacker.token),
          ),
        );
      const front = ready.processes.find(({ name }) => name === 'front');
      const metrics = await (await fetch(`${new URL(front?.healthUrl as string).origin}/metrics`)).text();
      if (metrics.length > 1_000_000)
        throw new Error(`the front's metrics are ${metrics.length} characters long`);
    },
  },
];

/** Things that are held open. */
const holds: Attack[] = [
  {
    name: 'nine bodies that inflate to 256 MB and never end',
    async run({ ready }, attacker) {
      const held = Array.from({ length: 9 }, () => dribble(ready.baseUrl, attacker.token));
      await pause(3_000);
      for (const { socket } of held) socket.destroy();
      if (!held.some(({ heard }) => /^HTTP\/1.1 (429|413|408)/.test(heard())))
        throw new Error('nothing was refused');
    },
  },
  {
    name: '1,100 idle realtime sessions',
    async run({ ready }, attacker) {
      const { open, refused } = await idleSockets(
        `${ready.baseUrl.replace('http', 'ws')}/v1/realtime?model=m`,
        attacker.token,
        1_100,
      );
      await pause(1_000);
      for (const socket of open) socket.terminate();
      if (open.length > 1_000 || refused === 0)
        throw new Error(`${open.length} sessions are open, ${refused} were refused`);
    },
  },
  {
    name: '1,700 requests that are never answered',
    async run(_gateway, attacker) {
      const answers = Promise.all(Array.from({ length: 1_700 }, () => leftAfter(attacker, 12_500)));
      const refused = (await answers).filter(status => status === 429).length;
      if (refused < 50) throw new Error(`${refused} of 1,700 requests were refused`);
    },
  },
  {
    name: '2,300 silent connections of one address',
    async run({ ready }) {
      const sockets = Array.from({ length: 2_300 }, () => silent(ready.baseUrl, '127.0.0.2'));
      await pause(2_000);
      const open = sockets.filter(socket => !socket.destroyed && socket.readyState === 'open').length;
      for (const socket of sockets) socket.destroy();
      if (open > 2_000) throw new Error(`${open} connections are open`);
    },
  },
  {
    name: 'stored responses of one project',
    async run(gateway, attacker) {
      // Text that does not compress, so that the ratio of a body is not what refuses it.
      const noise = () => Array.from({ length: 40_000 }, () => Math.random().toString(36).slice(2)).join('');
      let status = 200;
      for (let i = 0; i < 40 && status === 200; i++)
        ({ status } = await post(attacker, '/v1/responses', JSON.stringify({ model: 'm', input: noise() })));
      if (status !== 429) throw new Error(`the last response got ${status}`);
      const bystander = { ...attacker, token: await gateway.token(`bystander-${Date.now()}`) };
      must('bystander', await post(bystander, '/v1/responses', '{"model":"m","input":"x"}'), 200);
    },
  },
];

/** Answers of an upstream that is at fault, or that is honest and has much to say. */
const upstreams: Attack[] = [
  body('an answer of 30 MB of tiny values', chat, () => asking('tiny-values'), 502),
  body('an answer of 60 MB of text', chat, () => asking('one-string'), 200),
  body(
    'an answer of 60 MB of text, translated',
    '/v1/messages',
    () => asking('one-string', ',"max_tokens":10'),
    500,
  ),
  body('a stream of one event of tiny values', chat, () => asking('tiny-event', ',"stream":true'), 502),
  body('a stream of one event of 30 MB', chat, () => asking('one-event', ',"stream":true'), 200),
  body(
    'a stream of one event of 30 MB, translated',
    '/v1/messages',
    () => asking('one-event', ',"stream":true,"max_tokens":10'),
    200,
  ),
  body(
    'a stream of 200,000 events at once, translated',
    '/v1/messages',
    () => asking('many-events', ',"stream":true,"max_tokens":10'),
    200,
  ),
  body(
    '2,048 vectors of 1,536 numbers',
    '/v1/embeddings',
    () => JSON.stringify({ model: 'vectors', input: Array(2_048).fill('a'), encoding_format: 'float' }),
    200,
  ),
  body(
    '2,048 vectors of 1,536 numbers, translated',
    '/v1beta/models/vectors:batchEmbedContents',
    () =>
      JSON.stringify({
        requests: Array(2_048).fill({ model: 'models/vectors', content: { parts: [{ text: 'a' }] } }),
      }),
    200,
  ),
];

export const attacks: readonly Attack[] = [...bodies, ...names, ...holds, ...upstreams];

/** The attacker's own next request is in the ledger within some seconds. */
async function ledgerGoesOn({ ready }: AttackedGateway, attacker: Sent): Promise<void> {
  const name = `fixed/${Date.now()}`;
  must('a good name', await post(attacker, chat, asking(name)), 200);
  const headers = { authorization: `Bearer ${ready.adminToken}` };
  for (const late = Date.now() + 15_000; Date.now() < late; await pause(100)) {
    const { data } = (await (
      await fetch(`${ready.baseUrl}/api/v1/usage?model=${encodeURIComponent(name)}`, { headers })
    ).json()) as {
      data: unknown[];
    };
    if (data.length > 0) return;
  }
  throw new Error('the ledger does not have the request after 15 s');
}

function refusedSocket(url: string, token: string): Promise<void> {
  return new Promise(resolve => {
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
    socket.on('error', () => resolve());
    socket.on('open', () => socket.terminate());
  });
}

async function idleSockets(url: string, token: string, count: number) {
  const open: WebSocket[] = [];
  let refused = 0;
  const one = () =>
    new Promise<void>(resolve => {
      const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
      socket.on('open', () => resolve(void open.push(socket)));
      socket.on('error', () => resolve(void refused++));
    });
  for (let i = 0; i < count; i += 50) await Promise.all(Array.from({ length: 50 }, one));
  return { open, refused };
}

/** A body of 31 MB in some 30 KB that never ends. */
function dribble(baseUrl: string, token: string): { socket: Socket; heard(): string } {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  let heard = '';
  socket.on('error', () => {});
  socket.on('data', data => {
    heard += data;
  });
  socket.write(
    `POST ${chat} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  const gzip = createGzip({ level: 6 });
  gzip.on('data', (data: Buffer) => {
    if (socket.destroyed) return;
    socket.write(`${data.length.toString(16)}\r\n`);
    socket.write(data);
    socket.write('\r\n');
  });
  gzip.write(`{"model":"m","messages":[],"x":"${'a'.repeat(31_000_000)}`);
  gzip.flush(zlib.Z_SYNC_FLUSH);
  return { socket, heard: () => heard };
}

/** The status that a request got that waits so long for its answer and then leaves; 0 for none. */
async function leftAfter({ baseUrl, token }: Sent, ms: number): Promise<number> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  let heard = '';
  socket.on('error', () => {});
  socket.on('data', data => {
    heard += data;
  });
  const text = asking('silent');
  socket.write(
    `POST ${chat} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  );
  await pause(ms);
  socket.destroy();
  return Number(/^HTTP\/1.1 (\d+)/.exec(heard)?.[1] ?? 0);
}

function silent(baseUrl: string, localAddress: string): Socket {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ port: Number(port), host: hostname, localAddress });
  socket.on('error', () => {});
  socket.resume();
  return socket;
}
