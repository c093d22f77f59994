import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { duration, GatewayError } from '@model-gateway/canonical';
import type { Running, Service, ServiceContext } from '@model-gateway/service';
import express from 'express';
import { z } from 'zod';
import { failOpenAnswers, sendError } from './answer.ts';
import { type IngressDeps, ingressDepsConfig, openIngressDeps } from './deps.ts';
import type { Endpoint, IncomingRequest, ResourceEndpoint } from './endpoint.ts';
import { Exchange, type ExchangeLimits } from './exchange.ts';
import { createObserver, type Observed } from './observe.ts';
import type { PaceLimits } from './pace.ts';
import { createRequestId } from './request-id.ts';
import { runKept } from './resource-request.ts';
import type { ResponseSink } from './response-sink.ts';
import { routeMethods } from './routes.ts';
import { bodyShare, spoolShare } from './token-shares.ts';

export const ingressConfig = ingressDepsConfig.extend({
  /** The largest request body, in bytes after decompression. */
  GATEWAY_BODY_LIMIT: z.coerce.number().int().positive().default(32_000_000),
  /** The largest upload, in bytes. */
  GATEWAY_UPLOAD_LIMIT: z.coerce.number().int().positive().default(256_000_000),
  /** The least bytes a second that a body must bring, over any 30 s in which its client is waited for. */
  GATEWAY_BODY_RATE: z.coerce.number().int().nonnegative().default(1_000),
  /** The longest that a client may take to send a body. */
  GATEWAY_BODY_TIME: duration.prefault('5m'),
  /** The longest that it may take to send an upload. */
  GATEWAY_UPLOAD_TIME: duration.prefault('30m'),
  /** How long a request waits for a worker with room, in milliseconds. */
  GATEWAY_QUEUE_MS: z.coerce.number().int().nonnegative().default(10_000),
});
export type IngressConfig = z.infer<typeof ingressConfig>;

/** A request of a token that is known by its hash; without an id it is given one. */
export type RepeatedRequest = Omit<IncomingRequest, 'token' | 'share'> &
  Pick<Observed, 'client'> & { requestId?: string };

/** An ingress that runs. */
export interface Ingress extends Running {
  parts: IngressDeps;
  /** The bounds of bodies, and of messages of WebSockets. */
  pace: PaceLimits;
  /** Answers what came in another way than by HTTP; resolves when that is over, with what it failed of. */
  ask(endpoint: Endpoint, asked: RepeatedRequest, outlet: ResponseSink): Promise<GatewayError | undefined>;
}

/** An ingress service: the endpoints of one wire format. */
export function ingressService(name: string, endpoints: readonly Endpoint[]): Service<IngressConfig> {
  return {
    name,
    config: ingressConfig,
    start: (context, settings) => startIngress(context, settings, endpoints),
  };
}

/** Starts an ingress of these endpoints, of both kinds, the first of which says how errors are written. */
export async function startIngress(
  context: ServiceContext,
  settings: IngressConfig,
  endpoints: readonly Endpoint[],
  kept: readonly ResourceEndpoint[] = [],
): Promise<Ingress> {
  const parts = await openIngressDeps(await context.bus(), settings, context);
  const observer = observerOf(context);
  const limits = limitsOf(settings);
  const router = express.Router({ caseSensitive: true, strict: true });
  for (const endpoint of endpoints) {
    router.post(endpoint.pattern ?? endpoint.path, (request: IncomingMessage, response: ServerResponse) => {
      const requestId = identify(response, endpoint.requestIdHeader);
      void new Exchange(endpoint, parts, limits, observer, requestId).run(request, response);
    });
  }
  for (const endpoint of kept) {
    const method = endpoint.method.toLowerCase() as 'get' | 'post' | 'delete';
    router[method](
      endpoint.pattern ?? endpoint.path,
      (request: IncomingMessage, response: ServerResponse) => {
        const requestId = identify(response, endpoint.requestIdHeader);
        void runKept(endpoint, parts, limits.body, observer, requestId, request, response);
      },
    );
  }
  return {
    parts,
    pace: limits.body,
    ask(endpoint, { requestId = createRequestId(), ...asked }, outlet) {
      // Only a request over HTTP can ask for another shape of errors.
      const renderError = (error: GatewayError) =>
        endpoint.renderError(error, requestId, { headers: {}, url: asked.url } as IncomingMessage);
      return new Exchange(endpoint, parts, limits, observer, requestId).ask(asked, outlet, renderError);
    },
    handle: withFallback(router, endpoints, kept),
    problems: () => (parts.caller.problem ? [parts.caller.problem] : []),
    notices: parts.notices,
    async close() {
      failOpenAnswers(shuttingDown());
      await parts.close();
    },
  };
}

/** The error that ends an answer which is still written when its process must go. */
export function shuttingDown(): GatewayError {
  return new GatewayError('overloaded', 'The gateway is shutting down.', { retryAfterMs: 1_000 });
}

function limitsOf(settings: IngressConfig): ExchangeLimits {
  const bytesPerSecond = settings.GATEWAY_BODY_RATE;
  // What is made of a lone request may exceed the share of its token, but its body alone may not.
  const bytes = Math.min(settings.GATEWAY_BODY_LIMIT, bodyShare(settings));
  const uploadBytes = Math.min(settings.GATEWAY_UPLOAD_LIMIT, spoolShare(settings));
  return {
    body: { bytes, bytesPerSecond, ms: settings.GATEWAY_BODY_TIME },
    upload: { bytes: uploadBytes, bytesPerSecond, ms: settings.GATEWAY_UPLOAD_TIME },
    queueMs: settings.GATEWAY_QUEUE_MS,
  };
}

/** Services of one process share its metrics, and so one observer. */
const observers = new WeakMap<ServiceContext['metrics'], ReturnType<typeof createObserver>>();

export function observerOf({ metrics, log }: ServiceContext) {
  let observer = observers.get(metrics);
  if (!observer) {
    observer = createObserver(metrics, log);
    observers.set(metrics, observer);
  }
  return observer;
}

/** Gives the answer its id, also in the header that its format has for it. */
export function identify(response: ServerResponse, header?: string): string {
  const requestId = createRequestId();
  response.setHeader('x-request-id', requestId);
  if (header) response.setHeader(header, requestId);
  return requestId;
}

/** What no route takes: OPTIONS says what a path takes; else 405 where it takes something, and 404 where nothing. */
function withFallback(
  router: express.Router,
  endpoints: readonly Endpoint[],
  kept: readonly ResourceEndpoint[],
): RequestListener {
  const { renderError, requestIdHeader } = (endpoints[0] ?? kept[0]) as Endpoint | ResourceEndpoint;
  const allowed = (path: string) => {
    const taken = [...endpoints, ...kept].filter(
      endpoint => endpoint.path === path || endpoint.pattern?.test(path),
    );
    return taken.length > 0 ? [...new Set(taken.map(({ method }) => method))] : routeMethods(path);
  };
  return (request, response) => {
    const refuse = () => {
      const requestId = identify(response, requestIdHeader);
      const path = request.url?.split('?')[0] ?? '/';
      const taken = allowed(path);
      // A method that is taken is not what is wrong.
      const methods: string[] = taken.some(method => method === request.method) ? [] : taken;
      if (methods.length > 0) response.setHeader('allow', methods.join(', '));
      if (methods.length > 0 && request.method === 'OPTIONS') response.writeHead(204).end();
      else
        sendError(response, renderError(noRoute(`${request.method} ${path}`, methods), requestId, request));
    };
    if (request.method === 'OPTIONS') refuse();
    else router(request as express.Request, response as express.Response, refuse);
  };
}

/** What is wrong with a request that no route takes: its path, or its method where others are taken. */
export function noRoute(what: string, methods: string[]): GatewayError {
  return methods.length > 0
    ? new GatewayError('not-found', `Not allowed: ${what}.`, { code: 'method_not_allowed' })
    : new GatewayError('not-found', `Unknown request URL: ${what}.`, { code: 'unknown_url' });
}
