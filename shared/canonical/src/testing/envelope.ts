import type { Envelope } from '../envelope.ts';

/** Returns an envelope of a streamed chat request for tests. */
export function testEnvelope(fields: Partial<Envelope> = {}): Envelope {
  return {
    requestId: 'req_1',
    operation: 'generate',
    format: 'chat',
    model: 'm',
    stream: true,
    textLength: 0,
    targets: [],
    token: { id: 't', project: 'p' },
    headers: {},
    ...fields,
  };
}
