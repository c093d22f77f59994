import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TokenRecord } from '@model-gateway/access';
import { GatewayError, type GenerateEvent, toGatewayError } from '@model-gateway/canonical';
import { type Admitted, admit, bearerToken } from './admit.ts';
import { Answer } from './answer.ts';
import { discard } from './body.ts';
import { type Deliverable, deliver } from './deliver.ts';
import type { IngressDeps } from './deps.ts';
import type {
  CountRenderer,
  Endpoint,
  IncomingRequest,
  PreparedRequest,
  RenderedError,
  Renderer,
} from './endpoint.ts';
import { estimateTokens } from './estimate-tokens.ts';
import type { ClientBody, Framing, GatewayRequest, ParsedCount } from './gateway-request.ts';
import type { Observed } from './in-flight.ts';
import { canonicalRequest, findModel, makeBodies, plan } from './plan.ts';
import { type ReadLimits, type ReceivedRequest, read, receive } from './read.ts';
import { answerWhileAllowed } from './resource-request.ts';
import type { ResponseSink } from './response-sink.ts';
import { sendError } from './write-body.ts';

export interface RequestLimits extends ReadLimits {
  /** The longest wait for a worker with room, in milliseconds. */
  queueMs: number;
}

/** The endpoint of a request, and the parts that handle it. */
export interface RequestContext {
  endpoint: Endpoint;
  deps: IngressDeps;
  limits: RequestLimits;
  requestId: string;
}

/** The origin of a request: an HTTP connection, or a job of the gateway's own. */
interface RequestSource {
  /** The client's address; absent for background work. */
  client: string | undefined;
  /** @throws GatewayError of kind `unauthenticated` */
  token(): TokenRecord;
  /** Receives the request's body. @throws GatewayError */
  receive(admitted: Admitted): Promise<ReceivedRequest>;
  renderError(error: GatewayError): RenderedError;
}

/** A request without a connection of its own: its token is known by its hash, and its body was received. */
export type RepeatedRequest = Omit<IncomingRequest, 'token' | 'share'> & Pick<Observed, 'client'>;

/** Handles a request over HTTP. */
export async function handleHttp(
  context: RequestContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { endpoint, deps, limits, requestId } = context;
  const { credential = bearerToken } = endpoint;
  let secret: string | undefined;
  await handle(
    context,
    {
      client: deps.clientAddress(request),
      token() {
        secret = credential(request);
        return deps.access.check(secret, Date.now());
      },
      receive: admitted => receive(endpoint, { request, secret: secret as string }, admitted, deps, limits),
      renderError: error => endpoint.renderError(error, requestId, request),
    },
    response,
  );
  discard(request);
}

/** Handles a request that did not arrive over HTTP. Resolves when it has ended, with the error if it failed. */
export function handleRepeated(
  context: RequestContext,
  { client, tokenHash, headers, url, text }: RepeatedRequest,
  sink: ResponseSink,
): Promise<GatewayError | undefined> {
  const { endpoint, deps, requestId } = context;
  return handle(
    context,
    {
      client,
      token: () => deps.access.checkHash(tokenHash, Date.now()),
      async receive({ share }) {
        share.take(text.length);
        return { headers, url, tokenHash: () => tokenHash, body: text };
      },
      // Only a request over HTTP can select another shape of errors.
      renderError: error => endpoint.renderError(error, requestId, { headers: {}, url } as IncomingMessage),
    },
    sink,
  );
}

/** The facts of a request that are logged, as far as it came. */
interface Progress {
  /** The model's name in the catalog; empty before its lookup. */
  model: string;
  tokenId?: string;
  admitted?: Admitted;
}

async function handle(
  context: RequestContext,
  source: RequestSource,
  sink: ResponseSink,
): Promise<GatewayError | undefined> {
  const { deps, endpoint, requestId } = context;
  const startedAt = performance.now();
  const progress: Progress = { model: '' };
  deps.observer.began();
  let error: GatewayError | undefined;
  try {
    error = await run(context, source, sink, progress);
  } catch (thrown) {
    error = toGatewayError(thrown);
    if (!sink.headersSent && !sink.destroyed) sendError(sink, source.renderError(error));
  }
  const { model, tokenId, admitted } = progress;
  admitted?.release();
  deps.observer.ended({
    requestId,
    endpoint: endpoint.path,
    model,
    status: error?.kind === 'cancelled' ? 499 : sink.statusCode,
    startedAt,
    client: source.client,
    ...(tokenId && { tokenId }),
    ...(error && { error }),
  });
  return error;
}

/** Admits, reads, plans and delivers a request. Resolves when the response has ended, with the error if it failed. */
async function run(
  context: RequestContext,
  source: RequestSource,
  sink: ResponseSink,
  progress: Progress,
): Promise<GatewayError | undefined> {
  const { endpoint, deps, limits, requestId } = context;
  const token = source.token();
  progress.tokenId = token.id;
  const admitted = admit(deps, token);
  progress.admitted = admitted;
  const { prepared, deliverable, renderer, framing, count } = await accept(
    context,
    source,
    admitted,
    progress,
  );
  // The client may have left during slow reads from disk.
  if (sink.destroyed) throw new GatewayError('cancelled', 'The client left.');
  if (admitted.refusal) throw admitted.refusal;
  if (prepared?.instead) {
    const { access } = deps;
    await answerWhileAllowed(sink, { access, token }, signal => prepared.instead?.(sink, signal));
    return undefined;
  }
  const response = prepared?.through?.(sink) ?? sink;
  const { model, stream } = deliverable.envelope;
  response.setHeader('x-gateway-model', headerValue(model));
  const estimate = count && (() => estimated(count, response));
  const { caller, answers: open } = deps;
  const { renderError } = source;
  return deliver(
    { ...deliverable, estimate },
    { caller, queueMs: limits.queueMs, fieldNames: endpoint.fieldNames },
    hooks =>
      new Answer(response, { ...hooks, open, endpoint, renderer, framing, requestId, stream, renderError }),
  );
}

/** A request that was read and planned, with the functions that render its response. */
interface Accepted {
  deliverable: Deliverable;
  prepared: PreparedRequest | undefined;
  renderer: () => Renderer;
  framing: (() => Framing) | undefined;
  /** Returns the response body of an estimated count of tokens. */
  count: (() => Promise<Buffer>) | undefined;
}

/** Reads and plans a request. The result does not reference the parsed body, which may be as large as the body. */
async function accept(
  context: RequestContext,
  source: RequestSource,
  admitted: Admitted,
  progress: Progress,
): Promise<Accepted> {
  const { endpoint, deps, requestId } = context;
  const received = await source.receive(admitted);
  const { request, body, prepared } = await read(endpoint, received, admitted, requestId);
  const found = findModel(deps.catalog, request.model);
  progress.model = found.model.name;
  const routes = plan(request, found, endpoint.format, body.type, deps.catalog);
  const deliverable: Deliverable = {
    admitted,
    ...(await makeBodies(request, body, routes, admitted.share)),
    envelope: envelopeOf(request, context, admitted.token),
  };
  return {
    deliverable,
    prepared,
    renderer: rendererOf(endpoint, request.rendering),
    framing: request.type === 'generate' ? request.framing : undefined,
    count: request.type === 'count-tokens' ? countOf(endpoint, request, body) : undefined,
  };
}

function envelopeOf(
  request: GatewayRequest,
  { endpoint: { format, variant }, requestId }: RequestContext,
  { id, project }: TokenRecord,
): Deliverable['envelope'] {
  return {
    requestId,
    operation: request.type,
    format,
    ...(variant && { variant }),
    model: request.model,
    stream: false,
    ...propertiesOf(request),
    token: { id, project },
    headers: request.headers ?? {},
  };
}

/** Returns the fields of the envelope that only some operations have. */
function propertiesOf(request: GatewayRequest): Partial<Deliverable['envelope']> {
  switch (request.type) {
    case 'generate':
      return { stream: request.stream, ...(request.foreign && { foreign: true }) };
    case 'count-tokens':
      return request.foreign ? { foreign: true } : {};
    default: {
      const { stream, bytes, inputs, seconds } = request;
      return {
        stream,
        ...(bytes && { bytes }),
        ...(inputs !== undefined && { inputs }),
        ...(seconds !== undefined && { seconds }),
      };
    }
  }
}

function rendererOf(endpoint: Endpoint, rendering: unknown): () => Renderer {
  return () => endpoint.render(rendering);
}

function countOf(endpoint: Endpoint, request: ParsedCount, body: ClientBody): () => Promise<Buffer> {
  return async () => {
    const { messages, tools = [] } = await canonicalRequest(request, body);
    const renderer = endpoint.render(request.rendering) as CountRenderer;
    return Buffer.from(JSON.stringify(renderer.count(await estimateTokens(messages, tools))));
  };
}

/** Returns the events of an estimated count, which the response marks by `x-gateway-estimate`. */
async function estimated(count: () => Promise<Buffer>, response: ResponseSink): Promise<GenerateEvent[]> {
  const bytes = await count();
  response.setHeader('x-gateway-estimate', 'true');
  const whole = { status: 200, mediaType: 'application/json', length: bytes.length };
  return [
    { type: 'verbatim', bytes, whole },
    { type: 'finish', reason: 'stop', raw: null, usage: null },
  ];
}

/** Encodes a model's name for a header. */
function headerValue(text: string): string {
  return /^[\x21-\x7e]*$/.test(text) ? text : encodeURIComponent(text.toWellFormed());
}
