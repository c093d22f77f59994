import { randomBytes } from 'node:crypto';
import { toErrorEvent } from '@model-gateway/canonical';
import type { Clock, Timer } from '@model-gateway/clock';
import { headers, type Msg, type NatsConnection, type Status, type Subscription } from 'nats';
import { workerShutDown } from './call-failure.ts';
import type { Bus } from './connection.ts';
import { type Faults, followStatus, subscribe } from './faults.ts';
import {
  decodeMessage,
  type Frame,
  FrameFlag,
  FrameKind,
  isOtherVersion,
  noBytes,
  protocolVersion,
  readCount,
  readHead,
  Windows,
  writeHead,
} from './frame.ts';
import { Heartbeat, heartbeatMs, lookMs } from './liveness.ts';
import { FrameWriter, SendQueue, Urgency } from './outbox.ts';
import { type Peer, Peers } from './peers.ts';
import {
  type AcceptHead,
  type BusyHead,
  bodyWindow,
  busyHeader,
  type CancelHead,
  type HeartbeatMessage,
  type OpenHead,
} from './protocol.ts';
import { type CreditWaits, PacedAborts, ServedCall, type ServedCallParts } from './served-call.ts';
import { type Refused, Slots } from './slots.ts';
import {
  callerOf,
  callSubject,
  heartbeatSubject,
  workerName,
  workerQueue,
  workerSubject,
} from './subjects.ts';

/** Time for which calls may wait for a place after a worker refused one, in milliseconds: the default of the queue time. */
const awaitedMs = 10_000;
/** Shortest time between two messages about places that became free, in milliseconds. */
const tellMs = 100;

interface ServeOptions {
  pool: string;
  /** The most calls served at once; further calls are refused and go to another worker. */
  capacity: number;
  /** The most bytes of whole request bodies held, half of them for one token; further calls are refused. */
  bodyBudget?: number;
  /** Serves a call, and ends the response by `finish` or `error` unless it was cancelled. What it throws or rejects with ends the call. */
  serve(call: ServedCall): void | Promise<void>;
}

/** Serves a pool's calls in this process. */
export class Server {
  /** The worker's name on the bus. */
  readonly name: string;
  readonly #connection: NatsConnection;
  readonly #clock: Clock;
  readonly #faults: Faults;
  readonly #options: ServeOptions;
  readonly #queue: SendQueue;
  readonly #peers: Peers;
  readonly #accept: Uint8Array;
  readonly #busy: Record<Refused, Uint8Array>;
  readonly #places: Slots;
  readonly #parts: ServedCallParts;
  /** The waits of its calls for credit. */
  readonly creditWaits: CreditWaits = { count: 0, ms: 0 };
  /** Called with the reason for each call that is refused. */
  onRefused: (reason: Refused | 'draining') => void = () => {};
  readonly #shared: Subscription;
  readonly #direct: Subscription;
  readonly #timers: Timer[];
  readonly #heartbeat: Heartbeat;
  /** Until then, in milliseconds since 1970, callers may hold calls that wait for a place of this worker. */
  #awaitedUntil = 0;
  #telling: Timer | undefined;
  #draining: PromiseWithResolvers<void> | undefined;

  private constructor(bus: Bus, options: ServeOptions) {
    const { calls: connection, clock } = bus;
    this.#connection = connection;
    this.#clock = clock;
    this.#faults = bus.faults;
    this.#parts = {
      ...{ clock, faults: bus.faults, aborts: new PacedAborts() },
      ...{ waits: this.creditWaits, bodies: new Windows(bodyWindow) },
    };
    this.#options = options;
    this.#queue = new SendQueue(connection, clock);
    this.#peers = new Peers(bus, this.#queue);
    this.name = workerName(options.pool, randomBytes(12).toString('hex'));
    this.#accept = writeHead({ worker: this.name } satisfies AcceptHead);
    this.#busy = {
      full: writeHead({ worker: this.name } satisfies BusyHead),
      places: writeHead({ worker: this.name, share: true } satisfies BusyHead),
      project: writeHead({ worker: this.name, share: true, project: true } satisfies BusyHead),
      bodies: writeHead({ worker: this.name, share: true, bodies: true } satisfies BusyHead),
    };
    this.#places = new Slots(options.capacity, options.bodyBudget);
    const read = (message: Msg) => this.#read(message);
    this.#direct = subscribe(connection, workerSubject(this.name), bus.faults, read);
    this.#shared = subscribe(connection, callSubject(options.pool), bus.faults, read, workerQueue);
    this.#timers = [
      clock.setInterval(() => this.#peers.look(), lookMs),
      clock.setInterval(() => this.#tick(), heartbeatMs),
    ];
    this.#heartbeat = new Heartbeat(bus, heartbeatSubject(this.name));
    void followStatus(connection, bus.faults, ({ type }) => this.#changed(type)).then(() =>
      this.#heartbeat.stop(),
    );
  }

  /** Resolves when calls can arrive. */
  static async open(bus: Bus, options: ServeOptions): Promise<Server> {
    const server = new Server(bus, options);
    await bus.calls.flush();
    server.#sendHeartbeat();
    return server;
  }

  /** Calls being served. */
  get load(): number {
    return this.#places.taken;
  }

  /** Takes no more calls; resolves when the last one has ended. */
  drain(): Promise<void> {
    if (!this.#draining) {
      this.#draining = Promise.withResolvers();
      this.#sendHeartbeat();
      this.#shared.drain().catch(() => {});
      if (this.load === 0) this.#draining.resolve();
    }
    return this.#draining.promise;
  }

  /** Ends the running calls with an error. */
  close(): void {
    for (const timer of this.#timers) this.#clock.clearInterval(timer);
    this.#heartbeat.stop();
    for (const call of this.#peers.calls) call.send([toErrorEvent(workerShutDown())]);
    this.#clock.clearTimeout(this.#telling);
    this.#queue.end();
    this.#shared.unsubscribe();
    this.#direct.unsubscribe();
  }

  #read(message: Msg): void {
    if (!message.reply) return;
    if (isOtherVersion(message.data)) return this.#refuseVersion(message.reply);
    for (const frame of decodeMessage(message.data)) {
      try {
        if (frame.kind === FrameKind.open) this.#open(frame, callerOf(message.reply, frame.call));
        else this.#control(frame, message.reply);
      } catch (thrown) {
        const call = this.#peers.get(message.reply)?.calls.get(frame.call);
        if (call) call.broke(thrown);
        else this.#faults.report('call', thrown);
      }
    }
  }

  /** Answers a caller of another protocol version with busy. */
  #refuseVersion(caller: string): void {
    const busy = headers(503, 'Busy');
    busy.set(busyHeader, this.name);
    this.#connection.publish(caller, noBytes, { headers: busy });
  }

  #open(frame: Frame, caller: string): void {
    const head = readHead<OpenHead>(frame);
    const now = this.#clock.now();
    if (now > head.acceptBy) return;
    // A function that reads the id of the frame would hold the message that it came in.
    const { call: id } = frame;
    const peer = this.#peers.heard(caller);
    const writer = new FrameWriter(peer.outbox, this.#queue.maxFrame, id);
    const size = (head.bodyToCome ?? 0) + frame.bytes.length;
    const places = this.#places;
    const { token } = head.envelope;
    const refused = this.#draining ? 'full' : places.refuses(token, size, now);
    if (refused) {
      this.onRefused(this.#draining ? 'draining' : refused);
      if (refused === 'places' || refused === 'project' || places.taken >= places.capacity)
        this.#awaitedUntil = now + awaitedMs;
      return writer.write(FrameKind.busy, this.#busy[refused]);
    }
    const call = new ServedCall(head, writer, this.#parts, () => {
      places.release(token, size);
      this.#ended(peer, id);
    });
    places.take(token, size);
    this.#updateLoad();
    peer.calls.set(id, call);
    // The caller waits with the rest of a body until the call is accepted.
    const urgency = head.bodyToCome === 0 ? Urgency.notice : Urgency.now;
    writer.write(FrameKind.accept, this.#acceptOf(call), noBytes, FrameFlag.none, urgency);
    if (head.bodyToCome === 0) this.#take(call, frame);
    else if (call.incoming) call.serve(this.#options.serve);
  }

  #acceptOf({ bodyWindow: window }: ServedCall): Uint8Array {
    if (window === 0 || window === bodyWindow) return this.#accept;
    return writeHead({ worker: this.name, window } satisfies AcceptHead);
  }

  #control(frame: Frame, caller: string): void {
    const peer = this.#peers.heard(caller);
    if (frame.kind === FrameKind.heartbeat) return this.#reportMissing(peer, frame.bytes);
    const call = peer.calls.get(frame.call);
    if (!call) return;
    if (frame.kind === FrameKind.cancel)
      return call.cancel(frame.head.length > 0 ? readHead<CancelHead>(frame) : undefined);
    if (!call.follows(frame)) return;
    if (frame.kind === FrameKind.credit) call.grant(readCount(frame));
    else if (frame.kind === FrameKind.body) this.#take(call, frame);
  }

  /** Sends `lost` for each call that the caller waits for but that is not served here. */
  #reportMissing(peer: Peer, ids: Uint8Array): void {
    for (let at = 0; at + 4 <= ids.length; at += 4) {
      const call = (ids as Buffer).readUInt32LE(at);
      if (peer.calls.get(call)) continue;
      peer.outbox.push({ kind: FrameKind.lost, flags: 0, call, seq: 0, head: noBytes, bytes: noBytes });
    }
  }

  /** Serves the call once its body is complete. */
  #take(call: ServedCall, frame: Frame): void {
    if (call.takeBody(frame)) call.serve(this.#options.serve);
  }

  #ended(peer: Peer, id: number): void {
    peer.calls.delete(id);
    this.#updateLoad();
    if (this.#clock.now() < this.#awaitedUntil) this.#tellLoad();
    if (this.#draining && this.load === 0) this.#draining.resolve();
  }

  /** Tells the callers of a place that has become free, before the next heartbeat is due. */
  #tellLoad(): void {
    this.#telling ??= this.#clock.setTimeout(() => {
      this.#telling = undefined;
      this.#sendHeartbeat();
    }, tellMs);
  }

  #tick(): void {
    this.#heartbeat.turned();
    if (!this.#heartbeat.running) this.#sendHeartbeat();
    this.#peers.probe();
  }

  #updateLoad(): void {
    this.#heartbeat.update(this.load, this.#draining ? 0 : this.#options.capacity);
  }

  /** Sends a heartbeat at once, independent of the heartbeat thread. */
  #sendHeartbeat(): void {
    this.#updateLoad();
    const capacity = this.#draining ? 0 : this.#options.capacity;
    const heartbeat: HeartbeatMessage = { load: this.load, capacity, version: protocolVersion };
    this.#queue.publish(heartbeatSubject(this.name), Buffer.from(JSON.stringify(heartbeat)));
  }

  /** Cancels all calls on a disconnect: frames sent meanwhile are lost silently, so no response can be completed. */
  #changed(type: Status['type']): void {
    if (type === 'disconnect') for (const call of this.#peers.calls) call.abandon();
    if (type === 'disconnect' || type === 'reconnect') this.#heartbeat.silent = type === 'disconnect';
  }
}
