import { randomBytes } from 'node:crypto';
import type { Msg, NatsConnection, Subscription } from 'nats';
import { Call, type CallHost } from './call.ts';
import { type AnnouncedAttempts, type CallRequest, maxLosses } from './call-request.ts';
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
import {
  anyHeartbeat,
  callSubject,
  heartbeatingWorker,
  poolOf,
  replySubject,
  workerSubject,
} from './subjects.ts';
import { type Fate, type PlaceRequest, type SentOpening, Workers } from './workers.ts';

/** Interval at which the timeouts of calls are checked, in milliseconds. */
const checkMs = 250;
/**
 * Time after a call's end in which a live worker records its usage, in milliseconds: it buffers records for 100 ms,
 * and sends them again if NATS does not acknowledge them within 1.5 s.
 */
const recordMs = 5_000;
/** The most ended calls per worker that are remembered for {@link recordMs}. */
export const maxEndedCalls = 50_000;
/** Prefix of the worker's name in the reply subject of a probe. */
const probe = 'worker.';
/** Grace period before an unreachable worker counts as lost. Routes of a NATS cluster usually recover within 1 s. */
const missedMs = 1_250;
/** Space reserved for an opening frame's head, in bytes. */
export const headRoom = 64 * 1024;

/** Makes a process's calls, with one subscription for all responses. */
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
  /** The calls that each worker ended so recently that their usage may not be recorded. */
  readonly #ended = new Map<string, { attempts: AnnouncedAttempts; at: number }[]>();
  /** Called with attempts whose worker was lost before it can have recorded them. */
  onLost: (attempts: AnnouncedAttempts) => void = () => {};
  #lastId = 0;
  #checkedAt = Date.now();
  /** Time of the last reconnect, in milliseconds since 1970. */
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
      this.#listen(anyHeartbeat, message => this.#heartbeat(message)),
    ];
    this.#timers = [
      setInterval(() => this.#check(), checkMs),
      setInterval(() => this.#sendHeartbeats(), heartbeatMs),
    ];
    void this.#watchConnection();
  }

  /** Resolves when responses can arrive. */
  static async open(bus: Bus): Promise<Caller> {
    const caller = new Caller(bus);
    await bus.calls.flush();
    return caller;
  }

  call(request: CallRequest): Call {
    const call = new Call(this, request);
    this.#open.add(call);
    // The queue group may still have the worker that the request lost.
    if (request.lossesLeft !== undefined && request.lossesLeft < maxLosses) call.tryAgain();
    else call.open();
    return call;
  }

  /** The reason that no call can be served; undefined if there is none. */
  get problem(): string | undefined {
    if (!this.#bus.connected()) return 'NATS cannot be reached';
    return this.#workers.any(Date.now()) ? undefined : 'no worker sends heartbeats';
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
    return this.#lastId;
  }

  forget(id: number): void {
    this.#calls.delete(id);
  }

  publishOpen(id: number, pool: string, worker: string | undefined, frame: Frame): void {
    // One message per opening, so that the queue group distributes the calls.
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

  takeWorker(pool: string, placeRequest: PlaceRequest): string | undefined {
    return this.#workers.take(pool, placeRequest, Date.now());
  }

  workerAccepted(worker: string, pool: string, placeRequest: PlaceRequest): void {
    this.#workers.accepted(pool, worker, placeRequest, Date.now());
  }

  workerFull(worker: string): void {
    this.#workers.full(worker);
  }

  workerShareExceeded(worker: string, placeRequest: PlaceRequest, bodies: boolean): void {
    this.#workers.shareExceeded(worker, placeRequest, bodies);
  }

  fate(opening: SentOpening): Fate {
    // While the connection is down, neither heartbeats nor openings pass.
    if (!this.#bus.connected() || opening.openedAt <= this.#backAt) return 'alive';
    return this.#workers.fate(opening, Date.now());
  }

  workerLives(worker: string): boolean {
    return this.#workers.lives(worker, Date.now());
  }

  ended(worker: string, attempts: AnnouncedAttempts): void {
    let recent = this.#ended.get(worker);
    if (!recent) {
      recent = [];
      this.#ended.set(worker, recent);
    }
    if (recent.length < maxEndedCalls) recent.push({ attempts, at: Date.now() });
  }

  attemptsLost(attempts: AnnouncedAttempts): void {
    if (attempts.attempts.length > 0) this.onLost(attempts);
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

  /** Cancels a call that a worker accepted after it went to another worker or was cancelled. */
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
    const suffix = message.subject.slice(this.#reply.length + 1);
    const ofOtherVersion = message.headers.get(busyHeader);
    if (ofOtherVersion) this.#workers.full(ofOtherVersion);
    if (suffix.startsWith(probe)) this.#workers.missed(suffix.slice(probe.length), Date.now());
    else this.#calls.get(Number(suffix))?.noResponders();
  }

  /** Sends an empty message to a worker; the server replies "no responders" if the worker is unreachable. */
  #probe(worker: string): void {
    this.#turn.publish(workerSubject(worker), noBytes, `${this.#reply}.${probe}${worker}`);
  }

  /** Probes unreachable workers, and gives up those that were unreachable for too long, with their calls. */
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

  #heartbeat(message: Msg): void {
    const worker = heartbeatingWorker(message.subject);
    const now = Date.now();
    this.#workers.heard(poolOf(worker), worker, message.json(), now);
    const recent = this.#ended.get(worker)?.filter(({ at }) => now - at < recordMs);
    if (recent) this.#ended.set(worker, recent);
  }

  /** Reports the recently ended calls of lost workers, whose usage may not be recorded. */
  #reportLost(): void {
    for (const [worker, recent] of this.#ended) {
      if (this.workerLives(worker)) continue;
      this.#ended.delete(worker);
      for (const { attempts } of recent) this.onLost(attempts);
    }
  }

  #check(): void {
    const now = Date.now();
    // After a pause of this process, the waiting messages are read before a worker counts as lost.
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

  #sendHeartbeats(): void {
    const serving = new Map<string, number[]>();
    for (const { worker, id } of this.#open) {
      if (worker) serving.set(worker, [...(serving.get(worker) ?? []), id]);
    }
    for (const [worker, calls] of serving) {
      const bytes = Buffer.from(new Uint32Array(calls).buffer);
      this.outbox(worker).push({
        kind: FrameKind.heartbeat,
        flags: 0,
        call: 0,
        seq: 0,
        head: noBytes,
        bytes,
      });
      this.#probe(worker);
    }
    for (const worker of this.#outboxes.keys()) if (!this.workerLives(worker)) this.#outboxes.delete(worker);
    this.#workers.forgetLost(Date.now());
  }

  /** Fails or retries all calls on a disconnect: messages sent meanwhile are lost silently. */
  async #watchConnection(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === 'reconnect') this.#backAt = Date.now();
      if (type === 'disconnect') for (const call of this.#open) call.lost();
    }
  }
}
