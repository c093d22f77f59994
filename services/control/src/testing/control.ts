import { setTimeout as sleep } from 'node:timers/promises';
import type { IssuedToken, TokenInfo } from '@model-gateway/admin-api';
import { connectBus } from '@model-gateway/bus';
import { urlFor } from '@model-gateway/bus/testing';
import type { ManualClock } from '@model-gateway/clock/testing';
import {
  answerAboutProcess,
  clientAddress,
  createLog,
  createMetrics,
  listen,
  opsRoutes,
  ProcessShared,
  type Running,
  readSettings,
  reportProcess,
  TrustedProxies,
} from '@model-gateway/service';
import { Passwords } from '../people/passwords.ts';
import { control } from '../service.ts';
import { passing } from './passing-time.ts';

export const adminToken = 'admin-token-of-the-tests';

export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

export interface TestControl {
  running: Running;
  url: string;
  /** The URL of the operator port. */
  opsUrl: string;
  problems(): string[];
  notices(): string[];
  /** Returns the metrics in Prometheus text format. */
  metrics(): Promise<string>;
  /** Sends a request to the admin API, with the admin token unless another is given. */
  api(method: string, path: string, body?: unknown, token?: string): Promise<Answer>;
  issue(wanted?: object): Promise<IssuedToken & { token: string }>;
  tokens(): Promise<TokenInfo[]>;
  /** Lets time pass on the clock of the control until an answer has come; see {@link passing}. */
  answered<Value>(answer: Promise<Value>): Promise<Value>;
  stop(): Promise<void>;
}

export interface StartOptions {
  /** False to return before KV is up to date. */
  ready?: boolean;
  /** The proxies that may name the client's address. */
  proxies?: readonly string[];
  /** A free port if absent. */
  port?: number;
  /** The system's if absent. */
  clock?: ManualClock;
}

/** Hashes that cost next to nothing. Those that control makes without it are in a test of their own. */
const passwords = new Passwords({ memory: 8, passes: 1, parallelism: 1 });

/** Starts control in this process. */
export async function startControl(
  natsUrl: string,
  env: Record<string, string>,
  { ready = true, proxies = [], port = 0, clock }: StartOptions = {},
): Promise<TestControl> {
  const environment = { GATEWAY_ADMIN_TOKEN: adminToken, ...env };
  const settings = readSettings(control.settings, environment);
  const bus = connectBus({ url: urlFor(natsUrl, 'control'), name: 'control', ...(clock && { clock }) });
  const closeBus = () => bus.then(open => open.close());
  const context = {
    log: createLog('control', 'silent'),
    metrics: createMetrics(),
    shared: new ProcessShared(),
    bus: () => bus,
    clientAddress: clientAddress(new TrustedProxies(proxies)),
    env: environment,
  };
  const running = await control.start(context, settings, { clock, passwords }).catch(async error => {
    await closeBus();
    throw error;
  });
  void bus.then(
    open => answerAboutProcess(open, () => ({ ...reportProcess('control', running), at: open.clock.now() })),
    () => {},
  );
  const served = await listen(running.handle ?? (() => {}), '127.0.0.1', port);
  const problems = () => running.problems?.() ?? [];
  const { notices, opsRoutes: more } = running;
  const ops = await listen(opsRoutes({ metrics: context.metrics, problems, notices, more }), '127.0.0.1', 0);
  if (ready)
    await passing(
      clock,
      until(() => problems().length === 0),
    );
  const answered: TestControl['answered'] = answer => passing(clock, answer);
  const api: TestControl['api'] = (method, path, body, token = adminToken) =>
    answered(ask(`${served.url}/api/v1${path}`, method, body, token));
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    await Promise.all([served.close(), ops.close()]);
    await passing(clock, Promise.resolve(running.close?.()));
    await closeBus();
  };
  return {
    running,
    url: served.url,
    opsUrl: ops.url,
    problems,
    notices: () => notices?.() ?? [],
    metrics: () => context.metrics.metrics(),
    api,
    answered,
    async issue(wanted = { name: 'one' }) {
      const { status, body } = await api('POST', '/tokens', wanted);
      if (status !== 201) throw new Error(`no token was issued: ${JSON.stringify(body)}`);
      return body as IssuedToken & { token: string };
    },
    tokens: async () => ((await api('GET', '/tokens?limit=1000')).body as { data: TokenInfo[] }).data,
    stop: () => (stopped ??= stop()),
  };
}

/** Waits until a condition holds, at most a minute. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const start = performance.now(); performance.now() < start + 60_000; await sleep(25))
    if (await holds()) return;
  throw new Error(`the condition did not hold within 60 s: ${holds}`);
}

async function ask(url: string, method: string, body: unknown, token: string): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
}
