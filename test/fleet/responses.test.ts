import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Fleet, type FleetProcess, untilReady } from './fleet.ts';
import {
  deltas,
  idOf,
  lastNumber,
  numbersOf,
  ResponsesClient,
  readStream,
  textOf,
} from './responses-client.ts';

/** Answers for about six seconds. */
const slow = 'sim-t300-i20ms';
const question = 'What is a gateway?';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.start({ workers: 2, fronts: 2 });
});
afterAll(async () => {
  await fleet[Symbol.asyncDispose]();
});

const front = () => fleet.fronts.find(({ running }) => running) as FleetProcess;
/** Sends a request to a running front. */
const client = () => new ResponsesClient(() => front().url, fleet.token);
const at = ({ url }: FleetProcess) => new ResponsesClient(() => url, fleet.token);

async function direct(model: string): Promise<string> {
  return textOf(await client().create({ model, input: question, store: false }));
}

/** Kills processes and starts their replacements. */
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
    await fleet.startControl();
  },
  async 'NATS, whose files stay'() {
    await fleet.nats.restart();
  },
  async 'everything but NATS'() {
    const lost = [...fleet.workers.splice(0), ...fleet.fronts.splice(0), fleet.control];
    await Promise.all(lost.map(each => each.kill()));
    await fleet.startControl();
    await Promise.all([fleet.startWorker(), fleet.startWorker(), fleet.startFront(), fleet.startFront()]);
    await Promise.all(fleet.fronts.map(each => untilReady(each)));
  },
};

describe.each(Object.entries(losses))('background work survives the loss of %s', (_name, lose) => {
  test('a background response is completed after the restart', async () => {
    const { id } = await client().create({ model: slow, input: question, background: true });
    await expect
      .poll(async () => (await client().retrieve(id)).status, { timeout: 60_000, interval: 20 })
      .toBe('in_progress');
    await expect.poll(async () => (await fleet.stats()).streams).toBe(1);
    await lose();
    const over = await client().untilOver(id);
    expect(over).toMatchObject({ id, status: 'completed', error: null });
    expect(textOf(over)).toBe(await direct(slow));
  });

  test('a background stream can be resumed after the restart', async () => {
    const request = { model: slow, input: question, background: true, stream: true };
    const begun = await readStream(await client().ask('', request), 20);
    const id = idOf(begun);
    const following = client()
      .ask(`/${id}?stream=true&starting_after=${lastNumber(begun)}`)
      .then(response => readStream(response));
    following.catch(() => {});
    await lose();
    const all = await client().resume(id, begun + (await following.catch(() => '')));
    const numbers = numbersOf(all);
    expect(numbers).toEqual(numbers.map((_, i) => i));
    expect(all).toContain('event: response.completed');
    expect(deltas(all)).toBe(await direct(slow));
    expect(await client().resume(id, '')).toBe(all);
    expect(textOf(await client().retrieve(id))).toBe(deltas(all));
  });
});

test('a cancelled response stays cancelled at every ingress', async () => {
  const [one, other] = fleet.fronts.map(at) as [ResponsesClient, ResponsesClient];
  const { id } = await one.create({ model: 'sim-t1000-i20ms', input: question, background: true });
  await expect.poll(async () => (await client().retrieve(id)).status).toBe('in_progress');
  const cancelled = await other.ask(`/${id}/cancel`, {});
  expect(await cancelled.json()).toMatchObject({ id, status: 'cancelled' });
  expect(await (await one.ask(`/${id}`)).json()).toMatchObject({ status: 'cancelled' });
  await expect.poll(async () => (await fleet.stats()).streams).toBe(0);
});

test('a stored response is available at another ingress at once', async () => {
  const [one, other] = fleet.fronts.map(at) as [ResponsesClient, ResponsesClient];
  for (let i = 0; i < 20; i++) {
    const stream = await readStream(
      await one.ask('', { model: 'sim-fast', input: `Number ${i}`, stream: true }),
    );
    const more = { model: 'sim-fast', input: 'More', previous_response_id: idOf(stream) };
    expect((await other.ask('', more)).status).toBe(200);
  }
});

test('a foreground stream whose ingress was killed can be read again, and has failed', async () => {
  const [one, other] = fleet.fronts.map(at) as [ResponsesClient, ResponsesClient];
  const stream = await one.ask('', { model: 'sim-t1000-i20ms', input: question, stream: true });
  const [begun, whole] = (stream.body as ReadableStream<Uint8Array>).tee();
  const reading = readStream(new Response(whole));
  const id = idOf(await readStream(new Response(begun), 20));
  const atOther = async () => (await other.ask(`/${id}`)).json();
  await expect.poll(atOther).toMatchObject({ status: 'in_progress' });
  await fleet.fronts[0]?.kill();
  const shown = await reading;
  expect(await atOther()).toMatchObject({ status: 'in_progress' });
  const all = await client().resume(id, '');
  const length = Math.min(all.indexOf('event: error'), shown.length);
  expect(all.slice(0, length)).toBe(shown.slice(0, length));
  expect(all).toContain('event: response.failed');
  expect(await client().retrieve(id)).toMatchObject({ id, status: 'failed' });
  fleet.fronts.shift();
});
