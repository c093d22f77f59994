import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Fleet, type FleetProcess, residentBytes } from './fleet.ts';

const mb = 1_000_000;
/** The largest growth of a process, for an upload of any size. */
const growth = 150 * mb;

/**
 * An upstream whose responses and pace a test sets; by default it reads all and returns the number of bytes.
 */
type Script = (request: IncomingMessage, response: ServerResponse) => Promise<void>;
const answered: Script = async (request, response) => {
  let size = 0;
  for await (const chunk of request) size += chunk.length;
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ text: String(size) }));
};
let script: Script = answered;
const upstream = createServer((request, response) => {
  request.on('error', () => {});
  script(request, response).catch(() => {});
});

let fleet: Fleet;
let front: FleetProcess;
beforeAll(async () => {
  await new Promise<void>(resolve => upstream.listen(0, '127.0.0.1', resolve));
  const { port } = upstream.address() as AddressInfo;
  fleet = await Fleet.start({
    catalog: simulator => `providers:
  - { name: simulator, kind: openai-compatible, baseUrl: "${simulator}/v1" }
  - { name: scripted, kind: openai-compatible, baseUrl: "http://127.0.0.1:${port}/v1" }
models:
  - { name: "sim-*", targets: [ { provider: simulator, model: "sim-*" } ] }
  - { name: scripted, targets: [ { provider: scripted, model: up } ] }
`,
  });
  [front] = fleet.fronts as [FleetProcess];
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  upstream.close().closeAllConnections();
});

interface Upload {
  model: string;
  bytes: number;
  /** True if the request has a content length. */
  announced?: boolean;
  to?: FleetProcess;
  /** Milliseconds between two pieces. */
  paceMs?: number;
}

interface Answered {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
}

const piece = Buffer.alloc(64 * 1024, 'x');

/** Sends a form whose file is generated while it is sent. */
async function upload({ model, bytes, announced = true, to = front, paceMs = 0 }: Upload): Promise<Answered> {
  const part = (name: string) => `--xyz\r\nContent-Disposition: form-data; name="${name}"`;
  const head = `${part('model')}\r\n\r\n${model}\r\n${part('file')}; filename="a.mp3"\r\n\r\n`;
  const end = '\r\n--xyz--\r\n';
  async function* body() {
    yield Buffer.from(head);
    for (let left = bytes; left > 0; left -= piece.length) {
      yield piece.subarray(0, left);
      if (paceMs) await sleep(paceMs);
    }
    yield Buffer.from(end);
  }
  const sent = request(`${to.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${fleet.token}`,
      'content-type': 'multipart/form-data; boundary=xyz',
      ...(announced && { 'content-length': head.length + bytes + end.length }),
    },
  });
  const answer = once(sent, 'response') as Promise<[IncomingMessage]>;
  // Continues to send after an early response.
  pipeline(Readable.from(body()), sent).catch(() => {});
  const [response] = await answer;
  const text = (await response.setEncoding('utf8').toArray()).join('');
  return { status: response.statusCode ?? 0, headers: response.headers, body: text };
}

const heard = ({ status, body }: Answered) => [status, JSON.parse(body).text ?? body];

/** The number of uploads that a process has on disk. */
function spooled({ pid }: FleetProcess): number {
  const files = readdirSync(`/proc/${pid}/fd`).map(fd => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return files.filter(path => path.includes('gateway-upload-')).length;
}

/** The largest growth of each process during an action. */
async function grown(act: () => Promise<unknown>): Promise<Record<string, number>> {
  const [worker] = fleet.workers;
  const watched = { front, worker, simulator: fleet.simulator, nats: fleet.nats } as Record<
    string,
    { pid: number }
  >;
  const before = Object.entries(watched).map(([name, each]) => [name, each, residentBytes(each)] as const);
  const most: Record<string, number> = {};
  const look = () => {
    for (const [name, each, bytes] of before)
      most[name] = Math.max(most[name] ?? 0, residentBytes(each) - bytes);
  };
  const timer = setInterval(look, 10);
  try {
    await act();
  } finally {
    clearInterval(timer);
  }
  look();
  return most;
}

function expectBounded(most: Record<string, number>): void {
  const over = Object.entries(most).filter(([, bytes]) => bytes > growth);
  expect(over).toEqual([]);
  expect(Object.keys(most)).toEqual(['front', 'worker', 'simulator', 'nats']);
}

describe('an upload of 200 MB', () => {
  test.each([true, false])(
    'an upload of 200 MB is never whole in memory; length announced: %s',
    async announced => {
      await upload({ model: 'sim-t5', bytes: mb });
      const most = await grown(async () => {
        const answer = await upload({ model: 'sim-t5', bytes: 200 * mb, announced });
        expect(answer.status).toBe(200);
      });
      expectBounded(most);
      await expect.poll(() => spooled(front)).toBe(0);
    },
  );

  test('an upload of 200 MB reaches its upstream to the last byte', async () => {
    script = answered;
    const answer = await upload({ model: 'scripted', bytes: 200 * mb });
    const [status, size] = heard(answer);
    expect(status).toBe(200);
    // The gateway writes the form around the file itself.
    expect(Number(size) - 200 * mb).toBeLessThan(500);
    expect(Number(size)).toBeGreaterThan(200 * mb);
  });
});

test('twenty concurrent uploads to a slow upstream take little memory', async () => {
  // Reads a piece every 20 ms, so that all twenty uploads run for that time.
  script = async (request, response) => {
    let size = 0;
    for await (const chunk of request) {
      size += chunk.length;
      await sleep(20);
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ text: `${size}` }));
  };
  let atOnce = 0;
  const most = await grown(async () => {
    const uploads = Array.from({ length: 20 }, () => upload({ model: 'scripted', bytes: 10 * mb }));
    const watch = setInterval(() => {
      atOnce = Math.max(atOnce, spooled(front));
    }, 50);
    const answers = await Promise.all(uploads);
    clearInterval(watch);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });
  expectBounded(most);
  expect(atOnce).toBe(20);
  await expect.poll(() => spooled(front)).toBe(0);
});

test('a worker killed while it receives a form is replaced without an error for the client', async () => {
  const [first] = fleet.workers as [FleetProcess];
  const begun = Promise.withResolvers<void>();
  let asked = 0;
  script = async (request, response) => {
    if (++asked > 1) return answered(request, response);
    await once(request, 'data');
    request.pause();
    begun.resolve();
  };
  const answer = upload({ model: 'scripted', bytes: 20 * mb });
  await begun.promise;
  await fleet.startWorker();
  await first.kill();
  const [status, size] = heard(await answer);
  expect([status, asked]).toEqual([200, 2]);
  expect(Number(size)).toBeGreaterThan(20 * mb);
  fleet.workers.shift();
});
