import { randomBytes } from 'node:crypto';
import type { Clock, Timer } from '@model-gateway/clock';
import type { Msg, NatsConnection, Status, Subscription } from 'nats';
import { ActiveCall } from './call.ts';
import type { AnnouncedAttempts } from './call-attempts.ts';
import { cancelHead } from './call-failure.ts';
import { type Call, type CallParts, type CallRequest, type OpenedCall, RecentIds } from './call-parts.ts';
import type { Bus } from './connection.ts';
import { type Faults, followStatus, subscribe } from './faults.ts';
import { decodeMessage, type Frame, FrameFlag, FrameKind, noBytes, readHead, Windows } from './frame.ts';
import { heartbeatMs, Lookout, lookMs, probeSubject } from './liveness.ts';
import { Outboxes } from './outbox.ts';
import { type AcceptHead, answerWindow, busyHeader } from './protocol.ts';
import { Slab, SlabById } from './slab.ts';
import {
  anyHeartbeat,
  heartbeatingWorker,
  poolOf,
  replyingPool,
  replySubject,
  workerSubject,
} from './subjects.ts';
import { WaitingCalls } from './waiting-calls.ts';
import { Workers } from './workers.ts';

/** Makes a process's calls, with one subscription for all responses. */
export class Caller {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #connection: NatsConnection;
  /** The user and the id of this caller in its reply subjects. */
  readonly #name: [user: string, caller: string];
  readonly #ids = new SlabById<OpenedCall>();
  readonly #workers: Workers;
  readonly #lookout: Lookout;
  readonly #waiting: WaitingCalls;
  readonly #outboxes: Outboxes;
  readonly #leftOpenings = new RecentIds<AnnouncedAttempts>();
  readonly #givenUp = new RecentIds<AnnouncedAttempts>();
  readonly #parts: CallParts;
  readonly #subscriptions: Subscription[];
  readonly #timers: Timer[];
  readonly #open = new Slab<ActiveCall>();
  /** Called with attempts whose worker was lost before it can have recorded them. */
  onLost: (attempts: AnnouncedAttempts) => void = () => {};
  /** Called with the attempts of a call that was answered. */
  onAnswered: (attempts: AnnouncedAttempts) => void = () => {};
  /** Called when a worker has accepted a call, with the time that this took in milliseconds. */
  onAccepted: (pool: string, queuedMs: number) => void = () => {};
  readonly #forget = (call: ActiveCall) => this.#open.remove(call.place, call);

  private constructor(bus: Bus) {
    const { calls: connection, clock } = bus;
    this.#bus = bus;
    this.#clock = clock;
    this.#connection = connection;
    this.#name = [bus.user, randomBytes(12).toString('hex')];
    this.#workers = new Workers(() => bus.connected());
    this.#lookout = new Lookout({
      now: () => clock.now(),
      probe: (worker, missed) => probeSubject(connection, workerSubject(worker), missed),
      gone: worker => this.#gone(worker),
    });
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
      leftOpenings: this.#leftOpenings,
      givenUp: this.#givenUp,
      windows: new Windows(answerWindow),
      isReachable: () => bus.connected() && bus.responds(),
      onLost: attempts => this.onLost(attempts),
      onAnswered: attempts => this.onAnswered(attempts),
      onAccepted: (pool, queuedMs) => this.onAccepted(pool, queuedMs),
    };
    this.#subscriptions = [
      this.#listen(replySubject('*', ...this.#name), message => this.#answers(message)),
      this.#listen(`${replySubject('*', ...this.#name)}.>`, message => this.#unanswered(message)),
      this.#listen(anyHeartbeat, message => this.#heartbeat(message)),
    ];
    this.#timers = [
      clock.setInterval(() => this.#check(), lookMs),
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

  /** Workers that were lost without being drained. */
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
        else if (frame.kind === FrameKind.busy) this.#unaccepted(this.#leftOpenings.take(frame.call));
        else if (frame.flags & FrameFlag.last) this.#answeredLate(frame);
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

  /** Reports the attempt of a call that its client left and that no worker has accepted, since it was announced to be one. */
  #unaccepted(attempts: AnnouncedAttempts | undefined): void {
    if (attempts && attempts.attempts.length > 0) this.onLost(attempts);
  }

  /** Reports the attempts of a call that was given up: its worker had answered, and records that as charged. */
  #answeredLate(frame: Frame): void {
    const attempts = this.#givenUp.take(frame.call);
    if (attempts) this.onLost(attempts);
  }

  /** Cancels a call that a worker accepted after it went to another worker or was cancelled. */
  #refuse(frame: Frame, pool: string): void {
    const { worker } = readHead<AcceptHead>(frame);
    if (poolOf(worker) !== pool) return;
    const left = this.#leftOpenings.take(frame.call);
    // The worker may be lost before it records the attempt.
    if (left?.attempts.length) this.#workers.ended(worker, { ...left, ended: 'left' }, this.#clock.now());
    this.#outboxes.of(worker).push({
      kind: FrameKind.cancel,
      flags: 0,
      call: frame.call,
      seq: 1,
      head: cancelHead(!left),
      bytes: noBytes,
    });
  }

  #unanswered(message: Msg): void {
    if (message.data.length > 0 || message.headers?.code !== 503) return;
    const pool = replyingPool(message.subject);
    const suffix = message.subject.slice(replySubject(pool, ...this.#name).length + 1);
    const ofOtherVersion = message.headers.get(busyHeader);
    // The workers of a pool tell nothing about those of another.
    if (ofOtherVersion && poolOf(ofOtherVersion) !== pool) return;
    if (ofOtherVersion) this.#workers.full(ofOtherVersion);
    const call = this.#ids.get(Number(suffix));
    if (call?.pool === pool) call.noResponders(ofOtherVersion !== undefined);
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
    if (!this.#lookout.look(this.#bus.connected() ? this.#workers.lives() : [])) return;
    this.#workers.noteSilent(now);
    this.#workers.countLost(now);
    for (const attempts of this.#leftOpenings.forget(now)) this.#unaccepted(attempts);
    this.#givenUp.forget(now);
    for (const call of this.#open) this.#guarded(call, () => call.check(now));
    if (this.#waiting.count > 0) this.#waiting.dispatchAll();
    for (const attempts of this.#workers.takeUnrecorded(now)) this.onLost(attempts);
  }

  /** Ends the calls of a worker whose connection is closed. */
  #gone(worker: string): void {
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
    const now = this.#clock.now();
    const serving = new Map<string, number[]>();
    for (const call of this.#open) {
      const { worker, id } = call;
      if (!worker) continue;
      if (call.hasNews()) this.#workers.spoke(worker, now);
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
      const life = this.#workers.lifeOf(worker);
      if (life) this.#lookout.probe(worker, life);
    }
    this.#outboxes.keep(worker => !this.#workers.isLost(worker, now));
    this.#workers.forgetLost(now);
  }

  /** Fails or retries all calls on a disconnect: messages sent meanwhile are lost silently. */
  #changed(type: Status['type']): void {
    if (type === 'reconnect') this.#workers.reconnected(this.#clock.now());
    if (type === 'disconnect') for (const call of this.#open) this.#guarded(call, () => call.lost());
  }
}
