import type { IncomingMessage, ServerResponse } from 'node:http';
import { type EndWork, hashSecret, type TokenRecord } from '@model-gateway/access';
import { type Call, maxLosses } from '@model-gateway/bus';
import {
  anotherMayHelp,
  type Envelope,
  type ErrorEvent,
  GatewayError,
  type GenerateEvent,
  toGatewayError,
} from '@model-gateway/canonical';
import { orderTargets } from '@model-gateway/catalog';
import { checkContentType, isForm, nextTurn } from '@model-gateway/service';
import { Answer, sendError } from './answer.ts';
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
import { answerKept } from './resource-request.ts';
import type { ResponseSink } from './response-sink.ts';
import { type Parsed, type Route, RoutePlan } from './route-plan.ts';

const noBytes = Buffer.alloc(0);

export interface ExchangeLimits {
  body: BodyLimits;
  /** The bounds of a body that is a form. */
  upload: BodyLimits;
  /** How long a request waits for a worker with room, in milliseconds. */
  queueMs: number;
}

/** What is known of a request before it is answered. */
interface Accepted {
  token: TokenRecord;
  /** What was read of the request is not among them: it may be as large as the body once more. */
  render: AnswerRenderer | ResultRenderer | undefined;
  framing: ParsedRequest['framing'];
  /** Answers a count that no target gave. */
  estimate: (() => Promise<Buffer>) | undefined;
  envelope: Omit<Envelope, 'targets' | 'textLength'>;
  routes: Route[];
  prepared: PreparedRequest | undefined;
}

/** What was read of a request, and whose it is. */
interface Read extends Omit<IncomingRequest, 'token' | 'tokenHash' | 'share'> {
  token: TokenRecord;
  tokenHash(): string;
  /** In place of a text. */
  form?: ReceivedForm;
}

type RenderError = (error: GatewayError) => RenderedError;

/** One request and its answer: checks it, publishes it, and writes what comes back. */
export class Exchange {
  readonly #endpoint: Endpoint;
  readonly #parts: IngressDeps;
  readonly #limits: ExchangeLimits;
  readonly #observer: Observer;
  readonly #requestId: string;
  /** The memory that it holds; absent until its token is known. */
  #share: Reservation | undefined;
  readonly #startedAt = performance.now();
  #model = '';
  #tokenId: string | undefined;
  #client: string | undefined;
  #form: ReceivedForm | undefined;
  /** Why the token may ask no more, and what is to end then. */
  #refusal: GatewayError | undefined;
  #refuse: EndWork = () => {};
  #letGo: () => void = () => {};
  #giveBackPlace: () => void = () => {};
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

  /** Answers what came in another way than by HTTP. `token` is looked up by its hash; resolves when it was answered. */
  ask(
    { client, ...asked }: Omit<IncomingRequest, 'token' | 'share'> & Pick<Observed, 'client'>,
    outlet: ResponseSink,
    renderError: RenderError,
  ): Promise<GatewayError | undefined> {
    const { promise, resolve } = Promise.withResolvers<GatewayError | undefined>();
    this.#over = resolve;
    this.#client = client;
    const read = async (): Promise<Read> => {
      const token = this.#parts.access.checkHash(asked.tokenHash, Date.now());
      this.#admit(token).take(asked.text.length);
      return { ...asked, token, tokenHash: () => asked.tokenHash };
    };
    void this.#run(read, outlet, renderError);
    return promise;
  }

  async #run(read: () => Promise<Read>, outlet: ResponseSink, renderError: RenderError): Promise<void> {
    this.#observer.began();
    try {
      const accepted = await this.#accept(await read());
      // What is read from disk takes a while.
      if (outlet.destroyed) throw new GatewayError('cancelled', 'The client left.');
      if (this.#refusal) throw this.#refusal;
      const { prepared, token } = accepted;
      if (!prepared?.instead)
        return this.#answer(accepted, prepared?.through?.(outlet) ?? outlet, renderError);
      const { access } = this.#parts;
      await answerKept(outlet, { access, token }, signal => prepared.instead?.(outlet, signal));
      this.#ended(outlet);
    } catch (thrown) {
      const error = toGatewayError(thrown);
      if (!outlet.headersSent && !outlet.destroyed) sendError(outlet, renderError(error));
      this.#ended(outlet, error);
    }
  }

  /** The checks, in the order in which a client is told of what fails: credential, share, headers, content type, size, JSON and bounds, model. */
  async #read(request: IncomingMessage): Promise<Read> {
    const { credential = bearerToken, contentTypes = ['application/json'] } = this.#endpoint;
    const secret = credential(request);
    const token = this.#parts.access.check(secret, Date.now());
    const share = this.#admit(token);
    this.#endpoint.checkHeaders?.(request.headers);
    checkContentType(request.headers, contentTypes);
    const { headers, url = '/' } = request;
    const asked = { token, tokenHash: () => hashSecret(secret as string), headers, url };
    if (this.#endpoint.parseForm && isForm(headers))
      return { ...asked, text: noBytes, form: await this.#readForm(request, token.id, share) };
    const text = await readBody(request, this.#limits.body, share);
    share.keep(text);
    return { ...asked, text };
  }

  /** An upload takes long enough for a token to be revoked meanwhile. */
  async #readForm(request: IncomingMessage, tokenId: string, memory: Reservation): Promise<ReceivedForm> {
    const { spool, spooled } = this.#parts;
    const { upload, body } = this.#limits;
    const room = { folder: spool, memory, disk: spooled.share(tokenId) };
    const over = new AbortController();
    this.#refuse = reason => over.abort(reason);
    this.#form = await readForm(request, { upload, memoryBytes: body.bytes }, room, over.signal);
    return this.#form;
  }

  /**
   * From here on the request counts for its token, and ends with what that allows.
   * @throws GatewayError of kind `rate-limited` where the token has as many open requests as it may
   */
  #admit(token: TokenRecord): Reservation {
    this.#tokenId = token.id;
    this.#giveBackPlace = this.#parts.shares.requests.open(token.id);
    this.#share = this.#parts.held.share(token.id);
    this.#letGo = this.#parts.access.hold(token, reason => {
      this.#refusal = reason;
      this.#refuse(reason);
    });
    return this.#share;
  }

  async #accept({ form, ...read }: Read): Promise<Accepted> {
    if (form) {
      refuseAmbiguous(form, this.#endpoint.fields);
      const parsed = (await this.#endpoint.parseForm?.(form, read.headers)) as ParsedOperation;
      return this.#accepted(read.token, parsed, ways => ways.ofForm(parsed, form, read.token.id));
    }
    const { token, tokenHash, headers, url, text: given } = read;
    const share = this.#share as Reservation;
    const { value: asked, weight } = await readObject(given, this.#endpoint.fields, token.id);
    const prepared = await this.#endpoint.prepare?.(
      asked,
      { token, headers, url, text: given, tokenHash: tokenHash(), share: () => share.part() },
      this.#requestId,
    );
    const body = prepared?.text ?? given;
    share.take(Math.max(0, body.length - given.length));
    const parsed = this.#endpoint.parse(prepared?.body ?? asked, headers, body, url);
    const turn = () => nextTurn(weight, token.id);
    await turn();
    const accepted = await this.#accepted(token, parsed, ways => ways.ofText(parsed, body, turn));
    const counted = 'renderCount' in parsed ? () => estimate(parsed, body, turn) : undefined;
    return { ...accepted, estimate: counted, prepared };
  }

  /** What is known of a request that was parsed; `routesOf` says what is sent to its model's targets. */
  async #accepted(
    token: TokenRecord,
    parsed: Parsed,
    routesOf: (ways: RoutePlan) => Promise<Route[]>,
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
    const ways = new RoutePlan(catalog, this.#endpoint, ordered, this.#share as Reservation).supported(
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
      routes: await routesOf(count ? ways.counting() : ways),
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
    this.#refuse = reason => answer.fail(reason);
    const more = () => (routes !== undefined && tried < routes.length) || estimate !== undefined;
    const tryNext = () => {
      const route = routes?.[tried++];
      if (!route) return void answerHere(estimate, answer, response);
      const onEvents = (events: GenerateEvent[], weight: number) => {
        const [first] = events;
        if (first?.type === 'error' && !answer.begun && anotherMayHelp(first)) {
          // A request that one format cannot carry is at fault only if no other could, either.
          if (!failure || !first.notRepresentable) failure = first;
          lossesLeft -= call?.losses ?? 0;
          return more() ? tryNext() : answer.write([failure], weight);
        }
        // Nobody can be asked any more what a stream began to answer: what was kept for that can go.
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
    this.#letGo();
    this.#giveBackPlace();
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

/** Answers with an estimate, and says that no tokenizer of the model's own has counted. */
async function answerHere(
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

/** A model's name as a header can hold it. */
function headerValue(text: string): string {
  return /^[\x21-\x7e]*$/.test(text) ? text : encodeURIComponent(text.toWellFormed());
}
