import { type Diagnostics, diagnostics, type Finding } from '@model-gateway/admin-api';
import { type Bus, connectBus, joinProjection, streamManager } from '@model-gateway/bus';
import { type OwnNatsServer, pauseProcess, urlFor } from '@model-gateway/bus/testing';
import { restKey } from '@model-gateway/catalog';
import { ManualClock } from '@model-gateway/clock/testing';
import { answerAboutProcess, type ProcessReport, reportProcess } from '@model-gateway/service';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { TestControl } from '../testing/control.ts';
import { passing } from '../testing/passing-time.ts';
import { postgresPrograms, startPostgres } from '../testing/postgres-server.ts';
import { Stage } from '../testing/stage.ts';

const catalog = `
providers:
  - { name: house, kind: ollama }
  - { name: vendor, kind: openai, apiKey: { value: secret }, pool: eu }
models:
  - { name: fast, targets: [ { provider: house, model: small }, { provider: vendor, model: mini } ] }
`;

let stage: Stage<OwnNatsServer>;
let clock: ManualClock;
let control: TestControl;
const peers: Bus[] = [];
beforeAll(async () => {
  stage = await Stage.withOwnNats();
});
afterEach(async () => {
  await Promise.all(peers.splice(0).map(peer => peer.close()));
});
afterAll(() => stage.clear());

/** Starts the control that the tests ask, and lets the time pass after which it knows its workers. */
async function start(env: Record<string, string>): Promise<void> {
  clock = new ManualClock(Date.now());
  control = await stage.control(env, { clock });
  await clock.advance(2_000);
}

async function diagnose(token?: string): Promise<Diagnostics> {
  const { status, body } = await passing(clock, control.api('GET', '/diagnostics', undefined, token), 10);
  expect(status).toBe(200);
  return diagnostics.parse(body);
}

const of = ({ checks }: Diagnostics, name: string): Finding[] => checks.filter(({ check }) => check === name);
const statusOf = (all: Diagnostics, name: string) => of(all, name).map(({ status }) => status);

/** Joins the bus as a worker that reports itself with these fields. */
async function peer(fields: () => Partial<ProcessReport>): Promise<void> {
  const bus = await connectBus({ url: urlFor(stage.nats.url, 'worker'), name: 'worker' });
  peers.push(bus);
  answerAboutProcess(bus, () => ({ ...reportProcess('worker', {}), at: clock.now(), ...fields() }));
  await bus.state.flush();
}

/** Sends a heartbeat of a worker of a pool. */
function beat(pool: string): void {
  const text = JSON.stringify({ load: 1, capacity: 10, version: 2 });
  stage.bus.state.publish(`gateway.v1.beat.${pool}.w1`, text);
}

describe('a sound installation', () => {
  test('has no warning', async () => {
    await start(await stage.withCatalog(catalog.replace(', pool: eu', '')));
    await control.api('POST', '/users/admin/password', { password: 'another password' });
    await peer(() => ({ facts: { pool: 'default', withoutKey: [] } }));
    await vi.waitFor(async () => {
      beat('default');
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
    });
    await control.stop();
  });
});

describe('diagnostics find', () => {
  beforeAll(async () => start(await stage.withCatalog(catalog)));
  afterAll(() => control.stop());

  test('a clock that is wrong, another version and missing memory of a process', async () => {
    await peer(() => ({
      at: clock.now() + 20_000,
      version: '0.0.9',
      host: 'far',
      memory: { used: 95, limit: 100 },
    }));
    await peer(() => ({ at: clock.now() - 60_000, host: 'past' }));
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
    });
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
    });
  });

  test('a pool without a worker, and a provider that has refused its key', async () => {
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
    await vi.waitFor(() => bucket.put(restKey(kept), kept));
    await vi.waitFor(async () => {
      beat('default');
      const found = await diagnose();
      expect(of(found, 'workers').map(({ status, found }) => [status, found])).toEqual([
        ['ok', 'the pool default has 1 worker, and 1 of 10 calls'],
        ['failed', 'the pool eu has no worker'],
      ]);
      expect(of(found, 'providers')).toContainEqual({
        ...{ check: 'providers', status: 'failed', advice: expect.stringContaining('Correct the key') },
        found: expect.stringMatching(/^vendor has refused its API key since /),
      });
    });
  });

  test('a stream that is missing', async () => {
    const manager = await streamManager(stage.bus);
    // Control makes the stream again if it goes before its consumer is there.
    await vi.waitFor(() => manager.consumers.info('LOGGED', 'log'));
    await manager.streams.delete('LOGGED');
    await vi.waitFor(async () =>
      expect(of(await diagnose(), 'streams')).toContainEqual(
        expect.objectContaining({
          status: 'failed',
          found: expect.stringContaining('the stream LOGGED cannot be read'),
        }),
      ),
    );
  });

  test('a NATS that hangs, within seconds, while the database is sound', async () => {
    const { pid } = stage.nats;
    await pauseProcess(pid);
    try {
      await vi.waitFor(async () => {
        const begun = clock.monotonic();
        const found = await diagnose();
        expect(clock.monotonic() - begun).toBeLessThan(5_000);
        expect(statusOf(found, 'nats')).toEqual(['failed']);
        expect(of(found, 'nats')[0]?.found).toBe('did not answer within 4 s');
        expect(statusOf(found, 'database')).not.toContain('failed');
        expect(of(found, 'database')[0]?.found).toMatch(/^the embedded PostgreSQL \S+ (answers in|takes) /);
      });
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });
});

test('diagnostics find an admin token that can be guessed, and a public URL without TLS', async () => {
  await start({
    ...(await stage.withCatalog(catalog)),
    ...{ GATEWAY_ADMIN_TOKEN: 'changeme', GATEWAY_PUBLIC_URL: 'http://gateway.example' },
  });
  const found = await diagnose('changeme');
  expect(of(found, 'settings').map(({ status, found }) => [status, found])).toEqual([
    ['failed', 'GATEWAY_ADMIN_TOKEN can be guessed'],
    ['warning', 'the first password of the user admin is still in the file admin-password'],
    ['warning', expect.stringContaining('GATEWAY_PUBLIC_URL is http://gateway.example')],
  ]);
  expect(JSON.stringify(found)).not.toContain('changeme');
  await control.stop();
});

const programs = postgresPrograms();

test('diagnostics find a PostgreSQL that is stopped, and check the rest', async context => {
  if (!programs) return context.skip('there is no initdb and postgres on this machine');
  const postgres = await startPostgres(programs);
  try {
    await start({ GATEWAY_DATA: stage.emptyFolder(), DATABASE_URL: postgres.url });
    await vi.waitFor(async () =>
      expect(of(await diagnose(), 'database')[0]?.found).toMatch(/^PostgreSQL \d/),
    );
    await postgres.halt();
    await vi.waitFor(async () => {
      const begun = clock.monotonic();
      const found = await diagnose();
      expect(clock.monotonic() - begun).toBeLessThan(5_000);
      expect(statusOf(found, 'database')).toEqual(['failed']);
      expect(of(found, 'database')[0]?.advice).toContain('Start PostgreSQL');
      expect(statusOf(found, 'nats')).toContain('ok');
      expect(statusOf(found, 'nats')).not.toContain('failed');
    });
  } finally {
    await control.stop();
    await postgres.stop();
  }
});
