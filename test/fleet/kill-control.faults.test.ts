import { expect, test } from 'vitest';
import { ask } from './clients.ts';
import { Fleet, type FleetProcess, untilReady } from './fleet.ts';
import { ledger, sumOf } from './ledger.ts';
import { Asked, everyQuestion } from './questions.ts';

/** Uses of the gateway while no process can write tokens or read the ledger. */
class Outage {
  readonly #fleet: Fleet;
  readonly #revoked: string;
  #requests = 0;

  private constructor(fleet: Fleet, revoked: string) {
    this.#fleet = fleet;
    this.#revoked = revoked;
  }

  /** Creates a token, uses it and revokes it. */
  static async prepare(fleet: Fleet): Promise<Outage> {
    const { id, token } = await fleet.createToken();
    const [front] = fleet.fronts as [FleetProcess];
    await expect.poll(async () => (await ask(front.url, token, { model: 'sim-t1' })).status).toBe(200);
    await fleet.admin('DELETE', `/tokens/${id}`);
    const outage = new Outage(fleet, token);
    outage.#requests++;
    await outage.works(front);
    return outage;
  }

  /** Checks that valid tokens work on a front, and revoked ones do not. */
  async works({ url }: FleetProcess): Promise<void> {
    const asked = everyQuestion('sim-t20').map(question => new Asked(url, this.#fleet.token, question));
    for (const each of asked) expect(await each.text()).not.toBe('');
    this.#requests += asked.length;
    expect((await ask(url, this.#revoked, { model: 'sim-t20' })).status).toBe(401);
  }

  /** Starts a front and a worker, and stops the earlier ones. */
  async replaceAll(): Promise<FleetProcess> {
    const { fronts, workers } = this.#fleet;
    const before = [...fronts, ...workers];
    const [front] = await Promise.all([this.#fleet.startFront(), this.#fleet.startWorker()]);
    await Promise.all(before.map(each => each.stop()));
    await untilReady(front);
    return front;
  }

  /** Kills every process that may still hold a record, once JetStream has them all. */
  async killWriters(): Promise<void> {
    const writers = [...this.#fleet.fronts, ...this.#fleet.workers].filter(({ running }) => running);
    for (const writer of writers) {
      await expect.poll(() => waitingIn(writer)).toBe(0);
      await writer.kill();
    }
  }

  /** Checks that the ledger has every attempt, with the total usage that the simulator counted. */
  async expectEqual(): Promise<void> {
    const read = () => ledger(this.#fleet).catch(() => []);
    await expect.poll(async () => (await read()).length, { timeout: 20_000 }).toBe(this.#requests);
    const entries = await ledger(this.#fleet);
    for (const entry of entries) expect(entry).toMatchObject({ outcome: 'answered', charged: true });
    expect(sumOf(entries)).toEqual((await this.#fleet.stats()).usage);
  }
}

/** The usage records that a process still holds. */
async function waitingIn({ opsUrl }: FleetProcess): Promise<number> {
  const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
  return Number(/^gateway_usage_waiting (\d+)/m.exec(metrics)?.[1]);
}

test('requests continue while control and its database are killed, and the ledger is complete after their restart', async () => {
  await using fleet = await Fleet.start();
  const outage = await Outage.prepare(fleet);
  await fleet.control.kill();
  await outage.works(fleet.fronts[0] as FleetProcess);
  await outage.works(await outage.replaceAll());
  await outage.killWriters();
  await fleet.startControl();
  await outage.expectEqual();
});
