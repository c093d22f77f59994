import { randomUUIDv7 } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Faults } from '@model-gateway/bus';
import { GatewayError, overloaded, toGatewayError } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import { renderGenerateContentError, renderMessagesError } from '@model-gateway/formats/client';
import type { Running, Service, ServiceContext, Settings } from '@model-gateway/service';
import express from 'express';
import { headerText } from '../admit/admit.ts';
import type { Endpoint, ResourceEndpoint } from '../answer/endpoint.ts';
import { type ResponseSink, sendError } from '../answer/response-sink.ts';
import { bodyShare, spoolShare } from '../memory/token-shares.ts';
import { withCors } from '../process/cors.ts';
import { type IngressDeps, ingressDepsSettings, openIngressDeps } from '../process/deps.ts';
import { namesUnderV1, toServedPath } from '../process/served-path.ts';
import type { PaceLimits } from '../read/body.ts';
import { HttpSource, handle, type RequestContext, type RequestLimits } from './handle.ts';
import { handleRepeated, type RepeatedRequest } from './handle-repeated.ts';
import { runResourceRequest } from './resource-request.ts';
import { matchRoute, routeMethods } from './routes.ts';

/** Settings of every ingress that takes requests. */
export const ingressSettings = [
  ...ingressDepsSettings,
  'GATEWAY_BODY_LIMIT',
  'GATEWAY_UPLOAD_LIMIT',
  'GATEWAY_BODY_RATE',
  'GATEWAY_BODY_TIME',
  'GATEWAY_UPLOAD_TIME',
  'GATEWAY_QUEUE_MS',
] as const;
export type IngressSetting = (typeof ingressSettings)[number];

/** A running ingress. */
export interface Ingress extends Running {
  parts: IngressDeps;
  /** Rate and time limits of bodies and of WebSocket messages. */
  pace: PaceLimits;
  /** Handles a request that did not arrive over HTTP, with a new id if it has none. Resolves when it has ended, with the error if it failed. */
  ask(
    endpoint: Endpoint,
    incoming: RepeatedRequest & { requestId?: string },
    sink: ResponseSink,
  ): Promise<GatewayError | undefined>;
}

/** Defines an ingress service with the endpoints of one wire format. */
export function ingressService(name: string, endpoints: readonly Endpoint[]): Service<IngressSetting> {
  return {
    name,
    settings: ingressSettings,
    start: (context, settings) => startIngress(context, settings, endpoints),
  };
}

/** Starts an ingress. Its first endpoint renders the errors of unknown paths. */
export async function startIngress(
  context: ServiceContext,
  settings: Settings<IngressSetting>,
  endpoints: readonly Endpoint[],
  resourceEndpoints: readonly ResourceEndpoint[] = [],
): Promise<Ingress> {
  const parts = await openIngressDeps(context, settings);
  const limits = limitsOf(settings, parts.clock);
  const router = express.Router({ caseSensitive: true, strict: true });
  const posts = new Map<string, RequestListener>();
  const ended = (handling: Promise<unknown>, response: ServerResponse) => {
    handling.catch(thrown => {
      parts.faults.report('request', thrown);
      response.destroy();
    });
  };
  for (const endpoint of endpoints) {
    const serve = (request: IncomingMessage, response: ServerResponse) => {
      const requestId = identify(response, endpoint.requestIdHeader);
      const context: RequestContext = { endpoint, deps: parts, limits, requestId };
      ended(handle(context, new HttpSource(context, request), response), response);
    };
    router.post(endpoint.pattern ?? endpoint.path, serve);
    if (!endpoint.pattern) posts.set(endpoint.path, serve);
  }
  for (const endpoint of resourceEndpoints) {
    const method = endpoint.method.toLowerCase() as 'get' | 'post' | 'delete';
    router[method](
      endpoint.pattern ?? endpoint.path,
      (request: IncomingMessage, response: ServerResponse) => {
        const requestId = identify(response, endpoint.requestIdHeader);
        ended(runResourceRequest(endpoint, parts, limits.body, requestId, request, response), response);
      },
    );
  }
  return {
    parts,
    pace: limits.body,
    ask: (endpoint, { requestId = createRequestId(), ...incoming }, sink) =>
      handleRepeated({ endpoint, deps: parts, limits, requestId }, incoming, sink),
    handle: withCors(
      settings.GATEWAY_CORS_ORIGINS,
      withLookup(posts, withFallback(router, endpoints, resourceEndpoints, parts.faults)),
    ),
    problems: () => (parts.caller.problem ? [parts.caller.problem] : []),
    notices: parts.notices,
    async close() {
      parts.answers.close(shuttingDown());
      await parts.close();
    },
  };
}

/** The error of responses that are still being written when the process shuts down. */
export function shuttingDown(): GatewayError {
  return overloaded('shutting_down', 'The gateway is shutting down.', { retryAfterMs: 1_000 });
}

function limitsOf(settings: Settings<IngressSetting>, clock: Clock): RequestLimits {
  const bytesPerSecond = settings.GATEWAY_BODY_RATE;
  // A single request may exceed its token's share with derived data, but not with its body.
  const bytes = Math.min(settings.GATEWAY_BODY_LIMIT, bodyShare(settings));
  const uploadBytes = Math.min(settings.GATEWAY_UPLOAD_LIMIT, spoolShare(settings));
  return {
    body: { bytes, bytesPerSecond, ms: settings.GATEWAY_BODY_TIME, clock },
    upload: { bytes: uploadBytes, bytesPerSecond, ms: settings.GATEWAY_UPLOAD_TIME, clock },
    queueMs: settings.GATEWAY_QUEUE_MS,
  };
}

/** Sets the response's request id, also in the format's own `header`. */
export function identify(response: ServerResponse, header?: string): string {
  const requestId = createRequestId();
  response.setHeader('x-request-id', requestId);
  if (header) response.setHeader(header, requestId);
  return requestId;
}

/**
 * Returns a new id for `x-request-id`: `req_` and 24 hexadecimal digits, those of the time in milliseconds and of 48 random bits. So the
 * ledger's index by request grows at its end alone.
 */
export function createRequestId(): string {
  const id = randomUUIDv7();
  return `req_${id.slice(0, 8)}${id.slice(9, 13)}${id.slice(-12)}`;
}

/**
 * Finds the handler of a POST by its exact URL, which takes less than the router; `otherwise` handles all other requests, by the
 * path that the gateway serves.
 */
function withLookup(
  posts: ReadonlyMap<string, RequestListener>,
  otherwise: RequestListener,
): RequestListener {
  return (request, response) => {
    const handle = request.method === 'POST' ? posts.get(request.url ?? '') : undefined;
    if (handle) return handle(request, response);
    toServedPath(request);
    otherwise(request, response);
  };
}

/** Handles unmatched requests: OPTIONS lists the methods of a path; otherwise 405 if it has any, else 404. */
function withFallback(
  router: express.Router,
  endpoints: readonly Endpoint[],
  resourceEndpoints: readonly ResourceEndpoint[],
  faults: Faults,
): RequestListener {
  const own = (endpoints[0] ?? resourceEndpoints[0]) as ErrorShape;
  const allowed = (path: string) => {
    const taken = [...endpoints, ...resourceEndpoints].filter(
      endpoint => endpoint.path === path || endpoint.pattern?.test(path),
    );
    return taken.length > 0 ? [...new Set(taken.map(({ method }) => method))] : routeMethods(path);
  };
  return (request, response) => {
    const refuse = (thrown?: unknown) => {
      if (thrown !== undefined && !isBadPath(thrown)) {
        faults.report('request', thrown);
        return sendAs(own, toGatewayError(thrown), request, response);
      }
      const path = request.url?.split('?')[0] ?? '/';
      const taken = allowed(path);
      // If the path takes this method, the method is not the error.
      const methods: string[] = taken.some(method => method === request.method) ? [] : taken;
      if (methods.length > 0) response.setHeader('allow', methods.join(', '));
      if (methods.length > 0 && request.method === 'OPTIONS') {
        identify(response, own.requestIdHeader);
        response.writeHead(204).end();
        return;
      }
      const isUnknown = matchRoute(request.method ?? 'GET', path) === undefined && methods.length === 0;
      const shape = isUnknown ? shapeOfUnknownPath(request, own) : own;
      sendAs(shape, noRoute(`${request.method} ${path}`, methods), request, response);
    };
    if (request.method === 'OPTIONS') refuse();
    else if (isBrowserAtRoot(request))
      response.writeHead(302, { location: '/console/', vary: 'accept' }).end();
    else router(request as express.Request, response as express.Response, refuse);
  };
}

function sendAs(
  { renderError, requestIdHeader }: ErrorShape,
  error: GatewayError,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const requestId = identify(response, requestIdHeader);
  sendError(response, renderError(error, requestId, request));
}

/** True for a browser that opens the address of the gateway itself. */
function isBrowserAtRoot({ method, url, headers: { accept = '' } }: IncomingMessage): boolean {
  return (
    (method === 'GET' || method === 'HEAD') && url?.split('?')[0] === '/' && accept.includes('text/html')
  );
}

/** True for the error of a path that cannot be decoded, which no endpoint has. */
function isBadPath(thrown: unknown): boolean {
  return thrown instanceof URIError;
}

/** The error of an unmatched request: unknown path, or wrong method if `methods` are allowed. */
export function noRoute(what: string, methods: string[]): GatewayError {
  return methods.length > 0
    ? new GatewayError('not-found', `Method not allowed: ${what}. Allowed: ${methods.join(', ')}.`, {
        code: 'method_not_allowed',
      })
    : new GatewayError('not-found', `Unknown request URL: ${what}.${served(what)}`, { code: 'unknown_url' });
}

/** Returns a sentence with what exists in place of an unknown URL of OpenAI's or Anthropic's clients; empty for another URL. */
function served(what: string): string {
  const known = ends.find(end => what.endsWith(`/${end}`) || what.endsWith(`/${end}/`));
  if (known) return ` The base URL of the client seems to be wrong: the gateway has /v1/${known}.`;
  if (!/ \/v1(\/|$)/.test(what)) return '';
  return ` Under /v1, the gateway has ${namesUnderV1.slice(0, -1).join(', ')} and ${namesUnderV1.at(-1)}.`;
}

const ends = ['chat/completions', 'completions', 'responses', 'messages', 'embeddings', 'models'];

/** The shape of errors of a service, and the header of its request ids. */
type ErrorShape = Pick<Endpoint, 'renderError' | 'requestIdHeader'>;

const messagesHeaders = ['anthropic-version', 'vendor-version', 'x-api-key'];
const googleHeaders = ['x-goog-api-key', 'x-goog-api-client'];

/** True if the headers are those of a client of the messages format, whatever path it asks. */
export function speaksMessages({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return messagesHeaders.some(name => headers[name] !== undefined);
}

/** Returns the shape of the error of a path that no service has: that of the client's format if its headers show it, else `own`. */
function shapeOfUnknownPath(request: IncomingMessage, own: ErrorShape): ErrorShape {
  if (googleHeaders.some(name => headerText(request, name)))
    return { renderError: error => renderGenerateContentError(error, true) };
  return speaksMessages(request) ? { renderError: renderMessagesError, requestIdHeader: 'request-id' } : own;
}
