import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { connectBus } from '@model-gateway/bus';
import { type NatsServer, startNats, urlFor } from '@model-gateway/bus/testing';
import type { ManualClock } from '@model-gateway/clock/testing';
import {
  clientAddress,
  createMetrics,
  listen,
  ProcessShared,
  type Running,
  readSettings,
  type Service,
  type SettingName,
  TrustedProxies,
} from '@model-gateway/service';
import { worker } from '@model-gateway/worker';
import { pino } from 'pino';
import { stringify } from 'yaml';
import { front } from '../../deploy/launcher/src/front/service.ts';
import { startControl, type TestControl } from '../../services/control/src/testing/control.ts';
import { newDataFolder } from '../../services/control/src/testing/data-folder.ts';

/** A gateway with a real control, worker and front in this process. */
export interface WholeGateway {
  nats: NatsServer;
  control: TestControl;
  worker: Running;
  url: string;
  token: string;
  /** The folder of its state, with its gateway.yaml. */
  data: string;
  /** Everything that the worker and the front have logged. */
  log(): string;
  /** The metrics of the worker and the front. */
  metrics(): Promise<string>;
  /** Sends a request of a client; resolves to the status and the body. */
  ask(path: string, body?: unknown): Promise<{ status: number; body: string }>;
  /** The names in `GET /v1/models`. */
  models(): Promise<string[]>;
  stop(): Promise<void>;
}

/** Starts a gateway with a gateway.yaml of this content. `env` holds settings of its services; `clock` is the time of control. */
export async function startWholeGateway(
  catalog: object,
  env: Record<string, string> = {},
  clock?: ManualClock,
): Promise<WholeGateway> {
  const data = await newDataFolder();
  const file = join(data, 'gateway.yaml');
  writeFileSync(file, stringify(catalog));
  const nats = await startNats();
  const settings = { GATEWAY_DATA: data, CONTROL_URL: 'http://127.0.0.1:9', ...env };
  const token = `sk-${'first'.repeat(8)}`;
  const control = await startControl(
    nats.url,
    { ...settings, GATEWAY_CONFIG: file, GATEWAY_FIRST_TOKEN: token },
    { ...(clock && { clock }) },
  );
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, sink(lines));
  const metrics = createMetrics();
  const closes: (() => Promise<void>)[] = [];
  const start = async <Name extends SettingName>(name: 'worker' | 'front', service: Service<Name>) => {
    const bus = await connectBus({ url: urlFor(nats.url, name), name });
    const context = {
      ...{ log, metrics: name === 'worker' ? metrics : createMetrics(), shared: new ProcessShared() },
      bus: async () => bus,
      clientAddress: clientAddress(new TrustedProxies([])),
      env: settings,
    };
    const running = await service.start(context, readSettings(service.settings, settings));
    closes.push(async () => {
      await running.close?.();
      await bus.close();
    });
    return running;
  };
  const runningWorker = await start('worker', worker);
  const { handle } = await start('front', front);
  const served = await listen(handle ?? (() => {}), '127.0.0.1', 0);
  const ask: WholeGateway['ask'] = async (path, body) => {
    const response = await fetch(served.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.text() };
  };
  return {
    ...{ nats, control, worker: runningWorker, url: served.url, token, data, ask },
    log: () => lines.join(''),
    metrics: () => metrics.metrics(),
    async models() {
      const { data } = JSON.parse((await ask('/v1/models')).body) as { data?: { id: string }[] };
      return (data ?? []).map(({ id }) => id);
    },
    async stop() {
      await served.close();
      for (const close of closes.reverse()) await close();
      await control.stop();
      await nats.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

function sink(lines: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
}
