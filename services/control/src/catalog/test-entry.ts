import { type Bus, Questions, testSubjects } from '@model-gateway/bus';
import { GatewayError, matchesPattern, type TargetRef } from '@model-gateway/canonical';
import { type TargetTest, type TestResult, targetsOf, testMs } from '@model-gateway/catalog';
import type { Pools } from '../health/pools.ts';
import type { Entries } from './entries.ts';

/** The longest wait for a worker, which may first have to get access to the provider, in milliseconds. */
const answerMs = testMs + 12_000;
/** The most targets of one test. */
const mostTargets = 10;

/** Asks a worker of a pool to test a target. */
export type AskTest = (pool: string, test: TargetTest) => Promise<TestResult>;

/** The result of a target's test. */
interface TestedTarget extends TestResult, TargetRef {}

/** Returns the way to ask workers. */
export function askTest(bus: () => Promise<Bus>, pools: Pick<Pools, 'hasWorkers'>): AskTest {
  return async (pool, test) => {
    if (pools.hasWorkers(pool) === false) {
      const message = `No worker of the pool '${pool}' is running.`;
      return { ms: 0, error: { kind: 'overloaded', message } };
    }
    const questions = new Questions(await bus(), testSubjects(pool));
    try {
      return (await questions.ask(test, answerMs)) as TestResult;
    } catch {
      const message = `No worker of the pool '${pool}' has answered: is one running?`;
      return { ms: answerMs, error: { kind: 'timeout', message } };
    } finally {
      questions.close();
    }
  };
}

/** Tests targets, all at once. */
export function testTargets(
  { providers }: Entries,
  targets: readonly TargetRef[],
  ask: AskTest,
): Promise<TestedTarget[]> {
  return Promise.all(
    targets.slice(0, mostTargets).map(async ({ provider: name, model }) => {
      const found = providers.find(provider => provider.name === name);
      const message = `There is no provider '${name}'.`;
      const result = found
        ? await ask(found.data.pool, { provider: name, model, version: found.version })
        : { ms: 0, error: { kind: 'not-found' as const, message } };
      return { provider: name, model, ...result };
    }),
  );
}

/** Returns the targets of a model. `asked` is the name to ask for, if that of the model has a `*`. */
export function targetsOfModel(
  { models }: Entries,
  name: string,
  asked: string | undefined,
): TargetRef[] | undefined {
  const model = models.find(each => each.name === name)?.data;
  if (!model) return undefined;
  if (!name.includes('*')) return targetsOf(model, '');
  if (asked === undefined || asked.includes('*') || !matchesPattern(asked, name))
    throw missingModel(`must be a name that ${JSON.stringify(name)} matches`);
  const [before = '', after = ''] = name.split('*');
  return targetsOf(model, asked.slice(before.length, asked.length - after.length));
}

/** Returns a target of a provider: of the model `asked` there, or else of the first in the catalog. */
export function targetOfProvider(
  { providers, models }: Entries,
  name: string,
  asked: string | undefined,
): TargetRef[] | undefined {
  if (!providers.some(provider => provider.name === name)) return undefined;
  const known = models
    .flatMap(({ data }) => data.targets)
    .find(({ provider, model }) => provider === name && !model.includes('*'));
  const model = asked ?? known?.model;
  if (model === undefined) throw missingModel('is required: no model names one of this provider');
  return [{ provider: name, model }];
}

function missingModel(reason: string): GatewayError {
  return new GatewayError('invalid-request', `model: ${reason}.`, { param: 'model', code: 'invalid_value' });
}
