import { EventEmitter } from 'node:events';
import type { Call, Caller, CallRequest } from '@model-gateway/bus';
import type { ErrorEvent, GatewayError, GenerateEvent, Route } from '@model-gateway/canonical';
import { KnownFields } from '@model-gateway/json';
import { afterEach, expect, test, vi } from 'vitest';
import type { Admitted } from './admit.ts';
import { Answer } from './answer.ts';
import { type Deliverable, deliver } from './deliver.ts';
import type { Endpoint } from './endpoint.ts';
import { OpenAnswers } from './in-flight.ts';
import type { ResponseSink } from './response-sink.ts';

afterEach(() => void vi.useRealTimers());

const route = (provider: string): Route => ({
  provider,
  model: 'up',
  pool: 'default',
  format: 'chat',
  body: 'verbatim',
  version: 1,
  timeouts: { firstToken: 1_000, idle: 1_000, total: 60_000 },
  drop: [],
  limits: {},
});

const renderError = ({ message }: GatewayError) => ({ status: 500, body: { message } });
const endpoint: Endpoint = {
  method: 'POST',
  path: '/',
  format: 'chat',
  fields: new KnownFields([]),
  parse: () => {
    throw new Error('nothing is parsed here');
  },
  render: () => ({ type: 'count', count: tokens => ({ tokens }) }),
  renderError,
  renderErrorEvent: ({ message }) => `error: ${message}`,
  ping: '',
};

/** A response that keeps what is written. */
class Sink extends EventEmitter implements ResponseSink {
  headersSent = false;
  destroyed = false;
  statusCode = 0;
  writableNeedDrain = false;
  writableLength = 0;
  text = '';
  readonly headers: Record<string, string | number> = {};

  setHeader(name: string, value: string | number): void {
    this.headers[name] = value;
  }
  writeHead(status: number): void {
    this.headersSent = true;
    this.statusCode = status;
  }
  write(data: string | Uint8Array): void {
    this.text += Buffer.from(data as Uint8Array).toString();
  }
  end(data: string | Uint8Array = ''): void {
    this.write(data);
    setImmediate(() => this.emit('close'));
  }
  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

interface Asked extends CallRequest {
  call: { losses: number; queuedMs: number; cancel(): void; consumed(weight: number): void };
}

/** Delivers a request over these routes; `asked` are the calls, which the test answers. */
function start(
  routes: Route[],
  { stream = true, estimate }: Partial<Deliverable & { stream: boolean }> = {},
) {
  const asked: Asked[] = [];
  const caller = {
    call(request: CallRequest) {
      const call = { losses: 0, queuedMs: 0, cancel: vi.fn(), consumed: vi.fn() };
      asked.push({ ...request, call });
      return call as unknown as Call;
    },
  } as Caller;
  const release = vi.fn();
  const admitted = { share: { release }, endForRevocation() {} } as unknown as Admitted;
  const sink = new Sink();
  const ended = deliver(
    {
      admitted,
      routes,
      bodies: { verbatim: { body: Buffer.from('{}'), sent: { textLength: 2 } } },
      envelope: {
        requestId: 'req_1',
        operation: 'generate',
        format: 'chat',
        model: 'm',
        stream,
        token: { id: 't', project: 'p' },
        headers: {},
      },
      estimate,
    },
    { caller, queueMs: 10_000 },
    hooks =>
      new Answer(sink, {
        ...hooks,
        open: new OpenAnswers(),
        endpoint,
        renderer: () => endpoint.render(undefined),
        requestId: 'req_1',
        stream,
        renderError,
      }),
  );
  const at = (i: number) => asked[i] as Asked;
  const fail = (i: number, error: Partial<ErrorEvent> = {}) =>
    at(i).onEvents([{ type: 'error', kind: 'upstream', message: `No ${i}.`, ...error }], 0);
  const finish = (i: number) =>
    at(i).onEvents(
      [
        { type: 'verbatim', bytes: Buffer.from('Hi') },
        { type: 'finish', reason: 'stop', raw: null, usage: null },
      ],
      0,
    );
  return { asked, at, fail, finish, ended, sink, release };
}

test('routes are taken in turn until one answers; a call serves one', async () => {
  const { asked, at, fail, finish, ended, sink, release } = start([route('a'), route('b'), route('c')]);
  fail(0);
  expect(release).not.toHaveBeenCalled();
  finish(1);
  expect(await ended).toBeUndefined();
  expect(asked.map(({ envelope }) => envelope.route?.provider)).toEqual(['a', 'b']);
  // The previous version of the worker reads the targets.
  expect(at(1).envelope.targets).toEqual([{ provider: 'b', model: 'up' }]);
  expect(sink.text).toBe('Hi');
  expect(release).toHaveBeenCalled();
});

test('the client gets the last error, or one that no other route can help against', async () => {
  const all = start([route('a'), route('b')]);
  all.fail(0, { retryAfterMs: 3_000 });
  all.fail(1, { kind: 'overloaded', retryAfterMs: 9_000 });
  expect(await all.ended).toMatchObject({ kind: 'overloaded', details: { retryAfterMs: 3_000 } });
  const invalid = start([route('a'), route('b')]);
  invalid.fail(0, { kind: 'invalid-request' });
  expect(await invalid.ended).toMatchObject({ kind: 'invalid-request' });
  expect(invalid.asked).toHaveLength(1);
});

test('no route is taken after the response has begun', async () => {
  const { at, fail, ended, sink, asked } = start([route('a'), route('b')]);
  at(0).onEvents([{ type: 'verbatim', bytes: Buffer.from('H') }], 0);
  fail(0);
  expect(await ended).toMatchObject({ message: 'No 0.' });
  expect([sink.text, asked.length]).toEqual(['Herror: No 0.', 1]);
});

test('a route whose worker is lost is taken once more; later routes have fewer workers to lose', () => {
  const { at, fail, asked } = start([route('a'), route('b')]);
  at(0).call.losses = 1;
  at(0).onLost?.();
  expect(asked.map(({ envelope }) => envelope.route?.provider)).toEqual(['a', 'a']);
  expect(asked.map(({ lossesLeft }) => lossesLeft)).toEqual([2, 1]);
  fail(1);
  expect(at(2)).toMatchObject({ lossesLeft: 1, envelope: { route: { provider: 'b' } } });
});

test('another route is taken after a lost worker whose part of a whole answer was not shown', async () => {
  const { at, fail, finish, ended, sink, asked } = start([route('a'), route('b')], { stream: false });
  at(0).onEvents([{ type: 'start', id: 'x', model: 'up' }], 0);
  at(0).call.losses = 1;
  at(0).onLost?.();
  fail(1);
  finish(2);
  expect(await ended).toBeUndefined();
  expect(asked.map(({ envelope }) => envelope.route?.provider)).toEqual(['a', 'a', 'b']);
  expect(sink.text).toBe('Hi');
});

test('no other route is taken if a worker fails amid a whole answer, since it was charged', async () => {
  const { at, fail, ended, asked } = start([route('a'), route('b')], { stream: false });
  at(0).onEvents([{ type: 'start', id: 'x', model: 'up' }], 0);
  fail(0);
  expect(await ended).toMatchObject({ message: 'No 0.' });
  expect(asked).toHaveLength(1);
});

test('all calls of a request have one time to queue and one deadline', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const begun = Date.now();
  const { at, fail, ended, asked } = start([route('a'), route('b'), route('c')]);
  expect(at(0)).toMatchObject({ queueUntil: begun + 10_000, envelope: { endsAt: begun + 70_000 } });
  at(0).call.queuedMs = 4_000;
  vi.setSystemTime(begun + 30_000);
  fail(0);
  expect(at(1)).toMatchObject({ queueUntil: begun + 36_000, envelope: { endsAt: begun + 70_000 } });
  vi.setSystemTime(begun + 70_000);
  fail(1, { kind: 'timeout' });
  expect(await ended).toMatchObject({ kind: 'timeout' });
  expect(asked).toHaveLength(2);
});

test('a count is estimated if no route answers', async () => {
  const bytes = Buffer.from('{"tokens":3}');
  const whole = { status: 200, mediaType: 'application/json', length: bytes.length };
  const estimate = async (): Promise<GenerateEvent[]> => [
    { type: 'verbatim', bytes, whole },
    { type: 'finish', reason: 'stop', raw: null, usage: null },
  ];
  const { fail, ended, sink } = start([route('a')], { stream: false, estimate });
  fail(0);
  expect(await ended).toBeUndefined();
  expect([sink.statusCode, sink.text]).toEqual([200, '{"tokens":3}']);
});

test('a client that leaves cancels the call', async () => {
  const { at, ended, sink } = start([route('a')]);
  sink.destroy();
  expect(await ended).toMatchObject({ kind: 'cancelled' });
  expect(at(0).call.cancel).toHaveBeenCalled();
});
