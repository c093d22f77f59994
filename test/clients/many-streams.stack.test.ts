import { PassingTime } from '@model-gateway/bus/testing/passing-time';
import { ManualClock } from '@model-gateway/clock/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { clients } from '../conformance/grid/clients/index.ts';
import { type FourUpstreams, startFourUpstreams, type Upstream, upstreams } from './four-upstreams.ts';

const pace = new ManualClock();
/** Passes more slowly on a busy machine, so that nobody gives up. */
const time = new PassingTime();
let gateway: FourUpstreams;

beforeAll(async () => {
  gateway = await startFourUpstreams({ pace, time });
});
afterAll(() => gateway?.stop());

const total = 1_000;

const ways = upstreams.flatMap(client => upstreams.map(upstream => [client, upstream] as const));
const marks: Record<Upstream, RegExp> = {
  chat: /data: \[DONE\]\n\n$/,
  messages: /data: \{"type":"message_stop"\}\n\n$/,
  'generate-content': /^data: .*"finishReason":"STOP".*\n\n$/m,
  responses: /event: response.completed\ndata: .*\n\n(?:data: \[DONE\]\n\n)?$/,
};

const ask = { turns: [{ role: 'user' as const, content: [{ text: 'Hi' }] }], maxTokens: 50 };

function post(client: Upstream, model: string, stream: boolean, signal?: AbortSignal): Promise<Response> {
  const { path, body } = clients[client].request(ask, model, stream);
  return fetch(gateway.stack.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${gateway.stack.token}`,
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}

/** Reads a stream to its end. */
async function read(client: Upstream, upstream: Upstream) {
  const response = await post(client, `${upstream}/sim-t5-i200ms`, true);
  let text = '';
  for await (const piece of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += piece;
  }
  return { status: response.status, whole: marks[client].test(text) };
}

test('a thousand concurrent streams, translated and not, end complete', async () => {
  const asked = ways.flatMap(way =>
    Array.from({ length: Math.ceil(total / ways.length) }, () => read(...way)),
  );
  // Each waits for its first piece.
  await time.during(vi.waitFor(() => expect(pace.waiting).toBe(asked.length), { timeout: 60_000 }));
  pace.jump(1_000);
  const answers = await time.during(Promise.all(asked));
  expect(answers.filter(({ status, whole }) => status !== 200 || !whole)).toEqual([]);
});

/** Leaves before the first byte, and returns once the upstream's connection is closed. */
async function leave(client: Upstream, upstream: Upstream, stream: boolean): Promise<void> {
  const stats = async (): Promise<{ requests: number; cancelled: number }> =>
    (await fetch(`${gateway.simulator.url}/stats`)).json() as never;
  const { requests, cancelled } = await stats();
  const leaving = new AbortController();
  const answer = post(client, `${upstream}/fault-hang`, stream, leaving.signal);
  answer.catch(() => {});
  await expect.poll(stats).toMatchObject({ requests: requests + 1 });
  leaving.abort();
  await expect.poll(stats, { interval: 20 }).toMatchObject({ cancelled: cancelled + 1 });
}

test.each(ways)(
  'a client of %s that disconnects before the first byte closes an upstream of %s',
  async (client, upstream) => {
    for (const stream of [true, false]) await time.during(leave(client, upstream, stream));
  },
);
