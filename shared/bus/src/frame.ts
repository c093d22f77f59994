/**
 * The first byte of a message, and in each heartbeat: raised by each change that an older or newer process could not follow.
 * A caller asks workers of its own version; a worker answers an opening of another one with busy.
 */
export const protocolVersion = 2;

export const FrameKind = {
  /** Caller to worker. Head: an `OpenHead`; bytes: the request body, if it fits. */
  open: 1,
  /** Caller to worker: a piece of a request body that is not in its opening frame. */
  body: 2,
  /** Caller to worker. Bytes: how many more bytes of answer may be sent, 4 bytes. */
  credit: 3,
  /** Caller to worker: nobody waits for this answer any more. */
  cancel: 4,
  /** Caller to worker, call id 0: the caller is alive. Bytes: the ids of its calls at this worker, 4 bytes each. */
  beat: 5,
  /** Worker to caller. Head: an `AcceptHead`. */
  accept: 16,
  /** Worker to caller: no room; ask another. Head: an `AcceptHead`. */
  busy: 17,
  /** Worker to caller. Head: a JSON array of events. */
  events: 18,
  /** Worker to caller: a `verbatim` event. Head: its `whole`, or empty. */
  verbatim: 19,
  /** Worker to caller: it does not serve this call, or no longer. */
  lost: 20,
  /** Worker to caller. Bytes: how many more bytes of body may be sent, 4 bytes. */
  take: 21,
  /** Worker to caller: an upstream is about to be called. Head: an `AnnouncedAttempt`. */
  attempt: 22,
} as const;
export type FrameKind = (typeof FrameKind)[keyof typeof FrameKind];

/** What a frame's flags may say. */
export const FrameFlag = {
  none: 0,
  /** The next frame of this call goes on where this one stops. */
  more: 1,
  /** The last frame of this call in this direction. */
  last: 2,
  /** The bytes are text. */
  text: 4,
} as const;

/** The smallest thing said about a call. A message carries one or more. */
export interface Frame {
  kind: FrameKind;
  flags: number;
  /** The caller's number for the call; unique among the caller's calls. */
  call: number;
  /** Counts the frames of a call in one direction from 0, so that a lost one shows. */
  seq: number;
  /** JSON text, or empty. */
  head: Uint8Array;
  /** Raw bytes, or empty. In a frame that was read: a view of the message. */
  bytes: Uint8Array;
}

/** Bytes of a frame beside its head and bytes: kind, flags, call, seq and two lengths. */
export const frameOverhead = 18;

export const noBytes: Uint8Array = new Uint8Array(0);

export function frameSize(frame: Frame): number {
  return frameOverhead + frame.head.length + frame.bytes.length;
}

/** Spells a message. The bytes are fresh: NATS keeps them by reference until the socket has them. */
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
    message.set(frame.head, at + frameOverhead);
    message.set(frame.bytes, at + frameOverhead + frame.head.length);
    at += frameSize(frame);
  }
  return message;
}

/** A message that is not of this version, nor the server's own word that nobody listens. */
export function isOtherVersion(data: Uint8Array): boolean {
  return data.length > 0 && data[0] !== protocolVersion;
}

/** Reads a message's frames; none if it is of another version or not whole. */
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
      head: message.subarray(headStart, bytesStart),
      bytes: message.subarray(bytesStart, end),
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

/** The 4 bytes of a frame that gives credit. */
export function writeCount(bytes: number): Uint8Array {
  const count = Buffer.allocUnsafe(4);
  count.writeUInt32LE(bytes);
  return count;
}

export function readCount({ bytes }: Frame): number {
  return (bytes as Buffer).readUInt32LE();
}
