import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { chatText } from '../../bench/chat-text.ts';
import { paths } from '../../bench/scenarios.ts';
import { questionBody, questionHeaders } from './clients.ts';
import { Fleet, type FleetProcess, untilReady } from './fleet.ts';

const restarts = 10;
const clients = 12;

let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.start({ fronts: 2, workers: 2 });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

beforeEach(async () => {
  while (fleet.workers.length < 2) await fleet.startWorker();
  while (fleet.fronts.length < 2) await untilReady(await fleet.startFront());
});

test('ten rolling restarts under load fail no request', async () => {
  using edge = new Edge();
  for (const { url } of fleet.fronts) edge.add(url);
  await using load = startLoad(edge);
  for (let i = 0; i < restarts; i++) {
    const { fronts, workers } = fleet;
    const old = (i % 2 === 0 ? workers : fronts).shift() as FleetProcess;
    // The replacement starts before the old process stops, or after it.
    const before = i % 4 < 2;
    if (before) await replace(old, edge);
    expect([old.name, await old.stop()]).toEqual([old.name, 0]);
    edge.remove(old.url);
    if (!before) await replace(old, edge);
  }
  const { failed, whole, streamed } = await load.end();
  expect(failed).toEqual([]);
  expect(whole).toBeGreaterThan(100);
  expect(streamed).toBeGreaterThan(100);
});

async function replace({ name }: FleetProcess, edge: Edge): Promise<void> {
  const started = name === 'front' ? await fleet.startFront() : await fleet.startWorker();
  await untilReady(started);
  if (name === 'front') edge.add(started.url);
}

/**
 * Sends requests to the fronts in turn, as an edge does: only a request that no front has accepted goes to
 * another one.
 */
class Edge implements Disposable {
  readonly #fronts: { url: string; agent: Agent }[] = [];
  #turn = 0;

  add(url: string): void {
    this.#fronts.push({ url, agent: new Agent({ keepAlive: true }) });
  }

  remove(url: string): void {
    const at = this.#fronts.findIndex(front => front.url === url);
    if (at >= 0) this.#fronts.splice(at, 1)[0]?.agent.destroy();
  }

  /** The status and body of the response. */
  async ask(body: string): Promise<{ status: number; body: string }> {
    const turn = this.#turn++ % this.#fronts.length;
    for (const front of [...this.#fronts.slice(turn), ...this.#fronts.slice(0, turn)]) {
      try {
        return await this.#askOne(front, body);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error;
      }
    }
    throw new Error('no front is up');
  }

  #askOne({ url, agent }: { url: string; agent: Agent }, body: string) {
    return new Promise<{ status: number; body: string }>((resolve, reject) => {
      const headers = { ...questionHeaders(fleet.token), 'content-length': Buffer.byteLength(body) };
      const sent = request(url + paths.chat, { method: 'POST', agent, headers }, answer => {
        text(answer).then(body => resolve({ status: answer.statusCode ?? 0, body }), reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  [Symbol.dispose](): void {
    for (const { agent } of this.#fronts) agent.destroy();
  }
}

/** Clients that request non-streamed responses and streams of half a second in turn. */
function startLoad(edge: Edge) {
  const seen = { failed: [] as string[], whole: 0, streamed: 0 };
  let on = true;
  const asking = Array.from({ length: clients }, async (_, i) => {
    for (let stream = i % 2 === 0; on; stream = !stream, await sleep(20)) {
      const model = stream ? 'sim-t25-i20ms' : 'sim-t5';
      try {
        const { status, body } = await edge.ask(questionBody({ model, stream }));
        if (status !== 200) throw new Error(`status ${status}: ${body}`);
        chatText(body, stream);
        seen[stream ? 'streamed' : 'whole']++;
      } catch (error) {
        seen.failed.push(`${stream ? 'a stream' : 'a whole answer'}: ${error}`);
      }
    }
  });
  const end = async () => {
    on = false;
    await Promise.all(asking);
    return seen;
  };
  return { end, [Symbol.asyncDispose]: async () => void (await end()) };
}
