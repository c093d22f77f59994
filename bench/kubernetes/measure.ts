import { ask, keptConnections, type Target } from '../../test/kubernetes/load/ask.ts';
import { expectedOf } from '../../test/kubernetes/load/load.ts';
import { chatStream, manyVectors, type Question, wholeChat } from '../../test/kubernetes/load/questions.ts';
import { load, type Seen } from '../load.ts';
import type { ClientFormat, Scenario } from '../scenarios.ts';

/** A stream of five seconds, as from a model of 20 tokens a second. */
const paced = { model: 'sim-t100-i50ms', chunks: 100, idealMs: 5_000 };
/** A level holds if 19 of 20 streams take at most this multiple of their normal time. */
const slowest = 1.2;
const levels = [25, 50, 75, 100, 150, 200, 300, 400, 600, 800, 1_200];
const wholeClients = 48;
const vectorClients = 24;
/** A new worker of 0.2 CPU takes this long until its code is compiled. */
const warmUpMs = 40_000;

/** Non-streamed responses of 20 tokens a second, from as many clients as keep the slowest service busy. */
export async function wholePerSecond(target: Target, seconds: number): Promise<number> {
  const scenario = scenarioOf('sim-t20', 'chat', wholeClients, null);
  await measure(target, scenario, seconds / 3);
  const { endMs, seconds: took } = await measure(target, scenario, seconds);
  return endMs.length / took;
}

/**
 * Requests for 64 translated vectors of 1,536 numbers a second. Of all loads, this one takes the most CPU of a worker compared
 * with the other services, so two limited workers are busy before a machine of two cores is.
 */
export async function vectorsPerSecond(target: Target, model: string, seconds: number): Promise<number> {
  const question = manyVectors(model);
  const expected = (await expectedOf(target, [question])).get(question);
  const agent = keptConnections();
  const until = async (end: number) => {
    let answers = 0;
    while (performance.now() < end) {
      const received = await ask(target, question, agent);
      const outcome = question.judge(received, expected);
      if (outcome !== 'clean') throw new Error(`vectors: ${outcome}, status ${received.status}`);
      answers++;
    }
    return answers;
  };
  // The answers that are still open at the end count, and so does their time.
  const all = async (ms: number) => {
    const start = performance.now();
    const answers = await Promise.all(Array.from({ length: vectorClients }, () => until(start + ms)));
    return answers.reduce((sum, count) => sum + count, 0) / ((performance.now() - start) / 1_000);
  };
  try {
    await all(warmUpMs);
    return await all(seconds * 1_000);
  } finally {
    agent.destroy();
  }
}

/** The most concurrent streams of 20 tokens a second that are hardly slower than the model. */
export async function streamsAtOnce(target: Target, seconds: number): Promise<number> {
  let most = 0;
  for (const clients of levels) {
    const scenario = scenarioOf(paced.model, 'chat', clients, paced.chunks);
    const { endMs } = await measure(target, scenario, seconds);
    if (quantile(endMs, 0.95) > paced.idealMs * slowest) break;
    most = clients;
  }
  return most;
}

function scenarioOf(model: string, client: ClientFormat, clients: number, chunks: number | null): Scenario {
  return { name: model, title: model, client, model, clients, chunks };
}

async function measure(target: Target, scenario: Scenario, seconds: number): Promise<Seen> {
  const { chunks } = scenario;
  const question = questionOf(scenario);
  const expected = (await expectedOf(target, [question])).get(question) ?? '';
  return load({
    ...{ scenario, origin: target.url, token: target.token, seconds },
    expected: chunks === null ? JSON.parse(expected) : expected,
  });
}

function questionOf({ model, chunks }: Scenario): Question {
  return chunks === null ? wholeChat(model) : chatStream(model);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.POSITIVE_INFINITY;
}
