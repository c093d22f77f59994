import { answerQuestions, Server, testSubjects, workerQueue } from '@model-gateway/bus';
import { attemptNames, openCatalog, type TargetTest } from '@model-gateway/catalog';
import {
  openUsageWriter,
  type Running,
  readMasterKey,
  type Service,
  type ServiceContext,
  type Settings,
  usageNotices,
} from '@model-gateway/service';
import { Agent } from 'undici';
import { Decoding } from './decoding.ts';
import { measureServer, measureStreams } from './measure-calls.ts';
import { answer } from './serve-route.ts';
import { testTarget } from './test-target.ts';
import { missingKeys, Upstreams } from './upstreams.ts';
import { WholeAnswers } from './whole-answers.ts';

/** Timeout for an upstream to accept a connection, in milliseconds. */
export const connectMs = 10_000;

const workerSettings = [
  'GATEWAY_POOL',
  'GATEWAY_CAPACITY',
  'GATEWAY_BODY_BUDGET',
  'GATEWAY_REALTIME_GRACE',
  'GATEWAY_DATA',
  'GATEWAY_MASTER_KEY',
  'GATEWAY_TRACE_UPSTREAMS',
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
  const upstreams = new Upstreams(catalog, readMasterKey(settings));
  // Attempts have their own timers, which stop while a client is slow.
  const dispatcher = new Agent({
    connections: null,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: connectMs },
  });
  const usage = openUsageWriter(bus, { log, metrics }, record => attemptNames(catalog, record));
  const decoding = new Decoding();
  const wholeAnswers = new WholeAnswers();
  const streams = measureStreams(catalog, metrics);
  const draining = new AbortController();
  const sessions = { draining: draining.signal, graceMs: settings.GATEWAY_REALTIME_GRACE };
  const traces = { tracing, toUpstreams: settings.GATEWAY_TRACE_UPSTREAMS === 'pass' };
  const server = await Server.open(bus, {
    pool: settings.GATEWAY_POOL,
    capacity: settings.GATEWAY_CAPACITY,
    bodyBudget: settings.GATEWAY_BODY_BUDGET,
    serve: call =>
      void answer(call, {
        ...{ catalog, upstreams, dispatcher, log, usage },
        decoding,
        wholeAnswers,
        sessions,
        streams,
        traces,
      }),
  });
  const stopTests = answerQuestions(
    bus,
    { subjects: testSubjects(settings.GATEWAY_POOL), queue: workerQueue },
    question => testTarget(question as TargetTest, { catalog, upstreams, dispatcher }),
  );
  measureServer(server, metrics);
  return {
    problems: () => (bus.connected() ? [] : ['NATS cannot be reached']),
    notices: () => usageNotices(usage),
    facts: () => ({ pool: settings.GATEWAY_POOL, withoutKey: missingKeys(catalog, settings.GATEWAY_POOL) }),
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
      await dispatcher.destroy();
    },
  };
}
