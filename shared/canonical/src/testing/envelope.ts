import type { Envelope, Route } from '../envelope.ts';

/** Returns an envelope of a streamed chat request for tests. */
export function testEnvelope(fields: Partial<Envelope> = {}): Envelope {
  return {
    requestId: 'req_1',
    operation: 'generate',
    format: 'chat',
    model: 'm',
    stream: true,
    textLength: 0,
    route: testRoute(),
    token: { id: 't', project: 'p' },
    headers: {},
    ...fields,
  };
}

/** Returns a route of a chat request to the model `m` of the provider `p`. */
export function testRoute(fields: Partial<Route> = {}): Route {
  return {
    provider: 'p',
    model: 'm',
    pool: 'default',
    format: 'chat',
    body: 'verbatim',
    version: 1,
    timeouts: { firstToken: 1_000, idle: 1_000, total: 60_000 },
    drop: [],
    limits: {},
    ...fields,
  };
}
