import type { Bus } from './connection.ts';
import { Life, Lookout, probeSubject } from './liveness.ts';
import { Outbox, type SendQueue } from './outbox.ts';
import type { ServedCall } from './served-call.ts';
import { ItemsById } from './slab.ts';

/** A caller of a worker. */
export interface Peer {
  outbox: Outbox;
  calls: ItemsById<number, ServedCall>;
  life: Life;
}

/** The callers of a worker, by their reply subjects. The calls of one that is lost are cancelled. */
export class Peers {
  readonly #bus: Bus;
  readonly #queue: SendQueue;
  readonly #peers = new Map<string, Peer>();
  readonly #lookout: Lookout;

  constructor(bus: Bus, queue: SendQueue) {
    this.#bus = bus;
    this.#queue = queue;
    this.#lookout = new Lookout({
      now: () => bus.clock.now(),
      probe: (caller, missed) => probeSubject(bus.calls, caller, missed),
      gone: caller => this.#gone(caller),
    });
  }

  get(caller: string): Peer | undefined {
    return this.#peers.get(caller);
  }

  /** Returns a caller that has sent a frame. */
  heard(caller: string): Peer {
    const now = this.#bus.clock.now();
    let peer = this.#peers.get(caller);
    if (!peer) {
      peer = { outbox: new Outbox(this.#queue, caller), calls: new ItemsById(), life: new Life(now) };
      this.#peers.set(caller, peer);
    }
    peer.life.heard(now);
    return peer;
  }

  /** All calls that are served. */
  get calls(): ServedCall[] {
    return [...this.#peers.values()].flatMap(peer => peer.calls.values());
  }

  /** Looks after the lives of the callers. */
  look(): void {
    if (!this.#lookout.look(this.#served())) return;
    const now = this.#bus.clock.now();
    for (const [caller, { life }] of this.#peers) if (life.isLost(now)) this.#gone(caller);
  }

  /** Asks NATS for those that have calls, so that a closed connection is found before a heartbeat is overdue. */
  probe(): void {
    for (const [caller, life] of this.#served()) this.#lookout.probe(caller, life);
  }

  /** The callers that have calls: the others send nothing while they have none. */
  *#served(): Generator<[caller: string, life: Life], void> {
    for (const [caller, { calls, life }] of this.#peers) if (calls.size > 0) yield [caller, life];
  }

  #gone(caller: string): void {
    for (const call of this.#peers.get(caller)?.calls.values() ?? []) call.abandon();
    this.#peers.delete(caller);
  }
}
