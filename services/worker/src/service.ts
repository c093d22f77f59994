import { answerQuestions, Server, testSubjects, workerQueue } from '@model-gateway/bus';
import {
  attemptNames,
  isModelsQuestion,
  openCatalog,
  PoolSealer,
  type TargetTest,
} from '@model-gateway/catalog';
import {
  type AttemptNames,
  countedElsewhere,
  counter,
  gauge,
  openUsageWriter,
  type Registry,
  type Running,
  readPoolKey,
  type Service,
  type ServiceContext,
  type Settings,
  usageNotices,
} from '@model-gateway/service';
import { AnswerBudget } from './answer-budget.ts';
import { measureStreams } from './attempt-timers.ts';
import { missingKeys } from './credentials.ts';
import { Decoding } from './decoding.ts';
import { WholeAnswers } from './exchange.ts';
import { listModels } from './list-models.ts';
import { ProviderProblems } from './provider-problems.ts';
import { answer } from './serve-route.ts';
import { testTarget } from './test-target.ts';
import { noteReasons } from './unknown-reasons.ts';
import { UpstreamConnections } from './upstream-connections.ts';
import { Upstreams } from './upstreams.ts';

const workerSettings = [
  'GATEWAY_POOL',
  'GATEWAY_CAPACITY',
  'GATEWAY_BODY_BUDGET',
  'GATEWAY_ANSWER_BUDGET',
  'GATEWAY_REALTIME_GRACE',
  'GATEWAY_DATA',
  'GATEWAY_POOL_KEY',
  'GATEWAY_TRACE_UPSTREAMS',
  'GATEWAY_PRIVATE_PROVIDERS',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
] as const;
type WorkerSetting = (typeof workerSettings)[number];

/** Calls the upstream models and streams their answers over the bus. */
export const worker: Service<WorkerSetting> = { name: 'worker', settings: workerSettings, start };

async function start(
  { bus: connect, log, metrics, tracing }: ServiceContext,
  settings: Settings<WorkerSetting>,
): Promise<Running> {
  const bus = await connect();
  const { catalog, watch } = await openCatalog(bus);
  const { clock } = bus;
  const connections = new UpstreamConnections(settings, clock);
  const forbidsPrivate = settings.GATEWAY_PRIVATE_PROVIDERS === 'forbid';
  const sealer = new PoolSealer(readPoolKey(settings));
  const upstreams = new Upstreams(catalog, sealer, { clock, connections, forbidsPrivate });
  const dispatcher = connections.usual;
  const { GATEWAY_POOL: pool } = settings;
  const names: AttemptNames = record => attemptNames(catalog, record);
  const usage = openUsageWriter(bus, { log, metrics }, names, pool);
  const decoding = new Decoding(clock);
  const wholeAnswers = new WholeAnswers(clock);
  const streams = measureStreams(catalog, metrics);
  const reasons = noteReasons(catalog, metrics, log);
  const draining = new AbortController();
  const sessions = { draining: draining.signal, graceMs: settings.GATEWAY_REALTIME_GRACE };
  const traces = { tracing, toUpstreams: settings.GATEWAY_TRACE_UPSTREAMS === 'pass' };
  const providerProblems = new ProviderProblems();
  const deps = {
    ...{ faults: bus.faults, answers: new AnswerBudget(settings.GATEWAY_ANSWER_BUDGET) },
    ...{ clock, catalog, upstreams, dispatcher, agent: connections.usualAgent, log, usage, decoding },
    ...{ wholeAnswers, providerProblems, sessions, streams, reasons, traces },
  };
  const server = await Server.open(bus, {
    pool,
    capacity: settings.GATEWAY_CAPACITY,
    bodyBudget: settings.GATEWAY_BODY_BUDGET,
    serve: call => answer(call, deps),
  });
  const stopTests = answerQuestions(bus, { subjects: testSubjects(pool), queue: workerQueue }, question => {
    const deps = { clock, catalog, upstreams, dispatcher, providerProblems };
    return isModelsQuestion(question) ? listModels(question, deps) : testTarget(question as TargetTest, deps);
  });
  measureServer(server, metrics);
  return {
    problems: () => (bus.connected() ? [] : ['NATS cannot be reached']),
    notices: () => [...usageNotices(usage), ...providerProblems.sentences()],
    facts: () => ({ pool, withoutKey: missingKeys(catalog, pool, sealer) }),
    drain() {
      draining.abort();
      stopTests();
      return server.drain();
    },
    async close() {
      stopTests();
      server.close();
      decoding.stop();
      await usage.close();
      watch.stop();
      await connections.destroy();
    },
  };
}

/** Measures the calls of a worker. */
function measureServer(server: Server, metrics: Registry): void {
  const { creditWaits } = server;
  gauge(metrics, 'gateway_calls_running', () => server.load);
  countedElsewhere(metrics, 'gateway_credit_waits_total', () => creditWaits.count);
  countedElsewhere(metrics, 'gateway_credit_wait_seconds_total', () => creditWaits.ms / 1_000);
  const refused = counter(metrics, 'gateway_calls_refused_total');
  for (const reason of ['full', 'places', 'project', 'bodies', 'draining']) refused.inc({ reason }, 0);
  server.onRefused = reason => refused.inc({ reason });
}
