import type { Clock, Timer } from '@model-gateway/clock';
import type { NatsConnection } from 'nats';
import { encodeMessage, type Frame, FrameFlag, frameOverhead, frameSize, noBytes } from './frame.ts';
import { callSubject, poolOf, workerSubject } from './subjects.ts';

/** The most bytes in one message, even if the server allows more. */
const maxMessage = 512 * 1024;
/** The most bytes in one frame, so that no call delays the others for long. */
const maxFrame = 128 * 1024;
/** Space reserved for an opening frame's head, in bytes. */
export const headRoom = 64 * 1024;

/** The latest time at which a frame is sent. It is sent earlier if another frame of this process is. */
export const Urgency = {
  /** At the end of the event-loop turn. */
  now: 'now',
  /** The same, for a further part of an answer. The process then reads its sockets again `turnMs` after the last such turn. */
  part: 'part',
  /** Within `noticeMs`: it carries nothing that the client sees, and the answer may follow at once. */
  notice: 'notice',
} as const;
export type Urgency = (typeof Urgency)[keyof typeof Urgency];

/** The shortest turn of the event loop while parts of answers follow each other, in milliseconds. */
export const turnMs = 2;
/** The longest time that a frame without a part of an answer waits for one, in milliseconds. */
export const noticeMs = 4;

/** Has messages to send. */
interface Sender {
  /** True while it is in a queue. */
  waits: boolean;
  flush(): void;
}

/** Frames for one destination, sent in as few messages as possible. */
export class Outbox implements Sender {
  waits = false;
  readonly #queue: SendQueue;
  readonly #subject: string;
  readonly #reply: string | undefined;
  #frames: Frame[] = [];
  #size = 0;

  constructor(queue: SendQueue, subject: string, reply?: string) {
    this.#queue = queue;
    this.#subject = subject;
    this.#reply = reply;
  }

  push(frame: Frame, urgency: Urgency = Urgency.now): void {
    const size = frameSize(frame);
    if (this.#size + size > this.#queue.maxMessage) this.flush();
    this.#queue.add(this, urgency);
    this.#frames.push(frame);
    this.#size += size;
  }

  flush(): void {
    if (this.#frames.length === 0) return;
    const message = encodeMessage(this.#frames);
    this.#frames = [];
    this.#size = 0;
    this.#queue.publish(this.#subject, message, this.#reply);
  }
}

/**
 * Sends frames in as few writes to the server's socket as their urgency allows: each wake-up of this process, of the
 * server and of the receiver costs more than a frame.
 */
export class SendQueue {
  readonly maxMessage: number;
  readonly maxFrame: number;
  readonly #connection: NatsConnection;
  readonly #clock: Clock;
  readonly #sleep: (ms: number) => void;
  #waiting: Sender[] = [];
  #endsWithTurn = false;
  #timer: Timer | undefined;
  /** True if one of the waiting frames is a further part of an answer. */
  #hasPart = false;
  /** The time at which the last turn with a part ended, by the monotonic clock. */
  #turnEnded = 0;

  constructor(connection: NatsConnection, clock: Clock, sleep = sleepThread) {
    this.#connection = connection;
    this.#clock = clock;
    this.#sleep = sleep;
    // One byte is the protocol version.
    this.maxMessage = Math.min(maxMessage, (connection.info?.max_payload ?? maxMessage) - 1);
    this.maxFrame = Math.min(maxFrame, this.maxMessage - frameOverhead);
  }

  /** Calls `flush` once: when the urgency demands it, or before, whenever another sender's frames are sent. */
  add(sender: Sender, urgency: Urgency = Urgency.now): void {
    if (!sender.waits) this.#waiting.push(sender);
    sender.waits = true;
    if (urgency === Urgency.part) this.#hasPart = true;
    if (this.#endsWithTurn) return;
    if (urgency === Urgency.notice) this.#timer ??= this.#clock.setTimeout(() => this.end(), noticeMs);
    else {
      this.#endsWithTurn = true;
      setImmediate(() => this.end());
    }
  }

  publish(subject: string, message: Uint8Array, reply?: string): void {
    // A closed connection is no error here: the connection's watcher fails its calls.
    if (!this.#connection.isClosed() && !this.#connection.isDraining())
      this.#connection.publish(subject, message, reply ? { reply } : undefined);
  }

  /** Sends the waiting frames at once, as before the process exits. */
  end(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#endsWithTurn = false;
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const sender of waiting) {
      sender.waits = false;
      sender.flush();
    }
    // The NATS client writes in a microtask, too.
    if (this.#hasPart) queueMicrotask(() => this.#endTurn());
    this.#hasPart = false;
  }

  /** Sleeps until the turn is `turnMs` long: what arrives meanwhile, of whatever stream, is read in one turn. */
  #endTurn(): void {
    const rest = this.#turnEnded + turnMs - this.#clock.monotonic();
    if (rest > 0) this.#sleep(rest);
    this.#turnEnded = this.#clock.monotonic();
  }
}

const sleeping = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** Blocks this thread. Node has no other way to leave sockets unread: each event of one would wake the process. */
function sleepThread(ms: number): void {
  Atomics.wait(sleeping, 0, 0, ms);
}

/** Writes one direction of one call: numbers its frames, and splits those that are too large. */
export class FrameWriter {
  readonly #outbox: Outbox;
  readonly #maxFrame: number;
  readonly #call: number;
  #seq: number;

  constructor(outbox: Outbox, maxFrame: number, call: number, firstSeq = 0) {
    this.#outbox = outbox;
    this.#maxFrame = maxFrame;
    this.#call = call;
    this.#seq = firstSeq;
  }

  write(
    kind: Frame['kind'],
    head: Uint8Array = noBytes,
    bytes: Uint8Array = noBytes,
    flags = 0,
    urgency: Urgency = Urgency.now,
  ): void {
    if (head.length + bytes.length <= this.#maxFrame) {
      this.#outbox.push({ kind, flags, call: this.#call, seq: this.#seq++, head, bytes }, urgency);
      return;
    }
    const headPiece = head.subarray(0, this.#maxFrame);
    const bytesPiece = bytes.subarray(0, this.#maxFrame - headPiece.length);
    const piece = {
      kind,
      flags: (flags & ~FrameFlag.last) | FrameFlag.more,
      call: this.#call,
      seq: this.#seq++,
      head: headPiece,
      bytes: bytesPiece,
    };
    this.#outbox.push(piece, urgency);
    this.write(kind, head.subarray(headPiece.length), bytes.subarray(bytesPiece.length), flags, urgency);
  }
}

/** Sends a caller's messages to workers. The answers to all of them go to the caller's reply subject for their pool. */
export class Outboxes {
  readonly maxFrame: number;
  /** The largest head of an opening frame, in bytes. */
  readonly maxHead = headRoom - frameOverhead;
  /** The largest body that fits in an opening frame, in bytes. */
  readonly maxInline: number;
  readonly #queue: SendQueue;
  readonly #replyOf: (pool: string) => string;
  readonly #byWorker = new Map<string, Outbox>();

  constructor(connection: NatsConnection, clock: Clock, replyOf: (pool: string) => string) {
    this.#queue = new SendQueue(connection, clock);
    this.#replyOf = replyOf;
    this.maxFrame = this.#queue.maxFrame;
    this.maxInline = Math.max(0, this.#queue.maxMessage - headRoom);
  }

  /** Returns the outbox for frames to a worker. */
  of(worker: string): Outbox {
    let outbox = this.#byWorker.get(worker);
    if (!outbox) {
      outbox = new Outbox(this.#queue, workerSubject(worker), this.#replyOf(poolOf(worker)));
      this.#byWorker.set(worker, outbox);
    }
    return outbox;
  }

  /** Sends an opening to `worker` or, if undefined, to any worker of the pool. */
  open(frame: Frame, pool: string, worker: string | undefined): void {
    // One message per opening, so that the queue group distributes the calls.
    const subject = worker ? workerSubject(worker) : callSubject(pool);
    this.#queue.add({
      waits: false,
      flush: () =>
        this.#queue.publish(subject, encodeMessage([frame]), `${this.#replyOf(pool)}.${frame.call}`),
    });
  }

  /** Forgets workers that are lost. */
  keep(lives: (worker: string) => boolean): void {
    for (const worker of this.#byWorker.keys()) if (!lives(worker)) this.#byWorker.delete(worker);
  }

  /** Sends the waiting frames at once. */
  end(): void {
    this.#queue.end();
  }
}
