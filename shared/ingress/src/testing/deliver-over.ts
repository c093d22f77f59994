import { EventEmitter } from 'node:events';
import { type Call, type Caller, type CallRequest, Faults, type OnFault } from '@model-gateway/bus';
import type { Envelope, ErrorEvent, GatewayError, Route } from '@model-gateway/canonical';
import { testRoute } from '@model-gateway/canonical/testing/envelope';
import { ManualClock } from '@model-gateway/clock/testing';
import type { RenderedError, Renderer } from '@model-gateway/formats/client';
import { KnownFields } from '@model-gateway/json';
import { vi } from 'vitest';
import type { Admitted } from '../admit/admit.ts';
import { Answer } from '../answer/answer.ts';
import type { Endpoint } from '../answer/endpoint.ts';
import type { ResponseSink } from '../answer/response-sink.ts';
import { OpenAnswers } from '../answer/response-sink.ts';
import { deliver } from '../deliver/deliver.ts';
import type { Deliverable } from '../deliver/deliverable.ts';
import { TargetHealth } from '../health/target-health.ts';

/** Returns a route to a provider. */
export const route = (provider: string) => testRoute({ provider, model: 'up' });

const render = ({ message }: GatewayError) => ({ status: 500, body: { message } });
const endpoint: Endpoint = {
  method: 'POST',
  path: '/',
  format: 'chat',
  fields: new KnownFields([]),
  parse: () => {
    throw new Error('nothing is parsed here');
  },
  render: () => ({ type: 'count', count: tokens => ({ tokens }) }),
  renderError: render,
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
  call: {
    losses: number;
    queuedMs: number;
    accepted: boolean;
    worker: string | undefined;
    cancel(): void;
    giveUp(): void;
    consumed(weight: number): void;
  };
}

type Options = Partial<Deliverable & Pick<Envelope, 'stream' | 'operation'>>;

/** The parts of an answer that a test may break; `onFault` gets what they throw. */
interface Breakable {
  renderer?(): Renderer;
  renderError?(error: GatewayError): RenderedError;
  onFault?: OnFault;
  /** Gets the function that ends the request with an error. */
  admitted?: Pick<Admitted, 'endForRevocation'>;
}

/** The targets as nothing is known of them, at a time that the test moves. */
export function startHealth() {
  const clock = new ManualClock();
  return { clock, health: new TargetHealth('', clock) };
}

/** Delivers a request over these routes; `asked` are the calls, which the test answers. */
export function deliverOver(
  routes: Route[],
  { stream = true, operation = 'generate', ...more }: Options = {},
  health = startHealth().health,
  {
    renderer = () => endpoint.render(undefined),
    renderError = render,
    onFault,
    admitted: ends,
  }: Breakable = {},
) {
  const asked: Asked[] = [];
  const announced: string[] = [];
  const caller = {
    faults: new Faults(onFault),
    call(request: CallRequest) {
      const worker: string | undefined = 'w';
      const facts = { losses: 0, queuedMs: 0, accepted: true, worker };
      const call = { ...facts, cancel: vi.fn(), giveUp: vi.fn(), consumed: vi.fn() };
      asked.push({ ...request, call });
      return call as unknown as Call;
    },
  } as unknown as Caller;
  const release = vi.fn();
  const left = vi.fn();
  const place = { cost: { left, answered() {} } };
  const admitted = Object.assign(ends ?? { endForRevocation() {} }, {
    share: { release },
    place,
  }) as unknown as Admitted;
  const sink = new Sink();
  const envelope = {
    requestId: 'req_1',
    operation,
    format: 'chat',
    model: 'm',
    stream,
    token: { id: 't', project: 'p' },
    headers: {},
  } as const;
  const ended = deliver(
    {
      admitted,
      routes,
      bodies: { verbatim: { body: Buffer.from('{}'), textLength: 2 } },
      envelope,
      ...more,
    },
    { caller, health, queueMs: 10_000, onRoute: ({ provider }) => announced.push(provider) },
    hooks =>
      new Answer(sink, {
        ...hooks,
        open: new OpenAnswers(health.clock, caller.faults),
        endpoint,
        renderer,
        requestId: 'req_1',
        stream,
        source: { renderError },
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
  /** The providers that were asked. */
  const providers = () => asked.map(({ envelope }) => envelope.route?.provider);
  return { asked, at, fail, finish, ended, sink, release, left, providers, announced };
}
