import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ScriptedUpstream, startUpstream } from '../faults/upstream.ts';
import { answerText, ask } from '../fleet/clients.ts';
import { Fleet, type FleetProcess } from '../fleet/fleet.ts';
import { alerts, alertsFile, dashboardQueries, metricsIn } from './files.ts';
import { Prometheus, withoutWaits } from './prometheus.ts';
import { whyNoPrometheus } from './promtool.ts';

/** Time for which the load runs, in milliseconds: several scrapes see it. */
const loadMs = 12_000;
/** Clients of the load, each with one request at a time. */
const clients = 4;
const soon = { timeout: 60_000, interval: 500 };
/** The metrics of alerts that only a rest makes. */
const ofRests = ['gateway_target_resting', 'gateway_key_resting'];

/** The alerts that the tests cause. A busy machine may cause others. */
const caused = [
  'GatewayUpstreamFailing',
  'GatewayTargetResting',
  'GatewayKeyRefused',
  'GatewayProcessDown',
  'GatewayWorkersLost',
  'GatewayBusDisconnected',
  'GatewayProcessNotReady',
  'GatewayServerErrors',
  'GatewayCostUnknown',
  'GatewayPoolGone',
];

let fleet: Fleet;
let prometheus: Prometheus;
const upstreams: ScriptedUpstream[] = [];

const name = 'dashboards and alerts at a real Prometheus';
const run = describe.skipIf(whyNoPrometheus);

async function upstream(status: number): Promise<string> {
  const error = JSON.stringify({ error: { message: 'It is broken.' } });
  const made = await startUpstream(response => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(error);
  });
  upstreams.push(made);
  return `${made.url}/v1`;
}

/** Sends requests of each kind until the time is over. Returns their statuses. */
async function load(origin: string, models: readonly string[]): Promise<Set<number>> {
  const statuses = new Set<number>();
  const until = Date.now() + loadMs;
  const client = async (first: number) => {
    for (let i = first; Date.now() < until; i++) {
      const model = models[i % models.length] as string;
      const response = await ask(origin, fleet.token, { model, stream: i % 2 === 0 });
      statuses.add(response.status);
      if (response.status === 200) await answerText(response);
      else await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, i) => client(i)));
  return statuses;
}

const firing = async () => {
  const rules = await prometheus.rules();
  return rules.filter(({ state }) => state === 'firing').map(({ name }) => name);
};

run(whyNoPrometheus ? `${name} (skipped: ${whyNoPrometheus})` : name, () => {
  beforeAll(async () => {
    const [broken, refusing] = [await upstream(500), await upstream(401)];
    const catalog = (url: string) => `providers:
  - { name: good, kind: openai-compatible, baseUrl: "${url}/v1" }
  - { name: broken, kind: openai-compatible, baseUrl: "${broken}" }
  - { name: refusing, kind: openai-compatible, baseUrl: "${refusing}", apiKey: { value: secret } }
models:
  - { name: priced, targets: [ { provider: good, model: sim-8 } ], price: { input: 1, output: 2 } }
  - { name: unpriced, targets: [ { provider: good, model: sim-8 } ] }
  - { name: failed-over, targets: [ { provider: broken, model: m }, { provider: good, model: sim-8 } ] }
  - { name: refused, targets: [ { provider: refusing, model: m } ] }
`;
    // A collector that is not there: its metric exists all the same.
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    fleet = await Fleet.start({ workers: 2, env, catalog });
    const processes = [fleet.control, ...fleet.workers, ...fleet.fronts];
    const targets = processes.map(({ name: component, opsUrl }) => ({
      component,
      host: new URL(opsUrl).host,
    }));
    prometheus = await Prometheus.start(targets, withoutWaits(alertsFile));
  });
  afterAll(async () => {
    await prometheus?.[Symbol.asyncDispose]();
    await fleet?.[Symbol.asyncDispose]();
    for (const made of upstreams) made.close();
  });

  test('every query of every dashboard returns data of a load, and every alert has its series', async () => {
    const [front] = fleet.fronts as [FleetProcess];
    await expect.poll(() => prometheus.values('sum(up)'), soon).toEqual([4]);
    const early = await firing();
    expect(early.filter(alert => caused.includes(alert))).toEqual([]);
    const statuses = await load(front.url, ['priced', 'unpriced', 'failed-over', 'refused', 'unknown']);
    expect([...statuses].toSorted()).toEqual([200, 404, 502]);
    const empty = async () => {
      const found: string[] = [];
      for (const { place, expr } of dashboardQueries('1m'))
        if ((await prometheus.count(expr)) === 0) found.push(`${place}: ${expr}`);
      return found;
    };
    await expect.poll(empty, soon).toEqual([]);
    const rules = await prometheus.rules();
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    expect(rules.map(({ name }) => name).toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted());
    const names = new Set(alerts.flatMap(({ expr }) => metricsIn(expr)));
    const absent: string[] = [];
    for (const name of names)
      if ((await prometheus.count(`{__name__=~"${name}(_bucket|_count)?"}`)) === 0) absent.push(name);
    expect(absent.filter(name => !ofRests.includes(name))).toEqual([]);
    expect(await firing()).toEqual(expect.arrayContaining(['GatewayServerErrors', 'GatewayCostUnknown']));
  });

  test('alerts about upstreams fire while upstreams fail', async () => {
    const [front] = fleet.fronts as [FleetProcess];
    for (let i = 0; i < 20; i++)
      await (await ask(front.url, fleet.token, { model: 'failed-over' })).arrayBuffer();
    await (await ask(front.url, fleet.token, { model: 'refused' })).arrayBuffer();
    await expect
      .poll(firing, soon)
      .toEqual(
        expect.arrayContaining(['GatewayUpstreamFailing', 'GatewayTargetResting', 'GatewayKeyRefused']),
      );
  });

  test('alerts about workers fire when one is killed, and that of the pool when none is left', async () => {
    const [worker, last] = fleet.workers as [FleetProcess, FleetProcess];
    await worker.kill();
    await expect
      .poll(firing, soon)
      .toEqual(expect.arrayContaining(['GatewayProcessDown', 'GatewayWorkersLost']));
    expect(await firing()).not.toContain('GatewayPoolGone');
    await last.kill();
    await expect.poll(firing, soon).toContain('GatewayPoolGone');
  });

  test('alerts about the bus fire when NATS is lost', async () => {
    process.kill(fleet.nats.pid, 'SIGKILL');
    await expect
      .poll(firing, soon)
      .toEqual(expect.arrayContaining(['GatewayBusDisconnected', 'GatewayProcessNotReady']));
  });
});
