import type { OnReadOpts, Socket } from 'node:net';

/** The most bytes of one read; what Node allocates for each read otherwise. */
const buffer = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * Lets all sockets read into one buffer, of which each keeps a copy of what arrived. Otherwise Node allocates 64 KiB for every read, and an
 * `ArrayBuffer` that V8 frees by itself: a tenth of a worker's CPU for streams of small parts. A read ends before the next one begins. Node
 * calls the callback as a method of the socket (`onStreamRead` in its `lib/internal/stream_base_commons.js`). Sockets of HTTP/2 and of
 * TLS in a tunnel ignore it.
 */
export const sharedReads: OnReadOpts = {
  buffer,
  callback(this: Socket, length: number) {
    const part = Buffer.allocUnsafe(length);
    buffer.copy(part, 0, 0, length);
    return this.push(part);
  },
};
