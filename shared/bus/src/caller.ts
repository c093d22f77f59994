import { randomBytes } from 'node:crypto';
import type { Msg, NatsConnection, Subscription } from 'nats';
import { Call } from './call.ts';
import type { CallHost } from './call-host.ts';
import type { CallRequest, Tried } from './call-request.ts';
import type { Bus } from './connection.ts';
import {
  decodeMessage,
  encodeMessage,
  type Frame,
  FrameKind,
  frameOverhead,
  noBytes,
  readHead,
} from './frame.ts';
import { Outbox, Turn } from './outbox.ts';
import { type AcceptHead, busyHeader, heartbeatMs } from './protocol.ts';
import { anyBeat, callSubject, heartbeatingWorker, poolOf, replySubject, workerSubject } from './subjects.ts';
import { type Fate, type SentOpening, type Taking, Workers } from './workers.ts';

/** How often a call's waits are looked at. */
const checkMs = 250;
/**
 * The time within which a worker that lives has recorded what a call used, in milliseconds after the call's end: it joins records for 100 ms, and sends
 * them twice if NATS does not acknowledge them within 1.5 s.
 */
const recordMs = 5_000;
/** The most calls of one worker that are remembered for this long. */
export const maxEndedCalls = 50_000;
/** The token before a worker's name where the server says that nobody listens as it. */
const probe = 'worker.';
/** How long nobody may listen as a worker that lives: servers of a cluster that lose each other meet again within a second. */
const missedMs = 1_250;
/** Room for an opening frame's head beside its body, in bytes. */
export const headRoom = 64 * 1024;

/** Makes a process's calls: one subscription for all answers, and a Map of calls. */
export class Caller implements CallHost {
  readonly maxFrame: number;
  readonly maxHead = headRoom - frameOverhead;
  readonly maxInline: number;
  readonly #bus: Bus;
  readonly #connection: NatsConnection;
  readonly #reply: string;
  readonly #turn: Turn;
  readonly #workers = new Workers();
  readonly #outboxes = new Map<string, Outbox>();
  readonly #calls = new Map<number, Call>();
  readonly #subscriptions: Subscription[];
  readonly #timers: NodeJS.Timeout[];
  readonly #open = new Set<Call>();
  /** The calls that each worker ended so recently that it may not have recorded them. */
  readonly #ended = new Map<string, { tried: Tried; at: number }[]>();
  /** Is told of attempts whose worker was lost before it can have recorded them. */
  onLost: (tried: Tried) => void = () => {};
  #lastId = 0;
  #checkedAt = Date.now();
  /** When the connection last came back. */
  #backAt = 0;

  private constructor(bus: Bus) {
    const connection = bus.calls;
    this.#bus = bus;
    this.#connection = connection;
    this.#reply = replySubject(bus.user, randomBytes(12).toString('hex'));
    this.#turn = new Turn(connection);
    this.maxFrame = this.#turn.maxFrame;
    this.maxInline = Math.max(0, this.#turn.maxMessage - headRoom);
    this.#subscriptions = [
      this.#listen(this.#reply, message => this.#answers(message)),
      this.#listen(`${this.#reply}.>`, message => this.#unanswered(message)),
      this.#listen(anyBeat, message => this.#beat(message)),
    ];
    this.#timers = [
      setInterval(() => this.#check(), checkMs),
      setInterval(() => this.#sayAlive(), heartbeatMs),
    ];
    void this.#watchConnection();
  }

  /** Resolves when answers can arrive. */
  static async open(bus: Bus): Promise<Caller> {
    const caller = new Caller(bus);
    await bus.calls.flush();
    return caller;
  }

  call(request: CallRequest): Call {
    const call = new Call(this, request);
    call.open();
    return call;
  }

  /** Why no call can be answered now; undefined if one can. */
  get problem(): string | undefined {
    if (!this.#bus.connected()) return 'NATS cannot be reached';
    return this.#workers.any(Date.now()) ? undefined : 'no worker is heard';
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    for (const call of this.#open) call.cancel();
    this.#turn.end();
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
  }

  register(call: Call): number {
    do this.#lastId = (this.#lastId + 1) >>> 0 || 1;
    while (this.#calls.has(this.#lastId));
    this.#calls.set(this.#lastId, call);
    this.#open.add(call);
    return this.#lastId;
  }

  forget(id: number): void {
    this.#calls.delete(id);
  }

  publishOpen(id: number, pool: string, worker: string | undefined, frame: Frame): void {
    // A message of its own: the queue group gives each call to a worker of its own.
    const subject = worker ? workerSubject(worker) : callSubject(pool);
    this.#turn.add({
      flush: () => this.#turn.publish(subject, encodeMessage([frame]), `${this.#reply}.${id}`),
    });
  }

  outbox(worker: string): Outbox {
    let outbox = this.#outboxes.get(worker);
    if (!outbox) {
      outbox = new Outbox(this.#turn, workerSubject(worker), this.#reply);
      this.#outboxes.set(worker, outbox);
    }
    return outbox;
  }

  takeWorker(pool: string, taking: Taking): string | undefined {
    return this.#workers.take(pool, taking, Date.now());
  }

  workerAccepted(worker: string, pool: string, taking: Taking): void {
    this.#workers.accepted(pool, worker, taking, Date.now());
  }

  workerFull(worker: string): void {
    this.#workers.full(worker);
  }

  workerKeptFrom(worker: string, taking: Taking, bodies: boolean): void {
    this.#workers.keptFrom(worker, taking, bodies);
  }

  fate(opening: SentOpening): Fate {
    // Nothing is heard of workers, nor is anything sent to them, while the connection is away.
    if (!this.#bus.connected() || opening.openedAt <= this.#backAt) return 'alive';
    return this.#workers.fate(opening, Date.now());
  }

  workerLives(worker: string): boolean {
    return this.#workers.lives(worker, Date.now());
  }

  ended(worker: string, tried: Tried): void {
    let recent = this.#ended.get(worker);
    if (!recent) {
      recent = [];
      this.#ended.set(worker, recent);
    }
    if (recent.length < maxEndedCalls) recent.push({ tried, at: Date.now() });
  }

  attemptsLost(tried: Tried): void {
    if (tried.attempts.length > 0) this.onLost(tried);
  }

  #listen(subject: string, read: (message: Msg) => void): Subscription {
    return this.#connection.subscribe(subject, {
      callback: (error, message) => (error ? undefined : read(message)),
    });
  }

  #answers(message: Msg): void {
    for (const frame of decodeMessage(message.data)) {
      const call = this.#calls.get(frame.call);
      if (call) call.read(frame);
      else if (frame.kind === FrameKind.accept) this.#refuse(frame);
    }
  }

  /** A worker took a call that went elsewhere meanwhile, or that nobody waits for. */
  #refuse(frame: Frame): void {
    const { worker } = readHead<AcceptHead>(frame);
    this.outbox(worker).push({
      kind: FrameKind.cancel,
      flags: 0,
      call: frame.call,
      seq: 1,
      head: noBytes,
      bytes: noBytes,
    });
  }

  #unanswered(message: Msg): void {
    if (message.data.length > 0 || message.headers?.code !== 503) return;
    const asked = message.subject.slice(this.#reply.length + 1);
    const ofOtherVersion = message.headers.get(busyHeader);
    if (ofOtherVersion) this.#workers.full(ofOtherVersion);
    if (asked.startsWith(probe)) this.#workers.missed(asked.slice(probe.length), Date.now());
    else this.#calls.get(Number(asked))?.noTaker();
  }

  /** Has the server say if nobody listens as this worker. */
  #probe(worker: string): void {
    this.#turn.publish(workerSubject(worker), noBytes, `${this.#reply}.${probe}${worker}`);
  }

  /** A worker that is missed for long has lost its connection, and what it served with it. */
  #checkMissing(): void {
    for (const { id, ms } of this.#workers.missing()) {
      if (ms < missedMs) this.#probe(id);
      else this.#gone(id);
    }
  }

  #gone(worker: string): void {
    this.#workers.gone(worker);
    for (const call of this.#open) if (call.worker === worker) call.lost();
  }

  #beat(message: Msg): void {
    const worker = heartbeatingWorker(message.subject);
    const now = Date.now();
    this.#workers.heard(poolOf(worker), worker, message.json(), now);
    const recent = this.#ended.get(worker)?.filter(({ at }) => now - at < recordMs);
    if (recent) this.#ended.set(worker, recent);
  }

  /** Calls that a lost worker ended shortly before may be recorded nowhere. */
  #reportLost(): void {
    for (const [worker, recent] of this.#ended) {
      if (this.workerLives(worker)) continue;
      this.#ended.delete(worker);
      for (const { tried } of recent) this.onLost(tried);
    }
  }

  #check(): void {
    const now = Date.now();
    // After a pause of this process, what came meanwhile is read before anyone is missed.
    const late = now - this.#checkedAt > 4 * checkMs;
    this.#checkedAt = now;
    if (late) return;
    this.#checkMissing();
    for (const call of this.#open) {
      if (call.done) this.#open.delete(call);
      else call.check(now);
    }
    this.#reportLost();
  }

  #sayAlive(): void {
    const serving = new Map<string, number[]>();
    for (const { worker, id } of this.#open) {
      if (worker) serving.set(worker, [...(serving.get(worker) ?? []), id]);
    }
    for (const [worker, calls] of serving) {
      const bytes = Buffer.from(new Uint32Array(calls).buffer);
      this.outbox(worker).push({ kind: FrameKind.beat, flags: 0, call: 0, seq: 0, head: noBytes, bytes });
      this.#probe(worker);
    }
    for (const worker of this.#outboxes.keys()) if (!this.workerLives(worker)) this.#outboxes.delete(worker);
    this.#workers.forgetLost(Date.now());
  }

  /** What is published or sent while the connection is away is gone without a sound. */
  async #watchConnection(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === 'reconnect') this.#backAt = Date.now();
      if (type === 'disconnect') for (const call of this.#open) call.lost();
    }
  }
}
