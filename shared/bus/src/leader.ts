import { randomUUID } from 'node:crypto';
import type { Clock } from '@model-gateway/clock';
import { type KV, Kvm } from '@nats-io/kv';
import type { Subscription } from 'nats';
import type { BucketName } from './bucket.ts';
import { type Bus, jetStream } from './connection.ts';
import { followStatus, readJson, subscribe } from './faults.ts';
import { probeSubject } from './liveness.ts';
import { answerQuestions } from './questions.ts';
import { leaderSubjects, leftSubjects } from './subjects.ts';

/** The bucket that holds the lease of the leader. */
const bucket = 'limits' satisfies BucketName;
const leaseKey = 'leader';
/** Interval of the checks and renewals of the lease, in milliseconds. */
const tickMs = 500;
/** Time since the last renewal after which a leader stops to be one, in milliseconds. */
export const leaseMs = 2_500;
/** Time in which a lease was not renewed after which another process takes it: longer, so that there are never two leaders. */
export const takeOverMs = 3_000;

/** Called with what happens to a candidate. */
export interface CandidateEvents {
  elected(): void;
  deposed(): void;
  /** Called with each message to the leader; `from` is the id of its process. */
  asked(message: unknown, from: string): void;
  /** Called with each question to the leader about what is left; returns the answer. */
  questioned(question: unknown): Promise<unknown>;
  /** Called with each message of the leader to this process, or to all. */
  answered(message: unknown): void;
  /** Called when the connection was restored. */
  reconnected(): void;
}

/**
 * One of several processes of which one is the leader, by a lease in KV. Each candidate measures the age of the lease by its own
 * clock, since it saw it change, so that no two clocks are compared.
 */
export class Candidate {
  readonly id = randomUUID();
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #events: CandidateEvents;
  readonly #subscriptions: Subscription[];
  readonly #stopped = new AbortController();
  /** The messages to the leader; set while this process is the leader. */
  #asks: Subscription | undefined;
  /** Ends the answers to questions; set while this process is the leader. */
  #stopAnswering: (() => void) | undefined;
  #kv: KV | undefined;
  /** Settled when the check of the lease that runs has ended. */
  #ticking: Promise<void> = Promise.resolve();
  /** The revision of the lease that was seen last, and when; `leader` is its holder, empty if there is none. */
  #seen = { revision: 0, leader: '', at: Number.NEGATIVE_INFINITY };
  /** When a leader sent a message last. */
  #heardAt = Number.NEGATIVE_INFINITY;
  /** When the connection was restored last. */
  #reconnectedAt = Number.NEGATIVE_INFINITY;
  /** Start of the last renewal by this process; undefined while it is not the leader. */
  #renewedAt: number | undefined;
  #term = 0;

  private constructor(bus: Bus, events: CandidateEvents) {
    this.#bus = bus;
    this.#clock = bus.clock;
    this.#events = events;
    const { answer, all } = leaderSubjects;
    const answered = (message: unknown) => {
      this.#heardAt = this.#clock.monotonic();
      events.answered(message);
    };
    this.#subscriptions = [answer(bus.user, this.id), all].map(each => this.#subscribe(each, answered));
  }

  /** Starts a candidate, which tries to become the leader until it is closed. */
  static start(bus: Bus, events: CandidateEvents): Candidate {
    const candidate = new Candidate(bus, events);
    void candidate.#run();
    void followStatus(bus.calls, bus.faults, ({ type }) => {
      if (type !== 'reconnect') return;
      candidate.#reconnectedAt = bus.clock.monotonic();
      events.reconnected();
    });
    return candidate;
  }

  /** The name of this process in messages. */
  get name(): string {
    return `${this.#bus.user}.${this.id}`;
  }

  /** True if this process is the leader. */
  get isLeader(): boolean {
    if (this.#renewedAt === undefined) return false;
    if (this.#clock.monotonic() - this.#renewedAt <= leaseMs) return true;
    this.#depose();
    return false;
  }

  /** The term of this process as the leader: a later leader has a greater one. */
  get term(): number {
    return this.#term;
  }

  /** True if this process is the leader, or can reach the one that is. */
  get hasLeader(): boolean {
    if (this.isLeader) return true;
    const { leader, at } = this.#seen;
    const now = this.#clock.monotonic();
    const holdsLease = leader !== '' && leader !== this.id && now - at < takeOverMs;
    // A new leader is heard before its lease is seen, and one that stops is followed by another at the next tick.
    return (holdsLease || now - this.#heardAt < 2 * tickMs) && this.#bus.connected();
  }

  /** Time since the connection was restored, in milliseconds; infinite if it was never lost. */
  get reconnectedMs(): number {
    return this.#clock.monotonic() - this.#reconnectedAt;
  }

  /** Sends a message to the leader. */
  ask(data: unknown): void {
    this.#publish(leaderSubjects.ask, { from: this.name, data });
  }

  /** Sends a message of the leader to a process. */
  answer(to: string, message: unknown): void {
    this.#publish(answerSubject(to), message);
  }

  /** Calls `missed` if NATS does not have the connection of a process. */
  probe(process: string, missed: () => void): void {
    probeSubject(this.#bus.calls, answerSubject(process), missed);
  }

  /** Sends a message of the leader to all processes. */
  answerAll(message: unknown): void {
    this.#publish(leaderSubjects.all, message);
  }

  /** Stores a value that a later leader can read. */
  async keep(key: string, value: unknown): Promise<void> {
    await this.#kv?.put(key, JSON.stringify(value));
  }

  /** Returns a value that a leader stored; undefined if there is none. */
  async kept(key: string): Promise<unknown> {
    const entry = await this.#kv?.get(key);
    return entry?.operation === 'PUT' ? entry.json() : undefined;
  }

  /** Stops, and gives up the lease so that another process can take it at once. */
  async close(): Promise<void> {
    const wasLeader = this.isLeader;
    this.#stopped.abort();
    this.#renewedAt = undefined;
    this.#asks?.unsubscribe();
    this.#stopAnswering?.();
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
    await this.#ticking;
    const { revision } = this.#seen;
    if (wasLeader) await this.#kv?.delete(leaseKey, { previousSeq: revision }).catch(() => {});
  }

  async #run(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      this.#ticking = this.#tick().catch(() => {});
      await this.#ticking;
      await this.#clock.sleep(tickMs, { ref: false });
    }
  }

  /** Renews the lease, or takes it if no other process holds it. */
  async #tick(): Promise<void> {
    this.#kv ??= await new Kvm(jetStream(this.#bus)).open(bucket, { allow_direct: true });
    if (this.isLeader) return this.#take(this.#seen.revision).catch(() => this.#readAgain());
    const entry = await this.#kv.get(leaseKey);
    const leader = entry?.operation === 'PUT' ? entry.string() : '';
    const revision = entry?.revision ?? 0;
    const now = this.#clock.monotonic();
    if (revision !== this.#seen.revision) this.#seen = { revision, leader, at: now };
    const isFree = leader === '' || leader === this.id;
    if (isFree || now - this.#seen.at >= takeOverMs) await this.#take(revision);
  }

  /** Reads the revision of this process's own lease after a renewal whose answer was lost. */
  async #readAgain(): Promise<void> {
    const entry = await this.#kv?.get(leaseKey);
    if (entry?.operation === 'PUT' && entry.string() === this.id) this.#seen.revision = entry.revision;
  }

  /** Writes the lease, unless another process did so since `revision`. */
  async #take(revision: number): Promise<void> {
    const at = this.#clock.monotonic();
    const written = await this.#kv?.put(leaseKey, this.id, { previousSeq: revision });
    if (written === undefined || this.#stopped.signal.aborted) return;
    const isNew = !this.isLeader;
    this.#seen = { revision: written, leader: this.id, at };
    // A process that stood still meanwhile takes it once more.
    if (this.#clock.monotonic() - at > leaseMs) return;
    this.#renewedAt = at;
    if (!isNew) return;
    this.#term = written;
    this.#lead();
  }

  #lead(): void {
    this.#asks = this.#subscribe(leaderSubjects.ask, message => {
      const { from, data } = message as { from: string; data: unknown };
      if (this.isLeader) this.#events.asked(data, from);
    });
    this.#stopAnswering = answerQuestions(this.#bus, { subjects: leftSubjects }, question =>
      this.#events.questioned(question),
    );
    this.#events.elected();
  }

  #depose(): void {
    this.#renewedAt = undefined;
    this.#asks?.unsubscribe();
    this.#stopAnswering?.();
    this.#events.deposed();
  }

  /** Messages that are no JSON objects, as those of another version may be, are ignored. */
  #subscribe(subject: string, read: (message: object) => void): Subscription {
    return subscribe(this.#bus.calls, subject, this.#bus.faults, message => {
      const value = readJson<unknown>(message);
      if (typeof value === 'object' && value !== null) read(value);
    });
  }

  #publish(subject: string, message: unknown): void {
    if (!this.#bus.connected()) return;
    try {
      this.#bus.calls.publish(subject, JSON.stringify(message));
    } catch {
      // The message is too large, or the connection has just closed: what it says is repeated with the next beats.
    }
  }
}

/** Returns the subject of the answers to a process, which is named by its user and its id. */
function answerSubject(process: string): string {
  const [user = '', id = ''] = process.split('.');
  return leaderSubjects.answer(user, id);
}
