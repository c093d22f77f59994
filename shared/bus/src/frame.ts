import { setImmediate } from 'node:timers/promises';
import type { AudioEvent, GenerateEvent } from '@model-gateway/canonical';
import { jsonStep, parseInSteps } from '@model-gateway/json';

/**
 * The protocol version: the first byte of a message, and part of each heartbeat. Raised by each incompatible change.
 * A caller uses workers of its own version; a worker answers an opening of another version with busy.
 */
export const protocolVersion = 2;

/** The most bytes of one batch of events, over all its pieces. */
export const maxBatch = 64 * 1024 * 1024;

export const FrameKind = {
  /** Caller to worker. Head: an `OpenHead`; bytes: the request body, if it fits. */
  open: 1,
  /** Caller to worker: a piece of a request body that is not in its opening frame. */
  body: 2,
  /** Caller to worker. Bytes: the number of further response bytes that may be sent, 4 bytes. */
  credit: 3,
  /** Caller to worker: the response is no longer wanted. Head: a `CancelHead`, or empty. */
  cancel: 4,
  /** Caller to worker, call id 0: a heartbeat. Bytes: the ids of the caller's calls at this worker, 4 bytes each. */
  heartbeat: 5,
  /** Worker to caller. Head: an `AcceptHead`. */
  accept: 16,
  /** Worker to caller: no room; use another worker. Head: a `BusyHead`. */
  busy: 17,
  /** Worker to caller. Head: a JSON array of events. */
  events: 18,
  /** Worker to caller: a `verbatim` event. Head: its `whole`, or empty. */
  verbatim: 19,
  /** Worker to caller: the worker does not serve this call. */
  lost: 20,
  /** Worker to caller. Bytes: the number of further body bytes that may be sent, 4 bytes. */
  take: 21,
  /** Worker to caller: an upstream is about to be called again. Head: an `AnnouncedAttempt`. */
  attempt: 22,
  /** Worker to caller: an `audio` event. Head: an `AudioHead`, or empty. */
  audio: 23,
} as const;
export type FrameKind = (typeof FrameKind)[keyof typeof FrameKind];

/** Bits of a frame's flags. */
export const FrameFlag = {
  none: 0,
  /** The next frame of this call continues this one. */
  more: 1,
  /** The last frame of this call in this direction. */
  last: 2,
  /** The bytes are text. */
  text: 4,
} as const;

/** The unit of the protocol, about one call. A message carries one or more frames. */
export interface Frame {
  kind: FrameKind;
  flags: number;
  /** The call's id, unique among the caller's calls. */
  call: number;
  /** Sequence number of the frame in its call and direction, from 0; shows lost frames. */
  seq: number;
  /** JSON text, or empty. */
  head: Uint8Array;
  /** Raw bytes, or empty. In a frame that was read, a view of the message. */
  bytes: Uint8Array;
}

/** Bytes of a frame's fixed part: kind, flags, call, seq and two lengths. */
export const frameOverhead = 18;

export const noBytes: Uint8Array = Buffer.alloc(0);

export function frameSize(frame: Frame): number {
  return frameOverhead + frame.head.length + frame.bytes.length;
}

/** Encodes a message into a new buffer: NATS holds a reference to it until the socket has sent it. */
export function encodeMessage(frames: readonly Frame[]): Uint8Array {
  let size = 1;
  for (const frame of frames) size += frameSize(frame);
  const message = Buffer.allocUnsafe(size);
  message[0] = protocolVersion;
  let at = 1;
  for (const frame of frames) {
    message[at] = frame.kind;
    message[at + 1] = frame.flags;
    message.writeUInt32LE(frame.call, at + 2);
    message.writeUInt32LE(frame.seq, at + 6);
    message.writeUInt32LE(frame.head.length, at + 10);
    message.writeUInt32LE(frame.bytes.length, at + 14);
    if (frame.head.length > 0) message.set(frame.head, at + frameOverhead);
    if (frame.bytes.length > 0) message.set(frame.bytes, at + frameOverhead + frame.head.length);
    at += frameSize(frame);
  }
  return message;
}

/** True for a message of another version. The server's empty "no responders" message is not one. */
export function isOtherVersion(data: Uint8Array): boolean {
  return data.length > 0 && data[0] !== protocolVersion;
}

/** Decodes a message's frames; empty if it is of another version or malformed. */
export function decodeMessage(data: Uint8Array): Frame[] {
  const frames: Frame[] = [];
  if (data[0] !== protocolVersion) return frames;
  const message = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  let at = 1;
  while (at + frameOverhead <= message.length) {
    const headStart = at + frameOverhead;
    const bytesStart = headStart + message.readUInt32LE(at + 10);
    const end = bytesStart + message.readUInt32LE(at + 14);
    if (end > message.length) return [];
    frames.push({
      kind: message[at] as FrameKind,
      flags: message[at + 1] as number,
      call: message.readUInt32LE(at + 2),
      seq: message.readUInt32LE(at + 6),
      head: headStart === bytesStart ? noBytes : message.subarray(headStart, bytesStart),
      bytes: bytesStart === end ? noBytes : message.subarray(bytesStart, end),
    });
    at = end;
  }
  return at === message.length ? frames : [];
}

/** Parses a frame's head. */
export function readHead<T>(frame: Frame): T {
  return JSON.parse((frame.head as Buffer).toString('utf8'));
}

export function writeHead(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/** Encodes a number of bytes as the 4 bytes of a credit frame. */
export function writeCount(bytes: number): Uint8Array {
  const count = Buffer.allocUnsafe(4);
  count.writeUInt32LE(bytes);
  return count;
}

export function readCount({ bytes }: Frame): number {
  return (bytes as Buffer).readUInt32LE();
}

/** Thrown for a response with missing or invalid frames. */
class DamagedAnswer extends Error {}

/** Decodes the frames of one response into events, and detects missing frames. */
export class AnswerReader {
  #seq = 0;
  /** The number of frames that were read when {@link hasNews} was asked last. */
  #known = 0;
  #pieces: Uint8Array[] = [];
  #held = 0;
  #weight = 0;

  /** Bytes of credit that the last events used, over all their pieces. */
  get weight(): number {
    return this.#weight;
  }

  /** Returns true if a frame was read since this was asked last. */
  hasNews(): boolean {
    const isNew = this.#seq !== this.#known;
    this.#known = this.#seq;
    return isNew;
  }

  /** Reads the last events in steps; set if they are large. To be called once. @throws DamagedAnswer */
  readLast: (() => Promise<GenerateEvent[]>) | undefined;

  /** Returns the events that a frame completes, without those that `readLast` reads. @throws DamagedAnswer */
  read(frame: Frame): GenerateEvent[] {
    this.#weight = this.#held + frame.head.length + frame.bytes.length;
    if (frame.seq !== this.#seq++)
      throw new DamagedAnswer(`received frame ${frame.seq} instead of ${this.#seq - 1}`);
    switch (frame.kind) {
      case FrameKind.verbatim:
        return [verbatim(frame)];
      case FrameKind.audio:
        return [audio(frame)];
      case FrameKind.events:
        return this.#events(frame);
      default:
        return [];
    }
  }

  #events(frame: Frame): GenerateEvent[] {
    if (this.#pieces.length === 0 && !(frame.flags & FrameFlag.more)) return readHead(frame);
    this.#held += frame.head.length;
    if (this.#held > maxBatch)
      throw new DamagedAnswer(`a batch of events is larger than ${maxBatch / 2 ** 20} MiB`);
    this.#pieces.push(frame.head);
    if (frame.flags & FrameFlag.more) return [];
    const pieces = this.#pieces;
    const large = this.#held > jsonStep && (frame.flags & FrameFlag.last) !== 0;
    this.#pieces = [];
    this.#held = 0;
    if (!large) return JSON.parse(Buffer.concat(pieces).toString('utf8'));
    const readLast = () => readInSteps(pieces);
    this.readLast = readLast;
    return [];
  }
}

async function readInSteps(pieces: Uint8Array[]): Promise<GenerateEvent[]> {
  await nextStep();
  const whole = Buffer.concat(pieces);
  await nextStep();
  const text = whole.toString('utf8');
  await nextStep();
  try {
    return (await parseInSteps(text, nextStep)) as GenerateEvent[];
  } catch (cause) {
    throw new DamagedAnswer('a batch of events is not valid JSON', { cause });
  }
}

function verbatim(frame: Frame): GenerateEvent {
  if (frame.head.length === 0 && frame.flags === FrameFlag.none)
    return { type: 'verbatim', bytes: frame.bytes };
  return {
    type: 'verbatim',
    bytes: frame.bytes,
    ...(frame.head.length > 0 && { whole: readHead(frame) }),
    ...(frame.flags & FrameFlag.more && { partial: true }),
    ...(frame.flags & FrameFlag.text && { text: true }),
  };
}

/** The fields of an `audio` event beside its bytes. */
export type AudioHead = Pick<AudioEvent, 'mediaType'>;

function audio(frame: Frame): AudioEvent {
  const head: AudioHead = frame.head.length > 0 ? readHead(frame) : {};
  return { type: 'audio', bytes: frame.bytes, ...head };
}

let last: Promise<unknown> = Promise.resolve();

/** Resolves in a later event-loop turn; over all responses, one step runs per turn. */
async function nextStep(): Promise<void> {
  last = last.then(() => setImmediate());
  await last;
}

/**
 * The most credit that the calls of one connection have together, in bytes, beside {@link leastWindow} of each. NATS queues so much
 * for a process that does not read, and more: it cuts a connection at its `max_pending`, which is 64 MB by default.
 */
export const connectionWindow = 24 * 1024 * 1024;
/** The smallest window of a call, in bytes. */
export const leastWindow = 4 * 1024;
/** Credit that is left, in bytes, below which a new call gets less than the largest window: in proportion to what is left. */
const scarceFrom = 16 * 1024 * 1024;

/** The credit windows of the calls that send to one connection: the more there are, the smaller each is. Sizes are in bytes. */
export class Windows {
  readonly #largest: number;
  #calls = 0;
  #granted = 0;

  /** `largest`: the window of a call if there are few. */
  constructor(largest: number) {
    this.#largest = largest;
  }

  /** Opens the window of a call, and returns its size. */
  open(): number {
    this.#calls++;
    return this.resize(0, 0);
  }

  /** Returns the new size of a call's window, at least `least`, since credit that was given is not taken back. */
  resize(size: number, least: number): number {
    const share = Math.min(this.#largest, connectionWindow / this.#calls);
    const left = Math.max(0, connectionWindow - this.#granted);
    const wanted = Math.floor(Math.min(share, size + (this.#largest * left) / scarceFrom));
    const resized = Math.max(wanted, least, leastWindow);
    this.#granted += resized - size;
    return resized;
  }

  /** Closes the window of a call. */
  close(size: number): void {
    this.#calls--;
    this.#granted -= size;
  }
}
