import { setTimeout as sleep } from 'node:timers/promises';
import { openAccess } from '@model-gateway/access';
import { type Bus, Caller, connectBus, type ServedCall, Server } from '@model-gateway/bus';
import type { GenerateEvent } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { control } from '@model-gateway/control';
import {
  clientAddress,
  createLog,
  createMetrics,
  listen,
  ProcessShared,
  readSettings,
  TrustedProxies,
} from '@model-gateway/service';
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { describeInContainers } from '../compose/engine.ts';
import { composeImage } from '../compose/images.ts';

const minute = 60_000;
const images = { nats: composeImage('nats'), postgres: composeImage('postgres') };
// The tests stop their containers. The image that would do so were they killed cannot be pulled everywhere.
process.env.TESTCONTAINERS_RYUK_DISABLED ??= 'true';

describeInContainers('containers', { images: Object.values(images) }, () => {
  let nats: StartedTestContainer;
  let postgres: StartedTestContainer;
  let bus: Bus;

  beforeAll(async () => {
    [nats, postgres] = await Promise.all([
      new GenericContainer(images.nats)
        .withCommand(['-js', '--user', 'gateway', '--pass', 'p@ss'])
        .withExposedPorts(4222)
        .withWaitStrategy(Wait.forLogMessage('Server is ready'))
        .start(),
      new GenericContainer(images.postgres)
        .withEnvironment({ POSTGRES_USER: 'gateway', POSTGRES_PASSWORD: 'secret' })
        .withExposedPorts(5432)
        .withWaitStrategy(Wait.forLogMessage(/listening on IPv4/))
        .start(),
    ]);
    bus = await connectBus({ url: natsUrl(), name: 'test' });
  }, 5 * minute);
  afterAll(async () => {
    await bus?.close();
    await Promise.all([nats?.stop(), postgres?.stop()]);
  });

  const at = (container: StartedTestContainer, port: number) =>
    `${container.getHost()}:${container.getMappedPort(port)}`;
  const natsUrl = () => `nats://gateway:p%40ss@${at(nats, 4222)}`;

  async function startControl() {
    const settings = readSettings(control.settings, {
      DATABASE_URL: `postgres://gateway:secret@${at(postgres, 5432)}/gateway`,
      GATEWAY_ADMIN_TOKEN: 'admin',
      GATEWAY_MASTER_KEY: '0'.repeat(64),
    });
    const log = createLog('control', 'silent');
    const context = {
      log,
      metrics: createMetrics(),
      shared: new ProcessShared(),
      bus: async () => bus,
      clientAddress: clientAddress(new TrustedProxies()),
    };
    const running = await control.start(context, settings);
    await vi.waitFor(() => expect(running.problems?.()).toEqual([]), { timeout: 20_000 });
    const served = await listen(running.handle ?? (() => {}), '127.0.0.1', 0);
    return {
      api: (method: string, path: string, body?: object) =>
        fetch(`${served.url}/api/v1${path}`, {
          method,
          headers: { authorization: 'Bearer admin', 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        }),
      async stop() {
        await served.close();
        await running.close?.();
      },
    };
  }

  test('a body of 3 MB returns from NATS as a stream, complete and in order', async () => {
    const server = await Server.open(bus, { pool: 'default', capacity: 1, serve: call => void echo(call) });
    const caller = await Caller.open(bus);
    const body = Buffer.alloc(3_000_000, '0123456789\n');
    try {
      const pieces: Uint8Array[] = [];
      const end = await new Promise<GenerateEvent>(resolve => {
        const call = caller.call({
          pool: 'default',
          envelope: testEnvelope({ textLength: body.length }),
          body,
          queueMs: 5_000,
          onEvents(events, weight) {
            for (const event of events) {
              if (event.type === 'verbatim') pieces.push(Buffer.from(event.bytes));
              else resolve(event);
            }
            call.consumed(weight);
          },
        });
      });
      expect(end.type).toBe('finish');
      expect(pieces).toHaveLength(60);
      expect(Buffer.concat(pieces).equals(body)).toBe(true);
    } finally {
      caller.close();
      server.close();
    }
  });

  test('two control processes create the tables in PostgreSQL at once, and share tokens across a restart', async () => {
    const [one, two] = await Promise.all([startControl(), startControl()]);
    const { access } = await openAccess(bus);
    const made = await one.api('POST', '/tokens', { name: 'made' });
    expect(made.status).toBe(201);
    const { id, token } = (await made.json()) as { id: string; token: string };
    await vi.waitFor(() => expect(access.check(token, Date.now()).id).toBe(id));
    expect(await (await two.api('GET', '/tokens')).json()).toMatchObject({ data: [{ id, name: 'made' }] });
    expect((await two.api('DELETE', `/tokens/${id}`)).status).toBe(204);
    await vi.waitFor(() => expect(() => access.check(token, Date.now())).toThrow());
    await Promise.all([one.stop(), two.stop()]);

    const again = await startControl();
    expect(await (await again.api('GET', '/tokens')).json()).toEqual({ data: [], next: null });
    await again.stop();
  });
});

async function echo(call: ServedCall): Promise<void> {
  const { body } = call;
  const step = 50_000;
  for (let from = 0; from < body.length; from += step) {
    const bytes = body.subarray(from, from + step);
    if (!call.send([{ type: 'verbatim', bytes }])) await call.drained;
    await sleep(1);
  }
  call.send([{ type: 'finish', reason: 'stop', raw: 'stop', usage: null }]);
}
