import { crc32 } from 'node:zlib';
import { splitEvents } from '@model-gateway/sse';
import { type Flow, mapped } from '../common/format.ts';

/** Returns a frame of AWS's event stream: its lengths and headers, the payload, and two checksums. */
export function frame(headers: Record<string, string>, payload: string): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const body = Buffer.from(payload);
  const bytes = Buffer.alloc(12 + head.length + body.length + 4);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(head.length, 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  head.copy(bytes, 12);
  body.copy(bytes, 12 + head.length);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
  return bytes;
}

const stringType = 7;

function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.of(Buffer.byteLength(name)),
    Buffer.from(name),
    Buffer.of(stringType),
    length,
    Buffer.from(value),
  ]);
}

export function eventFrame(type: string, payload: string): Buffer {
  return frame(
    { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' },
    payload,
  );
}

export function exceptionFrame(type: string, message: string): Buffer {
  return frame(
    { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' },
    JSON.stringify({ message }),
  );
}

/** Returns a flow of server-sent events as frames, one for each event. */
export function framed(flow: Flow, frameOf: (name: string, data: string) => Buffer): Flow {
  return mapped(flow, chunk => [framesOf(String(chunk), frameOf)]);
}

function framesOf(text: string, frameOf: (name: string, data: string) => Buffer): Buffer {
  return Buffer.concat(
    splitEvents(text).map(event => {
      const [, name = '', data = ''] = /^event: (\w+)\ndata: (.*)\n/.exec(event) ?? [];
      return frameOf(name, data);
    }),
  );
}
