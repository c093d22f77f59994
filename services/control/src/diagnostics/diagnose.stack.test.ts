import { type Diagnostics, diagnostics, type Finding } from '@model-gateway/admin-api';
import { type Bus, connectBus, joinProjection } from '@model-gateway/bus';
import { type OwnNatsServer, pauseProcess, urlFor } from '@model-gateway/bus/testing';
import { restKey } from '@model-gateway/catalog';
import { answerAboutProcess, type ProcessReport, reportProcess } from '@model-gateway/service';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { TestControl } from '../testing/control.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../testing/postgres-server.ts';
import { Stage } from '../testing/stage.ts';

const catalog = `
providers:
  - { name: house, kind: ollama }
  - { name: vendor, kind: openai, apiKey: { value: secret }, pool: eu }
models:
  - { name: fast, targets: [ { provider: house, model: small }, { provider: vendor, model: mini } ] }
`;

let stage: Stage<OwnNatsServer>;
let control: TestControl;
let peers: Bus[];
let timers: NodeJS.Timeout[];
beforeEach(async () => {
  peers = [];
  timers = [];
  stage = await Stage.withOwnNats();
});
afterEach(async () => {
  timers.forEach(clearInterval);
  await Promise.all(peers.map(peer => peer.close()));
  await stage.clear();
});

async function diagnose(): Promise<Diagnostics> {
  const { status, body } = await control.api('GET', '/diagnostics');
  expect(status).toBe(200);
  return diagnostics.parse(body);
}

const of = ({ checks }: Diagnostics, name: string): Finding[] => checks.filter(({ check }) => check === name);
const statusOf = (all: Diagnostics, name: string) => of(all, name).map(({ status }) => status);

/** Joins the bus as a worker that reports itself with these fields. */
async function peer(fields: () => Partial<ProcessReport>): Promise<void> {
  const bus = await connectBus({ url: urlFor(stage.nats.url, 'worker'), name: 'worker' });
  peers.push(bus);
  answerAboutProcess(bus, () => ({ ...reportProcess('worker', {}), ...fields() }));
  await bus.state.flush();
}

/** Sends the heartbeats of a worker of a pool. */
function heartbeats(pool: string): void {
  const beat = () =>
    stage.bus.state.publish(
      `gateway.v1.beat.${pool}.w1`,
      JSON.stringify({ load: 1, capacity: 10, version: 2 }),
    );
  timers.push(setInterval(beat, 200));
}

const patient = { timeout: 60_000, interval: 200 };

describe('a sound installation', () => {
  test('has no warning', async () => {
    control = await stage.control(await stage.withCatalog(catalog.replace(', pool: eu', '')));
    await control.api('POST', '/users/admin/password', { password: 'another password' });
    await peer(() => ({ facts: { pool: 'default', withoutKey: [] } }));
    heartbeats('default');
    await vi.waitFor(async () => {
      const found = await diagnose();
      // The test's own nats-server and token are no finding of the installation.
      const checks = found.checks.filter(({ check }) => !['settings', 'disk', 'memory'].includes(check));
      // A busy machine may be slow.
      const slow = /ms away$|takes \d+ ms for a query$/;
      expect(checks.filter(({ status, found }) => status !== 'ok' && !slow.test(found))).toEqual([]);
      expect([...new Set(checks.map(({ check }) => check))]).toEqual([
        ...['nats', 'streams', 'usage', 'database', 'migrations', 'processes', 'versions', 'clocks'],
        ...['workers', 'credentials', 'providers'],
      ]);
      expect(of(found, 'processes')[0]?.found).toBe('these processes answer: 1 control, 1 worker');
    }, patient);
  });
});

describe('diagnostics find', () => {
  beforeEach(async () => {
    control = await stage.control(await stage.withCatalog(catalog));
  });

  test('a clock that is wrong, another version and missing memory of a process', async () => {
    await peer(() => ({
      at: Date.now() + 20_000,
      version: '0.0.9',
      host: 'far',
      memory: { used: 95, limit: 100 },
    }));
    await peer(() => ({ at: Date.now() - 60_000, host: 'past' }));
    await vi.waitFor(async () => {
      const found = await diagnose();
      expect(of(found, 'clocks')).toEqual([
        {
          ...{ check: 'clocks', status: 'warning' },
          found: expect.stringMatching(
            /^the clock of worker on far \(\d+\) is (1\d|20)\.\d s ahead of that of control$/,
          ),
          advice: expect.stringContaining('NTP'),
        },
        {
          check: 'clocks',
          status: 'failed',
          found: expect.stringMatching(/past .* behind/),
          advice: expect.any(String),
        },
      ]);
      expect(of(found, 'versions')[0]).toMatchObject({
        status: 'warning',
        found: expect.stringContaining('0.0.9 (worker), 0.1.0 (control, worker)'),
      });
      expect(of(found, 'memory')[0]?.found).toMatch(/^worker on far /);
    }, patient);
  });

  test('what a process says of itself, its certificate, and the API keys that it lacks', async () => {
    await peer(() => ({
      host: 'ill',
      problems: ['NATS does not take records'],
      certificateEndsAt: Date.now() - 1_000,
      facts: { withoutKey: ['vendor has no API key: VENDOR_KEY is not set'] },
    }));
    await vi.waitFor(async () => {
      const found = await diagnose();
      expect(of(found, 'processes').map(({ found }) => found)).toContainEqual(
        expect.stringMatching(/^worker on ill \(\d+\): NATS does not take records$/),
      );
      expect(of(found, 'certificates')[0]).toMatchObject({ status: 'failed' });
      expect(of(found, 'credentials')).toEqual([
        {
          ...{ check: 'credentials', status: 'failed', advice: expect.any(String) },
          found: expect.stringMatching(
            /^vendor has no API key: VENDOR_KEY is not set in 1 of 1 workers: ill/,
          ),
        },
      ]);
    }, patient);
  });

  test('a pool without a worker, and a provider that has refused its key', async () => {
    heartbeats('default');
    const bucket = await joinProjection(stage.bus, 'health');
    const now = Date.now();
    const rest = {
      version: now,
      provider: 'vendor',
      key: 'default',
      reason: 'refused-key',
      error: 'forbidden',
    };
    const kept = { ...rest, since: now, until: now + 60_000, by: 'front' };
    await vi.waitFor(() => bucket.put(restKey(kept), kept), patient);
    await vi.waitFor(async () => {
      const found = await diagnose();
      expect(of(found, 'workers').map(({ status, found }) => [status, found])).toEqual([
        ['ok', 'the pool default has 1 worker, and 1 of 10 calls'],
        ['failed', 'the pool eu has no worker'],
      ]);
      expect(of(found, 'providers')).toContainEqual({
        ...{ check: 'providers', status: 'failed', advice: expect.stringContaining('Correct the key') },
        found: expect.stringMatching(/^vendor has refused its API key since /),
      });
    }, patient);
  });

  test('a stream that is missing', async () => {
    const { streamManager } = await import('@model-gateway/bus');
    const manager = await streamManager(stage.bus);
    // Control makes the stream again if it goes before its consumer is there.
    await vi.waitFor(() => manager.consumers.info('LOGGED', 'log'), patient);
    await manager.streams.delete('LOGGED');
    expect(of(await diagnose(), 'streams')).toContainEqual(
      expect.objectContaining({
        status: 'failed',
        found: expect.stringContaining('the stream LOGGED cannot be read'),
      }),
    );
  });

  test('a NATS that hangs, within seconds, while the database is sound', async () => {
    const { pid } = stage.nats;
    await pauseProcess(pid);
    try {
      const begun = performance.now();
      const found = await diagnose();
      expect(performance.now() - begun).toBeLessThan(20_000);
      expect(statusOf(found, 'nats')).toEqual(['failed']);
      expect(of(found, 'nats')[0]?.found).toBe('did not answer within 4 s');
      expect(statusOf(found, 'database')).not.toContain('failed');
      expect(of(found, 'database')[0]?.found).toMatch(/^the embedded PostgreSQL \S+ (answers in|takes) /);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });

  test('an admin token that can be guessed, and a public URL without TLS', async () => {
    await control.stop();
    control = await stage.control({
      ...(await stage.withCatalog(catalog)),
      ...{ GATEWAY_ADMIN_TOKEN: 'changeme', GATEWAY_PUBLIC_URL: 'http://gateway.example' },
    });
    const { body } = await control.api('GET', '/diagnostics', undefined, 'changeme');
    expect(of(body as Diagnostics, 'settings').map(({ status, found }) => [status, found])).toEqual([
      ['failed', 'GATEWAY_ADMIN_TOKEN can be guessed'],
      ['warning', 'the first password of the user admin is still in the file admin-password'],
      ['warning', expect.stringContaining('GATEWAY_PUBLIC_URL is http://gateway.example')],
    ]);
    expect(JSON.stringify(body)).not.toContain('changeme');
  });
});

const programs = postgresPrograms();

describe('PostgreSQL', () => {
  let postgres: PostgresServer | undefined;
  beforeAll(async () => {
    if (programs) postgres = await startPostgres(programs);
  });
  afterAll(() => postgres?.stop());

  test('that is stopped is found, and the rest is still checked', async context => {
    if (!postgres) return context.skip('there is no initdb and postgres on this machine');
    control = await stage.control({ GATEWAY_DATA: stage.emptyFolder(), DATABASE_URL: postgres.url });
    expect(of(await diagnose(), 'database')[0]?.found).toMatch(/^PostgreSQL \d/);
    await postgres.halt();
    try {
      const begun = performance.now();
      const found = await diagnose();
      expect(performance.now() - begun).toBeLessThan(20_000);
      expect(statusOf(found, 'database')).toEqual(['failed']);
      expect(of(found, 'database')[0]?.advice).toContain('Start PostgreSQL');
      expect(statusOf(found, 'nats')).toContain('ok');
      expect(statusOf(found, 'nats')).not.toContain('failed');
    } finally {
      await postgres.start();
    }
  });
});
