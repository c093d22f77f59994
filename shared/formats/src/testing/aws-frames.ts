import { EventStreamCodec } from '@smithy/eventstream-codec';

const codec = new EventStreamCodec(
  bytes => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8')),
  text => Buffer.from(text, 'utf8'),
);

/** Returns a frame of AWS's event stream: an event by default, or an exception. */
export function awsFrame(type: string, payload: unknown, kind: 'event' | 'exception' = 'event'): Buffer {
  const text = (value: string) => ({ type: 'string' as const, value });
  const headers = {
    [`:${kind}-type`]: text(type),
    ':content-type': text('application/json'),
    ':message-type': text(kind),
  };
  const body = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
  return Buffer.from(codec.encode({ headers, body }));
}
