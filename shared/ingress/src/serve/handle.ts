import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Token } from '@model-gateway/access';
import { GatewayError, noUsage, type TraceHeaders, toGatewayError } from '@model-gateway/canonical';
import type { Framing, RenderedError, Renderer } from '@model-gateway/formats/client';
import { Admitted, secretsOf } from '../admit/admit.ts';
import { limitRequest } from '../admit/limit-request.ts';
import { Answer } from '../answer/answer.ts';
import type { Endpoint, PreparedRequest } from '../answer/endpoint.ts';
import { announce, headerValue, type ResponseSink, sendError } from '../answer/response-sink.ts';
import { beginTrace } from '../attempts/request-trace.ts';
import { estimateQuantities, hiddenOf, promptOf } from '../costs/prices.ts';
import { deliver } from '../deliver/deliver.ts';
import type { Deliverable } from '../deliver/deliverable.ts';
import { envelopeOf } from '../deliver/request-envelope.ts';
import type { OpenLog } from '../logging/request-logs.ts';
import { HeldAnswer } from '../memory/budgets.ts';
import { conversationOf } from '../plan/choose-routes.ts';
import { countOf, estimated } from '../plan/estimate-tokens.ts';
import { type FallbackOptions, Fallbacks } from '../plan/fallbacks.ts';
import { findModel, makeBodies, plan } from '../plan/plan.ts';
import type { IngressDeps } from '../process/deps.ts';
import { discard } from '../read/body.ts';
import { canonicalBody, Translating } from '../read/canonical-body.ts';
import { type ReadLimits, type ReceivedRequest, read, receive } from '../read/read.ts';
import { RunningEntry } from '../running/running-entry.ts';
import { answerWhileAllowed } from './resource-request.ts';

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
  /** Headers that may hold the client's trace. */
  headers: IncomingHttpHeaders;
  /** The trace of the request that caused background work. */
  cause?: TraceHeaders | undefined;
  /** @throws GatewayError of kind `unauthenticated` */
  token(): Token;
  /** Receives the request's body. @throws GatewayError */
  receive(admitted: Admitted): Promise<ReceivedRequest>;
  renderError(error: GatewayError): RenderedError;
  /** True if the request is made again after this error; absent if it is made once. */
  again?: Deliverable['again'];
  /** Called when the request has ended. */
  end?(): void;
}

/** A request over HTTP. */
export class HttpSource implements RequestSource {
  readonly client: string;
  readonly #context: RequestContext;
  readonly #request: IncomingMessage;
  #secret: string | undefined;

  constructor(context: RequestContext, request: IncomingMessage) {
    this.client = context.deps.clientAddress(request);
    this.#context = context;
    this.#request = request;
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.headers;
  }

  token(): Token {
    const { endpoint, deps } = this.#context;
    const { secretOf, format } = endpoint;
    const now = deps.clock.now();
    this.#secret = deps.access.choose(secretsOf(this.#request, secretOf?.(this.#request)), now);
    return deps.access.check(this.#secret, now, { endpoint: format, client: this.client });
  }

  receive(admitted: Admitted): Promise<ReceivedRequest> {
    const { endpoint, deps, limits } = this.#context;
    return receive(
      endpoint,
      { request: this.#request, secret: this.#secret as string },
      admitted,
      deps,
      limits,
    );
  }

  renderError(error: GatewayError): RenderedError {
    const { endpoint, requestId } = this.#context;
    return endpoint.renderError(error, requestId, this.#request);
  }

  end(): void {
    discard(this.#request, this.#context.deps.clock);
  }
}

/** The facts of a request that are shown and logged, as far as it came. */
class Progress extends RunningEntry {
  /** The model's name in the catalog; empty before its lookup. */
  catalogModel = '';
  declare work: Admitted | undefined;
  log: OpenLog | undefined;
}

/** Handles a request from any source. Resolves when it has ended, with the error if it failed. */
export async function handle(
  context: RequestContext,
  source: RequestSource,
  sink: ResponseSink,
): Promise<GatewayError | undefined> {
  const { deps, endpoint, requestId } = context;
  const { client, headers, cause } = source;
  const progress = new Progress(deps.running, requestId, endpoint, client);
  progress.trace = beginTrace(deps.traces, { requestId, endpoint, client, headers, cause });
  deps.observer.began();
  let error: GatewayError | undefined;
  try {
    error = await run(context, source, sink, progress);
  } catch (thrown) {
    error = toGatewayError(thrown);
    deps.faults.report('request', thrown);
    const response = progress.log?.through(sink) ?? sink;
    if (!sink.headersSent && !sink.destroyed) writeError(response, source, error, deps);
  }
  const { catalogModel, token, work: admitted, log, startedAt } = progress;
  if (admitted && error && sink.statusCode >= 400) admitted.usage = noUsage;
  admitted?.release(error);
  const status = error?.kind === 'cancelled' ? 499 : sink.statusCode;
  log?.end({ status, error: error?.kind });
  deps.running.remove(progress, status, error);
  deps.observer.ended({
    requestId,
    endpoint: endpoint.path,
    model: catalogModel,
    status,
    startedAt,
    firstMs: progress.stream ? progress.firstMs : undefined,
    client,
    ...(token && { tokenId: token.id, project: token.project }),
    ...(error && { error }),
    entry: progress,
  });
  progress.endTrace(status, error?.kind);
  source.end?.();
  return error;
}

/** Writes an error; closes the connection if it cannot be written. */
function writeError(
  response: ResponseSink,
  source: RequestSource,
  error: GatewayError,
  { faults }: IngressDeps,
): void {
  try {
    sendError(response, source.renderError(error));
  } catch (thrown) {
    faults.report('request', thrown);
    response.destroy();
  }
}

/** Admits, reads, plans and delivers a request. Resolves when the response has ended, with the error if it failed. */
async function run(
  context: RequestContext,
  source: RequestSource,
  client: ResponseSink,
  progress: Progress,
): Promise<GatewayError | undefined> {
  const { endpoint, deps, limits, requestId } = context;
  const token = source.token();
  progress.token = token;
  const logging = deps.catalog.loggingOf(token.project);
  if (logging) progress.log = deps.logs.open({ token, requestId, format: endpoint.format, logging });
  const sink = progress.log?.through(client) ?? client;
  const admitted = new Admitted(deps, token);
  progress.work = admitted;
  deps.running.add(progress);
  const accepted = await accept(context, source, sink, admitted, progress);
  const { prepared, deliverable, renderer, count } = accepted;
  const framing = accepted.framing && (progress.log?.beforeFraming(accepted.framing) ?? accepted.framing);
  // The client may have left during slow reads from disk.
  if (sink.destroyed) throw new GatewayError('cancelled', 'The client left.');
  if (admitted.refusal) throw admitted.refusal;
  if (prepared?.instead) {
    progress.log?.discard();
    await answerWhileAllowed(sink, { ...deps, token, admitted }, signal => prepared.instead?.(sink, signal));
    return undefined;
  }
  const response = prepared?.through?.(sink) ?? sink;
  const { model, stream } = deliverable.envelope;
  response.setHeader('x-gateway-model', headerValue(model));
  const estimate = count && (() => estimated(count, response));
  const { caller, health, answers: open } = deps;
  return deliver(
    { ...deliverable, entry: progress, estimate },
    {
      caller,
      health,
      queueMs: limits.queueMs,
      fieldNames: endpoint.fieldNames,
      onRoute: route => announce(route, model, response),
    },
    hooks =>
      new Answer(response, {
        ...hooks,
        ...{ open, endpoint, renderer, framing, requestId, stream, source },
        held: stream ? undefined : new HeldAnswer(admitted.share.part()),
      }),
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

/**
 * Reads and plans a request. Only the fallbacks reference the parsed body, which may be as large as the body: until a stream
 * begins, or a whole answer ends.
 */
async function accept(
  context: RequestContext,
  source: RequestSource,
  sink: ResponseSink,
  admitted: Admitted,
  progress: Progress,
): Promise<Accepted> {
  const { endpoint, deps, requestId } = context;
  const { again } = source;
  const received = await source.receive(admitted);
  received.trace = progress.trace?.headers;
  progress.log?.read(received);
  const { request, body, input, prepared } = await read(endpoint, received, admitted, requestId, sink);
  progress.log?.parsed(request);
  progress.parsed(request);
  const found = findModel(deps.catalog, request.model, admitted.token);
  progress.catalogModel = found.model.name;
  if (!prepared?.instead) await limitRequest(deps, { admitted, request, found, body, input, endpoint, sink });
  const { access, catalog, health } = deps;
  const conversation = () => conversationOf(request, received.headers, body);
  let made: Promise<Buffer> | undefined;
  const canonical = () => (made ??= canonicalBody(request, body, new Translating(admitted, sink)));
  const parts: FallbackOptions = {
    catalog: admitted.place?.cost?.fallbackModels ?? catalog,
    health,
    plan: model => plan(request, model, endpoint.format, body.type, { catalog, health, conversation }),
    makeBodies: routes => makeBodies(body, routes, canonical),
  };
  // An estimate takes the place of a count that fails.
  const { retries, hedgeAfter, fallbacks: names } = request.type === 'count-tokens' ? {} : found.model;
  const fallbacks = names && new Fallbacks(parts);
  const routes = fallbacks ? fallbacks.plan(request.model, found) : parts.plan(found);
  const estimate = promptOf(estimateQuantities(request, body, input), hiddenOf(request, deps.outputs));
  const deliverable: Deliverable = {
    admitted,
    ...(await parts.makeBodies(routes)),
    envelope: envelopeOf(
      request,
      { endpoint, access, catalog, requestId, estimate, received },
      admitted.token,
      again,
    ),
    again,
    retries,
    // A whole answer of text has no first token whose delay could be seen.
    hedgeAfter: request.type === 'generate' && !request.stream ? undefined : hedgeAfter,
    fallbacks,
  };
  return {
    deliverable,
    prepared,
    renderer: rendererOf(endpoint, request.rendering),
    framing: request.type === 'generate' ? request.framing : undefined,
    count: request.type === 'count-tokens' ? countOf(endpoint, request, body) : undefined,
  };
}

function rendererOf(endpoint: Endpoint, rendering: unknown): () => Renderer {
  return () => endpoint.render(rendering);
}
