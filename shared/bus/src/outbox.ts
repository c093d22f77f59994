import type { NatsConnection } from 'nats';
import { encodeMessage, type Frame, FrameFlag, frameOverhead, frameSize, noBytes } from './frame.ts';

/** The most bytes in one message, even if the server allows more. */
const maxMessage = 512 * 1024;
/** The most bytes in one frame, so that no call delays the others for long. */
const maxFrame = 128 * 1024;

/**
 * Frames for one destination. The frames of one event-loop turn are sent at its end, in as few messages as possible.
 */
export class Outbox {
  readonly #turn: Turn;
  readonly #subject: string;
  readonly #reply: string | undefined;
  #frames: Frame[] = [];
  #size = 0;

  constructor(turn: Turn, subject: string, reply?: string) {
    this.#turn = turn;
    this.#subject = subject;
    this.#reply = reply;
  }

  push(frame: Frame): void {
    const size = frameSize(frame);
    if (this.#size + size > this.#turn.maxMessage) this.flush();
    if (this.#frames.length === 0) this.#turn.add(this);
    this.#frames.push(frame);
    this.#size += size;
  }

  flush(): void {
    if (this.#frames.length === 0) return;
    const message = encodeMessage(this.#frames);
    this.#frames = [];
    this.#size = 0;
    this.#turn.publish(this.#subject, message, this.#reply);
  }
}

/** Sends the frames of one event-loop turn at its end, in one write to the server's socket. */
export class Turn {
  readonly maxMessage: number;
  readonly maxFrame: number;
  readonly #connection: NatsConnection;
  #waiting: { flush(): void }[] = [];

  constructor(connection: NatsConnection) {
    this.#connection = connection;
    // One byte is the protocol version.
    this.maxMessage = Math.min(maxMessage, (connection.info?.max_payload ?? maxMessage) - 1);
    this.maxFrame = Math.min(maxFrame, this.maxMessage - frameOverhead);
  }

  /** Calls `flush` when the turn ends. */
  add(sender: { flush(): void }): void {
    if (this.#waiting.length === 0) setImmediate(() => this.end());
    this.#waiting.push(sender);
  }

  publish(subject: string, message: Uint8Array, reply?: string): void {
    // A closed connection is no error here: the connection's watcher fails its calls.
    if (!this.#connection.isClosed() && !this.#connection.isDraining())
      this.#connection.publish(subject, message, reply ? { reply } : undefined);
  }

  /** Sends the waiting frames at once, as before the process exits. */
  end(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const sender of waiting) sender.flush();
  }
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

  write(kind: Frame['kind'], head: Uint8Array = noBytes, bytes: Uint8Array = noBytes, flags = 0): void {
    if (head.length + bytes.length <= this.#maxFrame) {
      this.#outbox.push({ kind, flags, call: this.#call, seq: this.#seq++, head, bytes });
      return;
    }
    const headPiece = head.subarray(0, this.#maxFrame);
    const bytesPiece = bytes.subarray(0, this.#maxFrame - headPiece.length);
    this.#outbox.push({
      kind,
      flags: (flags & ~FrameFlag.last) | FrameFlag.more,
      call: this.#call,
      seq: this.#seq++,
      head: headPiece,
      bytes: bytesPiece,
    });
    this.write(kind, head.subarray(headPiece.length), bytes.subarray(bytesPiece.length), flags);
  }
}
