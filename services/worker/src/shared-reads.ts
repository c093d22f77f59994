import { type OnReadOpts, Socket } from 'node:net';

/** The most bytes of one read; what Node allocates for each read otherwise. */
const buffer = Buffer.allocUnsafeSlow(64 * 1024);

/** The socket whose reader is offered what arrived, and the bytes until they are taken. */
let offering: Socket | undefined;
let offered: Buffer | null = null;

/**
 * Lets all sockets read into one buffer, of which each gets a copy of what arrived. Otherwise Node allocates 64 KiB for every read, and an
 * `ArrayBuffer` that V8 frees by itself: a tenth of the CPU of a small read. A read ends before the next one begins. Node
 * calls the callback as a method of the socket (`onStreamRead` in its `lib/internal/stream_base_commons.js`). Sockets of HTTP/2 and of
 * TLS in a tunnel ignore it.
 */
export const sharedReads: OnReadOpts = {
  buffer,
  callback(this: Socket, length: number) {
    const part = Buffer.allocUnsafe(length);
    buffer.copy(part, 0, 0, length);
    return isTaken(this, part) || this.push(part);
  },
};

/**
 * Offers what arrived to a reader that calls `read()` at the event `readable`, as undici does. The way through the socket's own buffer costs a
 * sixth of the CPU of a small read: it emits the event in a later tick.
 */
function isTaken(socket: Socket, part: Buffer): boolean {
  // Earlier bytes are read first.
  if (socket.readableLength > 0) return false;
  socket.read = readOffered;
  offering = socket;
  offered = part;
  try {
    socket.emit('readable');
    return offered === null;
  } finally {
    offering = undefined;
    offered = null;
  }
}

function readOffered(this: Socket, size?: number): Buffer | null {
  if (this !== offering || size !== undefined) return Socket.prototype.read.call(this, size);
  const part = offered;
  offered = null;
  return part;
}
