import { setTimeout as sleep } from 'node:timers/promises';
import { type NatsServer, startNats } from '@model-gateway/bus/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Fleet, type FleetProcess, untilReady } from './fleet.ts';

/** Answers for about three seconds. */
const slow = 'sim-t150-i20ms';
const question = 'What is a gateway?';

let nats: NatsServer;
let fleet: Fleet;
beforeAll(async () => {
  nats = await startNats();
  fleet = await Fleet.start({ natsUrl: nats.url, workers: 2, fronts: 2 });
});
afterAll(async () => {
  await fleet[Symbol.asyncDispose]();
  await nats.stop();
});

const front = () => fleet.fronts.find(({ running }) => running) as FleetProcess;

function ask(path: string, body?: unknown, at = front()): Promise<Response> {
  return fetch(`${at.url}/v1/responses${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${fleet.token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(90_000),
  });
}

interface Answer {
  id: string;
  status: string;
  error: unknown;
  incomplete_details: unknown;
  output: { content?: { text?: string }[] }[];
}

const textOf = ({ output }: Answer) =>
  output.map(({ content = [] }) => content.map(({ text = '' }) => text).join('')).join('');

/** Asks again while the gateway is not there. */
async function retrieve(id: string): Promise<Answer> {
  for (const giveUp = Date.now() + 30_000; ; await sleep(100)) {
    const response = await ask(`/${id}`).catch(() => undefined);
    if (response?.ok) return (await response.json()) as Answer;
    if (Date.now() > giveUp) throw new Error(`not there: ${response?.status} ${await response?.text()}`);
  }
}

async function untilOver(id: string): Promise<Answer> {
  for (const giveUp = Date.now() + 60_000; ; await sleep(100)) {
    const answer = await retrieve(id);
    if (answer.status !== 'queued' && answer.status !== 'in_progress') return answer;
    if (Date.now() > giveUp) throw new Error(`still ${answer.status}`);
  }
}

/** What came of a stream until it had so many events, its end, or the end of the connection. */
async function readStream(response: Response, events = Number.POSITIVE_INFINITY): Promise<string> {
  if (!response.ok || !response.body) throw new Error(`status ${response.status}: ${await response.text()}`);
  let text = '';
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      text += value;
      if (text.split('\n\n').length > events) {
        await reader.cancel();
        break;
      }
    }
  } catch {
    // The connection was cut.
  }
  // An event that did not come whole counts for nothing, as it does for a client.
  return text.slice(0, text.lastIndexOf('\n\n') + 2).replaceAll(': ping\n\n', '');
}

const lastNumber = (text: string) => Number([...text.matchAll(/"sequence_number":(\d+)/g)].at(-1)?.[1] ?? -1);
const deltas = (text: string) =>
  [...text.matchAll(/^data: (\{"type":"response\.output_text\.delta".*)$/gm)]
    .map(([, data]) => JSON.parse(data ?? '{}').delta)
    .join('');

/** Reads on from where a text ends, again and again until the stream is over. */
async function resume(id: string, text: string): Promise<string> {
  let all = text;
  for (const giveUp = Date.now() + 60_000; !/\[DONE\]|event: response\.failed/.test(all); await sleep(100)) {
    if (Date.now() > giveUp) throw new Error(`no end after ${all.slice(-500)}`);
    const after = all === '' ? '' : `&starting_after=${lastNumber(all)}`;
    const more = await ask(`/${id}?stream=true${after}`)
      .then(response => readStream(response))
      .catch(() => '');
    all += more;
  }
  return all;
}

async function direct(model: string): Promise<string> {
  const response = await ask('', { model, input: question, store: false });
  return textOf((await response.json()) as Answer);
}

/** What is killed, and what takes its place. */
const losses: Record<string, () => Promise<void>> = {
  async 'every worker'() {
    await Promise.all(fleet.workers.splice(0).map(worker => worker.kill()));
    await Promise.all([fleet.startWorker(), fleet.startWorker()]);
  },
  async 'every ingress'() {
    await Promise.all(fleet.fronts.splice(0).map(each => each.kill()));
    await Promise.all([fleet.startFront(), fleet.startFront()]);
    await Promise.all(fleet.fronts.map(each => untilReady(each)));
  },
  async control() {
    await fleet.control.kill();
    await sleep(500);
    await fleet.startControl();
  },
  async 'NATS, whose files stay'() {
    await nats.restart();
  },
  async 'everything but NATS'() {
    const lost = [...fleet.workers.splice(0), ...fleet.fronts.splice(0), fleet.control];
    await Promise.all(lost.map(each => each.kill()));
    await fleet.startControl();
    await Promise.all([fleet.startWorker(), fleet.startWorker(), fleet.startFront(), fleet.startFront()]);
    await Promise.all(fleet.fronts.map(each => untilReady(each)));
  },
};

describe.each(Object.entries(losses))('what is in the background outlives %s', (_name, lose) => {
  test('a response', async () => {
    const created = await ask('', { model: slow, input: question, background: true });
    const { id } = (await created.json()) as Answer;
    await expect.poll(async () => (await retrieve(id)).status).toBe('in_progress');
    await sleep(500);
    await lose();
    const over = await untilOver(id);
    expect(over).toMatchObject({ id, status: 'completed', error: null });
    expect(textOf(over)).toBe(await direct(slow));
  }, 120_000);

  test('a stream that is resumed', async () => {
    const request = { model: slow, input: question, background: true, stream: true };
    const begun = await readStream(await ask('', request), 20);
    const id = /"id":"(resp_\w+)"/.exec(begun)?.[1] as string;
    const following = ask(`/${id}?stream=true&starting_after=${lastNumber(begun)}`).then(response =>
      readStream(response),
    );
    following.catch(() => {});
    await sleep(300);
    await lose();
    const all = await resume(id, begun + (await following.catch(() => '')));
    const numbers = [...all.matchAll(/"sequence_number":(\d+)/g)].map(([, n]) => Number(n));
    expect(numbers).toEqual(numbers.map((_, i) => i));
    expect(all).toContain('event: response.completed');
    expect(deltas(all)).toBe(await direct(slow));
    expect(await resume(id, '')).toBe(all);
    expect(textOf(await retrieve(id))).toBe(deltas(all));
  }, 120_000);
});

test('a cancelled response stays so, whoever is asked', async () => {
  const [one, other] = fleet.fronts as [FleetProcess, FleetProcess];
  const created = await ask('', { model: 'sim-t1000-i20ms', input: question, background: true }, one);
  const { id } = (await created.json()) as Answer;
  await expect.poll(async () => (await retrieve(id)).status).toBe('in_progress');
  const cancelled = await ask(`/${id}/cancel`, {}, other);
  expect(await cancelled.json()).toMatchObject({ id, status: 'cancelled' });
  expect(await (await ask(`/${id}`, undefined, one)).json()).toMatchObject({ status: 'cancelled' });
  await expect.poll(async () => (await fleet.stats()).streams, { timeout: 5_000 }).toBe(0);
});

test('what is kept is there at once at another ingress', async () => {
  const [one, other] = fleet.fronts as [FleetProcess, FleetProcess];
  for (let i = 0; i < 20; i++) {
    const stream = await readStream(
      await ask('', { model: 'sim-fast', input: `Number ${i}`, stream: true }, one),
    );
    const id = /"id":"(resp_\w+)"/.exec(stream)?.[1] as string;
    const next = await ask('', { model: 'sim-fast', input: 'More', previous_response_id: id }, other);
    expect(next.status).toBe(200);
  }
});

test('a stream in the foreground whose ingress was lost can be read again, and failed', async () => {
  const [one, other] = fleet.fronts as [FleetProcess, FleetProcess];
  const stream = await ask('', { model: slow, input: question, stream: true }, one);
  const reading = readStream(stream);
  await sleep(1_000);
  await one.kill();
  const shown = await reading;
  const id = /"id":"(resp_\w+)"/.exec(shown)?.[1] as string;
  expect(await (await ask(`/${id}`, undefined, other)).json()).toMatchObject({ status: 'in_progress' });
  const all = await resume(id, '');
  const length = Math.min(all.indexOf('event: error'), shown.length);
  expect(all.slice(0, length)).toBe(shown.slice(0, length));
  expect(all).toContain('event: response.failed');
  expect(await retrieve(id)).toMatchObject({ id, status: 'failed' });
  fleet.fronts.shift();
}, 90_000);
