import { randomBytes } from 'node:crypto';
import type { Clock, Timer } from '@model-gateway/clock';
import type { Msg, NatsConnection, Status, Subscription } from 'nats';
import { ActiveCall } from './call.ts';
import type { AnnouncedAttempts, Call, CallRequest } from './call-request.ts';
import type { Bus } from './connection.ts';
import { type Faults, followStatus, subscribe } from './faults.ts';
import { decodeMessage, type Frame, FrameKind, noBytes, readHead } from './frame.ts';
import type { CallParts, OpenedCall } from './opening.ts';
import { Outboxes, probe } from './outbox.ts';
import { type AcceptHead, busyHeader, heartbeatMs } from './protocol.ts';
import { Slab, SlabById } from './slab.ts';
import { anyHeartbeat, heartbeatingWorker, poolOf, replyingPool, replySubject } from './subjects.ts';
import { WaitingCalls } from './waiting-calls.ts';
import { Workers } from './workers.ts';

/** Interval at which the timeouts of calls are checked, in milliseconds. */
const checkMs = 250;
/** Grace period before an unreachable worker counts as lost. Routes of a NATS cluster usually recover within 1 s. */
const missedMs = 1_250;

/** Makes a process's calls, with one subscription for all responses. */
export class Caller {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #connection: NatsConnection;
  /** The user and the id of this caller in its reply subjects. */
  readonly #name: [user: string, caller: string];
  readonly #ids = new SlabById<OpenedCall>();
  readonly #workers: Workers;
  readonly #waiting: WaitingCalls;
  readonly #outboxes: Outboxes;
  readonly #parts: CallParts;
  readonly #subscriptions: Subscription[];
  readonly #timers: Timer[];
  readonly #open = new Slab<ActiveCall>();
  /** Called with attempts whose worker was lost before it can have recorded them. */
  onLost: (attempts: AnnouncedAttempts) => void = () => {};
  /** Called when a worker has accepted a call, with the time that this took in milliseconds. */
  onAccepted: (pool: string, queuedMs: number) => void = () => {};
  #checkedAt: number;
  readonly #forget = (call: ActiveCall) => this.#open.remove(call.place, call);

  private constructor(bus: Bus) {
    const { calls: connection, clock } = bus;
    this.#bus = bus;
    this.#clock = clock;
    this.#checkedAt = clock.now();
    this.#connection = connection;
    this.#name = [bus.user, randomBytes(12).toString('hex')];
    this.#workers = new Workers(() => bus.connected());
    this.#waiting = new WaitingCalls(
      (pool, project) => bus.connected() && this.#workers.hasRoom(pool, project, clock.now()),
    );
    this.#outboxes = new Outboxes(connection, clock, pool => replySubject(pool, ...this.#name));
    this.#parts = {
      clock,
      faults: bus.faults,
      ids: this.#ids,
      workers: this.#workers,
      waiting: this.#waiting,
      outboxes: this.#outboxes,
      isConnected: () => bus.connected(),
      onLost: attempts => this.onLost(attempts),
      onAccepted: (pool, queuedMs) => this.onAccepted(pool, queuedMs),
    };
    this.#subscriptions = [
      this.#listen(replySubject('*', ...this.#name), message => this.#answers(message)),
      this.#listen(`${replySubject('*', ...this.#name)}.>`, message => this.#unanswered(message)),
      this.#listen(anyHeartbeat, message => this.#heartbeat(message)),
    ];
    this.#timers = [
      clock.setInterval(() => this.#check(), checkMs),
      clock.setInterval(() => this.#sendHeartbeats(), heartbeatMs),
    ];
    void followStatus(connection, bus.faults, ({ type }) => this.#changed(type));
  }

  /** Resolves when responses can arrive. */
  static async open(bus: Bus): Promise<Caller> {
    const caller = new Caller(bus);
    await bus.calls.flush();
    return caller;
  }

  call(request: CallRequest): Call {
    const call = new ActiveCall(this.#parts, request, this.#forget);
    call.place = this.#open.add(call);
    call.start();
    return call;
  }

  /** The reason that no call can be served; undefined if there is none. */
  get problem(): string | undefined {
    if (!this.#bus.connected()) return 'NATS cannot be reached';
    return this.#workers.any(this.#clock.now()) ? undefined : 'no worker sends heartbeats';
  }

  /** Takes what callbacks throw. */
  get faults(): Faults {
    return this.#bus.faults;
  }

  /** Number of calls that wait for a worker with room. */
  get waiting(): number {
    return this.#waiting.count;
  }

  /** Workers that stopped sending heartbeats without being drained. */
  get workersLost(): number {
    return this.#workers.losses.workers;
  }

  /** Heartbeats of live workers that did not arrive in time. */
  get heartbeatsMissed(): number {
    return this.#workers.losses.heartbeats;
  }

  close(): void {
    for (const timer of this.#timers) this.#clock.clearInterval(timer);
    // Those that wait come first: they would get the places of the others.
    for (const call of this.#open) if (!call.worker) call.cancel();
    for (const call of this.#open) call.cancel();
    this.#outboxes.end();
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
  }

  #listen(subject: string, read: (message: Msg) => void): Subscription {
    return subscribe(this.#connection, subject, this.#bus.faults, read);
  }

  #answers(message: Msg): void {
    const pool = replyingPool(message.subject);
    for (const frame of decodeMessage(message.data)) {
      const call = this.#ids.get(frame.call);
      if (!call) {
        if (frame.kind === FrameKind.accept) this.#refuse(frame, pool);
        continue;
      }
      if (call.pool !== pool) continue;
      try {
        call.read(frame);
      } catch (thrown) {
        call.broke(thrown);
      }
    }
  }

  /** Cancels a call that a worker accepted after it went to another worker or was cancelled. */
  #refuse(frame: Frame, pool: string): void {
    const { worker } = readHead<AcceptHead>(frame);
    if (poolOf(worker) !== pool) return;
    this.#outboxes.of(worker).push({
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
    const pool = replyingPool(message.subject);
    const suffix = message.subject.slice(replySubject(pool, ...this.#name).length + 1);
    const isProbe = suffix.startsWith(probe);
    const worker = isProbe ? suffix.slice(probe.length) : message.headers.get(busyHeader);
    // The workers of a pool tell nothing about those of another.
    if (worker && poolOf(worker) !== pool) return;
    if (isProbe) return this.#workers.missed(worker, this.#clock.now());
    if (worker) this.#workers.full(worker);
    const call = this.#ids.get(Number(suffix));
    if (call?.pool === pool) call.noResponders();
  }

  #heartbeat(message: Msg): void {
    const worker = heartbeatingWorker(message.subject);
    const pool = poolOf(worker);
    this.#workers.heard(pool, worker, message.json(), this.#clock.now());
    if (this.#waiting.count === 0) return;
    this.#waiting.dispatch(pool);
    const now = this.#clock.now();
    if (this.#workers.serves(worker, pool, now)) this.#waiting.claim(pool, worker, now);
  }

  #check(): void {
    const now = this.#clock.now();
    // After a pause of this process, the waiting messages are read before a worker counts as lost.
    const late = now - this.#checkedAt > 4 * checkMs;
    this.#checkedAt = now;
    if (late) return;
    this.#checkMissing();
    this.#workers.countLost(now);
    for (const call of this.#open) this.#guarded(call, () => call.check(now));
    if (this.#waiting.count > 0) this.#waiting.dispatchAll();
    for (const attempts of this.#workers.takeUnrecorded(now)) this.onLost(attempts);
  }

  /** Probes unreachable workers, and gives up those that were unreachable for too long, with their calls. */
  #checkMissing(): void {
    for (const { id, ms } of this.#workers.missing()) {
      if (ms < missedMs) this.#outboxes.probe(id);
      else this.#gone(id);
    }
  }

  #gone(worker: string): void {
    this.#workers.gone(worker);
    for (const call of this.#open) if (call.worker === worker) this.#guarded(call, () => call.lost());
  }

  /** Runs a step of a call; what it throws ends this call alone. */
  #guarded(call: OpenedCall, step: () => void): void {
    try {
      step();
    } catch (thrown) {
      call.broke(thrown);
    }
  }

  #sendHeartbeats(): void {
    const serving = new Map<string, number[]>();
    for (const { worker, id } of this.#open) {
      if (!worker) continue;
      const calls = serving.get(worker);
      if (calls) calls.push(id);
      else serving.set(worker, [id]);
    }
    for (const [worker, calls] of serving) {
      const bytes = Buffer.from(new Uint32Array(calls).buffer);
      this.#outboxes.of(worker).push({
        kind: FrameKind.heartbeat,
        flags: 0,
        call: 0,
        seq: 0,
        head: noBytes,
        bytes,
      });
      this.#outboxes.probe(worker);
    }
    const now = this.#clock.now();
    this.#outboxes.keep(worker => this.#workers.lives(worker, now));
    this.#workers.forgetLost(now);
  }

  /** Fails or retries all calls on a disconnect: messages sent meanwhile are lost silently. */
  #changed(type: Status['type']): void {
    if (type === 'reconnect') this.#workers.reconnected(this.#clock.now());
    if (type === 'disconnect') for (const call of this.#open) this.#guarded(call, () => call.lost());
  }
}
