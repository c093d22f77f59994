import { load, type Seen } from '../../load/load.ts';
import type { ClientFormat, Scenario } from '../../load/scenarios.ts';
import type { Target } from '../load/ask.ts';
import { expectedOf } from '../load/load.ts';
import { chatStream, type Question, translatedStream, wholeChat } from '../load/questions.ts';

/** A stream of five seconds, as a model that writes 20 tokens a second makes it. */
const paced = { model: 'sim-t100-i50ms', chunks: 100, idealMs: 5_000 };
/** A level holds where 19 of 20 streams take at most this times as long as they should. */
const slowest = 1.2;
const levels = [25, 50, 75, 100, 150, 200, 300, 400, 600, 800, 1_200];
const wholeClients = 48;
const translatedClients = 24;

/** Whole answers of 20 tokens a second, from as many clients as keep the slowest service busy. */
export async function wholePerSecond(target: Target, seconds: number): Promise<number> {
  const scenario = scenarioOf('sim-t20', 'chat', wholeClients, null);
  await measure(target, scenario, seconds / 3);
  const { endMs, seconds: took } = await measure(target, scenario, seconds);
  return endMs.length / took;
}

/**
 * Translated streams of 1,000 chunks a second, at full speed. Of all loads, this one asks the most of a worker compared with
 * the rest, so that two limited workers are full before a machine of two cores is.
 */
export async function translatedPerSecond(target: Target, seconds: number): Promise<number> {
  const scenario = scenarioOf('sim-t1000', 'messages', translatedClients, 1_000);
  await measure(target, scenario, seconds / 3);
  const { endMs, seconds: took } = await measure(target, scenario, seconds);
  return endMs.length / took;
}

/** Most streams of 20 tokens a second at once that are hardly slower than the model. */
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

function questionOf({ client, model, chunks }: Scenario): Question {
  if (client === 'messages') return translatedStream(model);
  return chunks === null ? wholeChat(model) : chatStream(model);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.POSITIVE_INFINITY;
}
