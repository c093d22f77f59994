import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createGzip, constants as zlib } from 'node:zlib';
import { WebSocket } from 'ws';
import { type Attack, asking, chat, must } from './attack.ts';
import { post, type Sent } from './send.ts';

/** Attacks that hold something open. */
export const holds: Attack[] = [
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
      if (open.length < 900 || open.length > 1_000 || refused === 0)
        throw new Error(`${open.length} sessions are open, ${refused} were refused`);
    },
  },
  {
    name: '1,700 requests that are never answered',
    async run(_gateway, attacker) {
      // On a busy machine, requests wait longer than the time to queue before they are refused.
      const leave = new AbortController();
      const late = setTimeout(() => leave.abort(), 60_000);
      let refused = 0;
      const ask = async () => {
        if ((await untilLeft(attacker, leave.signal)) === 429 && ++refused === 50) leave.abort();
      };
      await Promise.all(Array.from({ length: 1_700 }, ask));
      clearTimeout(late);
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
      if (open < 1_900 || open > 2_000) throw new Error(`${open} connections are open`);
    },
  },
  {
    name: 'stored responses of one project',
    async run(gateway, { baseUrl }) {
      // A new project with an empty store.
      const attacker = { baseUrl, token: await gateway.token(`filler-${Date.now()}`) };
      // Incompressible text, so that the body is not refused for its compression ratio.
      const noise = () => Array.from({ length: 40_000 }, () => Math.random().toString(36).slice(2)).join('');
      const stored: string[] = [];
      let answer = { status: 200, text: '' };
      for (let i = 0; i < 40 && answer.status === 200; i++) {
        answer = await post(attacker, '/v1/responses', JSON.stringify({ model: 'm', input: noise() }));
        stored.push(...(/"id":"(resp_[^"]+)"/.exec(answer.text)?.slice(1) ?? []));
      }
      if (answer.status !== 429) throw new Error(`the last response got ${answer.status} ${answer.text}`);
      const bystander = { ...attacker, token: await gateway.token(`bystander-${Date.now()}`) };
      must('bystander', await post(bystander, '/v1/responses', '{"model":"m","input":"x"}'), 200);
      // Empties the store for the next attack.
      const headers = { authorization: `Bearer ${attacker.token}` };
      for (const id of stored) await fetch(`${baseUrl}/v1/responses/${id}`, { method: 'DELETE', headers });
    },
  },
];

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

/** A body of 31 MB, compressed to some 30 KB, that never ends. */
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

/** The status of the response to a request whose client waits until it comes or `leave` aborts; 0 for none. */
async function untilLeft({ baseUrl, token }: Sent, leave: AbortSignal): Promise<number> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  const text = asking('silent');
  const { promise, resolve } = Promise.withResolvers<number>();
  socket.on('error', () => {});
  socket.on('close', () => resolve(0));
  socket.once('data', data => resolve(Number(/^HTTP\/1.1 (\d+)/.exec(String(data))?.[1] ?? 0)));
  leave.addEventListener('abort', () => resolve(0), { once: true });
  socket.write(
    `POST ${chat} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  );
  const status = await promise;
  socket.destroy();
  return status;
}

function silent(baseUrl: string, localAddress: string): Socket {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ port: Number(port), host: hostname, localAddress });
  socket.on('error', () => {});
  socket.resume();
  return socket;
}
