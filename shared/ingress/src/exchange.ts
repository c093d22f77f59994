import type { IncomingMessage, ServerResponse } from 'node:http';
import { type EndWork, hashSecret, type TokenRecord } from '@model-gateway/access';
import { type Call, maxLosses } from '@model-gateway/bus';
import {
  anotherMayHelp,
  type Envelope,
  type ErrorEvent,
  GatewayError,
  type GenerateEvent,
  isNotRepresentable,
  toGatewayError,
} from '@model-gateway/canonical';
import { orderTargets } from '@model-gateway/catalog';
import { checkContentType, isForm, nextTurn } from '@model-gateway/service';
import { Answer } from './answer.ts';
import { discard, readBody } from './body.ts';
import type { BodyLimits } from './body-watch.ts';
import { countRenderer, estimate } from './count.ts';
import { bearerToken } from './credential.ts';
import type { IngressDeps } from './deps.ts';
import type {
  AnswerRenderer,
  Endpoint,
  IncomingRequest,
  ParsedOperation,
  ParsedRequest,
  PreparedRequest,
  RenderedError,
  ResultRenderer,
} from './endpoint.ts';
import { readForm, refuseAmbiguous } from './form/read.ts';
import type { ReceivedForm } from './form/received.ts';
import type { Reservation } from './memory-budget.ts';
import type { Observed, Observer } from './observe.ts';
import { readObject } from './parse-object.ts';
import { answerWhileAllowed } from './resource-request.ts';
import type { ResponseSink } from './response-sink.ts';
import { type Parsed, type Route, RoutePlan } from './route-plan.ts';
import { sendError } from './write-body.ts';

const noBytes = Buffer.alloc(0);

export interface ExchangeLimits {
  body: BodyLimits;
  /** The bounds of a body that is a form. */
  upload: BodyLimits;
  /** The longest wait for a worker with room, in milliseconds. */
  queueMs: number;
}

/** A request that passed all checks. */
interface Accepted {
  token: TokenRecord;
  /** The parsed body is not referenced here, since it may be as large as the body. */
  render: AnswerRenderer | ResultRenderer | undefined;
  framing: ParsedRequest['framing'];
  /** Answers a count if no target does. */
  estimate: (() => Promise<Buffer>) | undefined;
  envelope: Omit<Envelope, 'targets' | 'textLength'>;
  routes: Route[];
  prepared: PreparedRequest | undefined;
}

/** A request after its body was read. */
interface Read extends Omit<IncomingRequest, 'token' | 'tokenHash' | 'share'> {
  token: TokenRecord;
  tokenHash(): string;
  /** Set instead of `text` for a form. */
  form?: ReceivedForm;
}

type RenderError = (error: GatewayError) => RenderedError;

/** Handles one request: checks it, sends it to a worker, and writes the response. */
export class Exchange {
  readonly #endpoint: Endpoint;
  readonly #parts: IngressDeps;
  readonly #limits: ExchangeLimits;
  readonly #observer: Observer;
  readonly #requestId: string;
  /** The memory that the request holds; absent until its token is known. */
  #share: Reservation | undefined;
  readonly #startedAt = performance.now();
  #model = '';
  #tokenId: string | undefined;
  #client: string | undefined;
  #form: ReceivedForm | undefined;
  /** Set when the token loses access mid-request; `#endForRevocation` then ends the request. */
  #refusal: GatewayError | undefined;
  #endForRevocation: EndWork = () => {};
  #releaseToken: () => void = () => {};
  #releasePlace: () => void = () => {};
  #over: (error: GatewayError | undefined) => void = () => {};

  constructor(
    endpoint: Endpoint,
    parts: IngressDeps,
    limits: ExchangeLimits,
    observer: Observer,
    requestId: string,
  ) {
    this.#endpoint = endpoint;
    this.#parts = parts;
    this.#limits = limits;
    this.#observer = observer;
    this.#requestId = requestId;
  }

  async run(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#client = this.#parts.clientAddress(request);
    const renderError = (error: GatewayError) => this.#endpoint.renderError(error, this.#requestId, request);
    await this.#run(() => this.#read(request), response, renderError);
    discard(request);
  }

  /** Handles a request that did not arrive over HTTP. Resolves when it has ended, with the error if it failed. */
  ask(
    { client, ...incoming }: Omit<IncomingRequest, 'token' | 'share'> & Pick<Observed, 'client'>,
    sink: ResponseSink,
    renderError: RenderError,
  ): Promise<GatewayError | undefined> {
    const { promise, resolve } = Promise.withResolvers<GatewayError | undefined>();
    this.#over = resolve;
    this.#client = client;
    const read = async (): Promise<Read> => {
      const token = this.#parts.access.checkHash(incoming.tokenHash, Date.now());
      this.#admit(token).take(incoming.text.length);
      return { ...incoming, token, tokenHash: () => incoming.tokenHash };
    };
    void this.#run(read, sink, renderError);
    return promise;
  }

  async #run(read: () => Promise<Read>, sink: ResponseSink, renderError: RenderError): Promise<void> {
    this.#observer.began();
    try {
      const accepted = await this.#accept(await read());
      // The client may have left during slow reads from disk.
      if (sink.destroyed) throw new GatewayError('cancelled', 'The client left.');
      if (this.#refusal) throw this.#refusal;
      const { prepared, token } = accepted;
      if (!prepared?.instead) return this.#answer(accepted, prepared?.through?.(sink) ?? sink, renderError);
      const { access } = this.#parts;
      await answerWhileAllowed(sink, { access, token }, signal => prepared.instead?.(sink, signal));
      this.#ended(sink);
    } catch (thrown) {
      const error = toGatewayError(thrown);
      if (!sink.headersSent && !sink.destroyed) sendError(sink, renderError(error));
      this.#ended(sink, error);
    }
  }

  /** Checks in this order: credential, token's share, headers, content type, size; then JSON, its bounds and the model. */
  async #read(request: IncomingMessage): Promise<Read> {
    const { credential = bearerToken, contentTypes = ['application/json'] } = this.#endpoint;
    const secret = credential(request);
    const token = this.#parts.access.check(secret, Date.now());
    const share = this.#admit(token);
    this.#endpoint.checkHeaders?.(request.headers);
    checkContentType(request.headers, contentTypes);
    const { headers, url = '/' } = request;
    const incoming = { token, tokenHash: () => hashSecret(secret as string), headers, url };
    if (this.#endpoint.parseForm && isForm(headers))
      return { ...incoming, text: noBytes, form: await this.#readForm(request, token.id, share) };
    const text = await readBody(request, this.#limits.body, share);
    share.keep(text);
    return { ...incoming, text };
  }

  /** Reads an upload, which may take long enough for the token to be revoked meanwhile. */
  async #readForm(request: IncomingMessage, tokenId: string, memory: Reservation): Promise<ReceivedForm> {
    const { spool, spooled } = this.#parts;
    const { upload, body } = this.#limits;
    const room = { folder: spool, memory, disk: spooled.share(tokenId) };
    const over = new AbortController();
    this.#endForRevocation = reason => over.abort(reason);
    this.#form = await readForm(request, { upload, memoryBytes: body.bytes }, room, over.signal);
    return this.#form;
  }

  /**
   * Counts the request for its token, and ends it when the token loses access.
   * @throws GatewayError of kind `rate-limited` if the token has too many open requests
   */
  #admit(token: TokenRecord): Reservation {
    this.#tokenId = token.id;
    this.#releasePlace = this.#parts.shares.requests.open(token.id);
    this.#share = this.#parts.held.share(token.id);
    this.#releaseToken = this.#parts.access.hold(token, reason => {
      this.#refusal = reason;
      this.#endForRevocation(reason);
    });
    return this.#share;
  }

  async #accept({ form, ...read }: Read): Promise<Accepted> {
    if (form) {
      refuseAmbiguous(form, this.#endpoint.fields);
      const parsed = (await this.#endpoint.parseForm?.(form, read.headers)) as ParsedOperation;
      return this.#accepted(read.token, parsed, plan => plan.ofForm(parsed, form, read.token.id));
    }
    const { token, tokenHash, headers, url, text: original } = read;
    const share = this.#share as Reservation;
    const { value: parsedBody, weight } = await readObject(original, this.#endpoint.fields, token.id);
    const prepared = await this.#endpoint.prepare?.(
      parsedBody,
      { token, headers, url, text: original, tokenHash: tokenHash(), share: () => share.part() },
      this.#requestId,
    );
    const body = prepared?.text ?? original;
    share.take(Math.max(0, body.length - original.length));
    const parsed = this.#endpoint.parse(prepared?.body ?? parsedBody, headers, body, url);
    const turn = () => nextTurn(weight, token.id);
    await turn();
    const accepted = await this.#accepted(token, parsed, plan => plan.ofText(parsed, body, turn));
    const counted = 'renderCount' in parsed ? () => estimate(parsed, body, turn) : undefined;
    return { ...accepted, estimate: counted, prepared };
  }

  /** Builds the envelope and the routes of a parsed request; `routesOf` builds the bodies for the targets. */
  async #accepted(
    token: TokenRecord,
    parsed: Parsed,
    routesOf: (plan: RoutePlan) => Promise<Route[]>,
  ): Promise<Accepted> {
    const { catalog } = this.#parts;
    const { model } = parsed;
    const found = catalog.model(model);
    if (!found) {
      throw new GatewayError(
        'not-found',
        `The model '${model}' does not exist or you do not have access to it.`,
        {
          code: 'model_not_found',
        },
      );
    }
    this.#model = found.model.name;
    const count = 'renderCount' in parsed ? parsed : undefined;
    const { operation, format, variant } = this.#endpoint;
    const ordered = orderTargets(found.model, found.match, Math.random);
    const plan = new RoutePlan(catalog, this.#endpoint, ordered, this.#share as Reservation).supported(
      parsed,
    );
    return {
      token,
      render: 'render' in parsed ? parsed.render : countRenderer(parsed),
      framing: 'framing' in parsed ? parsed.framing : undefined,
      estimate: undefined,
      envelope: {
        requestId: this.#requestId,
        operation,
        format,
        ...(variant && { variant }),
        model,
        stream: 'stream' in parsed && parsed.stream,
        ...('bytes' in parsed && parsed.bytes && { bytes: true }),
        ...('inputs' in parsed && parsed.inputs !== undefined && { inputs: parsed.inputs }),
        ...('seconds' in parsed && parsed.seconds !== undefined && { seconds: parsed.seconds }),
        token: { id: token.id, project: token.project },
        headers: parsed.headers ?? {},
        ...('foreign' in parsed && parsed.foreign && { foreign: true }),
      },
      routes: await routesOf(count ? plan.counting() : plan),
      prepared: undefined,
    };
  }

  #answer(
    { render, framing, estimate, envelope, ...accepted }: Accepted,
    response: ResponseSink,
    renderError: RenderError,
  ): void {
    response.setHeader('x-gateway-model', headerValue(envelope.model));
    let routes: Route[] | undefined = accepted.routes;
    let call: Call | undefined;
    let tried = 0;
    let lossesLeft = maxLosses;
    let failure: ErrorEvent | undefined;
    const answer = new Answer(response, {
      endpoint: this.#endpoint,
      render,
      framing,
      requestId: this.#requestId,
      stream: envelope.stream,
      renderError,
      consumed: weight => call?.consumed(weight),
      ended: error => {
        if (error) call?.cancel();
        this.#ended(response, error);
      },
    });
    // From here on, a revoked token ends the response with an error, and `ended` cancels the call.
    this.#endForRevocation = reason => answer.fail(reason);
    const more = () => (routes !== undefined && tried < routes.length) || estimate !== undefined;
    const tryNext = () => {
      const route = routes?.[tried++];
      if (!route) return void answerByEstimate(estimate, answer, response);
      const onEvents = (events: GenerateEvent[], weight: number) => {
        const [first] = events;
        if (first?.type === 'error' && !answer.begun && anotherMayHelp(first)) {
          // "Not representable in this format" is returned only if every target failed with it.
          if (!failure || !isNotRepresentable(first)) failure = first;
          lossesLeft -= call?.losses ?? 0;
          return more() ? tryNext() : answer.write([failure], weight);
        }
        // Once a stream has begun there is no failover: the routes and their bodies can be freed.
        if (routes && envelope.stream) {
          this.#share?.release();
          routes = undefined;
        }
        answer.write(events, weight);
      };
      const { pool, targets, sent, body } = route;
      const { queueMs } = this.#limits;
      const request = {
        pool,
        envelope: { ...envelope, ...sent, targets },
        body,
        queueMs,
        lossesLeft,
        onEvents,
      };
      call = this.#parts.caller.call(request);
    };
    tryNext();
  }

  #ended(response: ResponseSink, error?: GatewayError): void {
    this.#releaseToken();
    this.#releasePlace();
    this.#share?.release();
    this.#form?.close().catch(() => {});
    this.#over(error);
    this.#observer.ended({
      requestId: this.#requestId,
      endpoint: this.#endpoint.path,
      model: this.#model,
      status: error?.kind === 'cancelled' ? 499 : response.statusCode,
      startedAt: this.#startedAt,
      client: this.#client,
      ...(this.#tokenId && { tokenId: this.#tokenId }),
      ...(error && { error }),
    });
  }
}

/** Answers with an estimate, marked by `x-gateway-estimate`. */
async function answerByEstimate(
  estimate: Accepted['estimate'],
  answer: Answer,
  response: ResponseSink,
): Promise<void> {
  if (!estimate) return answer.fail(new GatewayError('upstream', 'The model has no upstream.'));
  try {
    const bytes = await estimate();
    response.setHeader('x-gateway-estimate', 'true');
    const whole = { status: 200, mediaType: 'application/json', length: bytes.length };
    const finish = { type: 'finish', reason: 'stop', raw: null, usage: null } as const;
    answer.write([{ type: 'verbatim', bytes, whole }, finish], 0);
  } catch (thrown) {
    answer.fail(toGatewayError(thrown));
  }
}

/** Encodes a model's name for a header. */
function headerValue(text: string): string {
  return /^[\x21-\x7e]*$/.test(text) ? text : encodeURIComponent(text.toWellFormed());
}
