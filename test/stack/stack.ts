import { mkdtempSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecret, hashSecret, type TokenRecord, tokenKey } from '@model-gateway/access';
import {
  type BucketName,
  type Bus,
  type BusService,
  connectBus,
  openProjection,
  type Projection,
  readUsage,
} from '@model-gateway/bus';
import { type NatsServer, startNats, urlFor } from '@model-gateway/bus/testing';
import type { PassingTime } from '@model-gateway/bus/testing/passing-time';
import type { RefusedRecord, UsageRecord } from '@model-gateway/canonical';
import { PoolSealer, parseCatalog, recordKey, sealProvider } from '@model-gateway/catalog';
import { type Clock, systemClock } from '@model-gateway/clock';
import { lastingStreams, storedOptions, storedSettings } from '@model-gateway/control';
import { type IngressDeps, ingressDepsSettings, openIngressDeps } from '@model-gateway/ingress';
import {
  clientAddress,
  createLog,
  createMetrics,
  type Log,
  listen,
  PoolKeys,
  ProcessShared,
  type Running,
  readSettings,
  type Service,
  type ServiceContext,
  type SettingName,
} from '@model-gateway/service';
import { keepStreams } from '@model-gateway/store';
import { makeStreams } from '@model-gateway/store/testing';
import { worker } from '@model-gateway/worker';
import { expect, vi } from 'vitest';
import { front } from '../../deploy/launcher/src/front/service.ts';
import { DescribedRequests } from './described-requests.ts';

/** A gateway in this process with a real nats-server and without control: the test writes control's data. */
export interface Stack {
  /** Without `/v1` and without a slash at the end. */
  url: string;
  /** A token that is allowed everything. */
  token: string;
  nats: NatsServer;
  access: Projection;
  /** The usage records for the ledger. */
  usage: UsageRecord[];
  /** The ids of attempts that others followed, as the ingress tells. */
  followed: string[];
  /** The records of requests that were refused. */
  refused: RefusedRecord[];
  /** Resolves with the usage records of a request once there are so many. */
  recordsOf(requestId: unknown, count?: number): Promise<UsageRecord[]>;
  /** The services' metrics, in the format of Prometheus. */
  metrics(): Promise<string>;
  /** The worker's sentences in `/readyz` about what works only in part. */
  workerNotices(): string[];
  /** Adds or replaces a token, and returns its secret. */
  addToken(fields: Partial<TokenRecord>, secret?: string): Promise<string>;
  stop(): Promise<void>;
}

export interface StackOptions {
  /** The content of gateway.yaml. */
  catalog: unknown;
  /** Settings of the services, as environment variables. */
  env?: Record<string, string>;
  /** A nats-server of the test's own, which the stack stops; an account at the shared one if absent. */
  nats?: NatsServer;
  /** The time of the services, which the test lets pass; the system's if absent. */
  time?: PassingTime;
  /** The stream for the services' logs; no logs if absent. */
  log?: Log;
  /** True if the stack must fail to stop after an answered request that the OpenAPI document does not allow. */
  described?: boolean;
}

/** The system's time. A worker that has another clock than `systemClock` starts no thread for its heartbeats, which takes longer than all else. */
const systemTime: Clock = { ...systemClock };
/** The time of what reads usage records: none waits for others that could be stored with it. */
const hastyTime: Clock = { ...systemClock, setTimeout: run => systemClock.setTimeout(run, 0) };

export async function startStack(options: StackOptions): Promise<Stack> {
  const { catalog, env = {}, time, log, described } = options;
  const clock = time?.clock ?? systemTime;
  const data = mkdtempSync(join(tmpdir(), 'gateway-test-'));
  const nats = options.nats ?? (await startNats());
  // No control runs, which would serve the admin API.
  const settings = { GATEWAY_DATA: data, LOG_LEVEL: 'silent', CONTROL_URL: 'http://127.0.0.1:9', ...env };
  const admin = await connectBus({ url: nats.url, name: 'test', clock: hastyTime });
  const access = await openBucket(admin, 'access');
  await openBucket(admin, 'health');
  await patiently(() => openProjection(admin, 'limits'));
  await project(admin, catalog, settings);
  const stored = lastingStreams(storedOptions(readSettings(storedSettings, settings)));
  await makeStreams(admin, stored);
  // Consumes usage records as control does; otherwise services that stop would wait to send theirs.
  const ledger = new AbortController();
  const usage: UsageRecord[] = [];
  const followed: string[] = [];
  const refused: RefusedRecord[] = [];
  const keep = async (records: Iterable<unknown>) => {
    for (const record of records as Iterable<UsageRecord | RefusedRecord>)
      if ('refused' in record) refused.push(record);
      // A caller records an attempt that failed only since another one followed.
      else if (record.byCaller && record.outcome === 'failed') followed.push(record.id);
      else usage.push(record);
  };
  void readUsage(admin, { keep, failed: () => {} }, { signal: ledger.signal });
  // A test may delete a stream.
  void keepStreams(async () => admin, stored, { signal: ledger.signal, failed: () => {} });
  let version = 0;
  let parts: IngressDeps | undefined;
  const addToken = async (fields: Partial<TokenRecord>, secret = createSecret()) => {
    const record = {
      id: 'test',
      name: 'test',
      project: 'default',
      expiresAt: null,
      revoked: false,
      ...fields,
    };
    const hash = hashSecret(secret);
    const changed = { ...record, version: ++version };
    await patiently(() => access.put(tokenKey(hash), changed));
    const isUsable = !record.revoked && record.disabled !== true;
    const known = () => expect(parts === undefined || knows(parts, hash) === isUsable).toBe(true);
    await vi.waitFor(known, { timeout: 60_000, interval: 2 });
    return secret;
  };
  const token = await addToken({});
  const started: Running[] = [];
  const buses: Bus[] = [];
  const registries: ServiceContext['metrics'][] = [];
  const addressOf = clientAddress(
    readSettings(['GATEWAY_TRUSTED_PROXIES'], settings).GATEWAY_TRUSTED_PROXIES,
  );
  const start = async <Name extends SettingName>(name: BusService, service: Service<Name>) => {
    const url = urlFor(nats.url, name);
    const bus = await (time ? time.connect(url, name) : connectBus({ url, name, clock }));
    buses.push(bus);
    const context = {
      log: log ?? createLog(name, settings.LOG_LEVEL),
      metrics: createMetrics(),
      bus: async () => bus,
      clientAddress: addressOf,
      shared: new ProcessShared(),
    };
    registries.push(context.metrics);
    const running = await service.start(context, readSettings(service.settings, settings));
    started.push(running);
    return { context, running };
  };
  const { running: working } = await start('worker', worker);
  const { context, running } = await start('front', front);
  parts = await openIngressDeps(context, readSettings(ingressDepsSettings, settings));
  const { handle, upgrade } = running;
  const requests = described ? new DescribedRequests() : undefined;
  const watched = requests ? requests.watch(handle as RequestListener) : (handle as RequestListener);
  const port = await listen(watched, '127.0.0.1', 0, { upgrade, clock });
  return {
    url: port.url,
    token,
    nats,
    access,
    usage,
    followed,
    refused,
    recordsOf: (requestId, count = 1) =>
      vi.waitFor(() => {
        const records = usage.filter(record => record.requestId === requestId);
        expect(records).toHaveLength(count);
        return records;
      }),
    metrics: async () => (await Promise.all(registries.map(registry => registry.metrics()))).join('\n'),
    workerNotices: () => working.notices?.() ?? [],
    addToken,
    async stop() {
      await port.close();
      for (const running of started) await running.close?.();
      ledger.abort();
      await Promise.all([admin, ...buses].map(bus => bus.close()));
      await nats.stop();
      rmSync(data, { recursive: true, force: true });
      await requests?.end();
    },
  };
}

/** Repeats a step that NATS did not answer in time: a busy disk may block it for many seconds. */
async function patiently<T>(step: () => Promise<T>): Promise<T> {
  for (const giveUp = Date.now() + 30_000; ; ) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof Error && error.name === 'TimeoutError') || Date.now() > giveUp) throw error;
    }
  }
}

/** True if the ingresses know a token and not its revocation. */
function knows({ access }: IngressDeps, hash: string): boolean {
  try {
    access.checkHash(hash, 0);
    return true;
  } catch {
    return false;
  }
}

/** Opens a bucket for writing, with a heartbeat: processes read a bucket until its last value, and wait for the first. */
async function openBucket(bus: Bus, name: BucketName): Promise<Projection> {
  const bucket = await patiently(() => openProjection(bus, name));
  await patiently(() => bucket.beat());
  return bucket;
}

async function project(bus: Bus, catalog: unknown, settings: { GATEWAY_DATA: string }): Promise<void> {
  const parsed = parseCatalog(catalog);
  if (!parsed.catalog) throw new Error(JSON.stringify(parsed.problems));
  const { providers, models, projects } = parsed.catalog;
  const projection = await patiently(() => openProjection(bus, 'catalog'));
  const put = (key: string, record: { version: number }) => patiently(() => projection.put(key, record));
  const keys = new PoolKeys(settings);
  for (const provider of providers) {
    await put(recordKey('provider', provider.name), {
      ...sealProvider(new PoolSealer(keys.of(provider.pool)), provider),
      version: 1,
    });
  }
  for (const [position, model] of models.entries()) {
    const record = { ...model, version: 1, position, created: 1_700_000_000 };
    await put(recordKey('model', model.name), record);
  }
  for (const project of projects) await put(recordKey('project', project.name), { ...project, version: 1 });
  await patiently(() => projection.beat());
}
