import type { IncomingMessage, ServerResponse } from 'node:http';
import { hashSecret, type TokenRecord } from '@model-gateway/access';
import type { Call } from '@model-gateway/bus';
import {
  anotherMayHelp,
  type Envelope,
  GatewayError,
  type GenerateEvent,
  toGatewayError,
  type WireFormat,
} from '@model-gateway/canonical';
import { formatFor, orderTargets, type Target } from '@model-gateway/catalog';
import { Answer, sendError } from './answer.ts';
import { parseObject, readBody } from './body.ts';
import { countRenderer, counts, estimate } from './count.ts';
import { bearerToken } from './credential.ts';
import type {
  AnswerRenderer,
  Asked,
  CountRequest,
  Endpoint,
  ParsedRequest,
  PreparedRequest,
  RenderedError,
} from './endpoint.ts';
import type { Share } from './held-bytes.ts';
import { answerKept } from './kept.ts';
import type { Observer } from './observe.ts';
import type { Outlet } from './outlet.ts';
import type { Parts } from './parts.ts';
import { byPool, type PoolTargets } from './pools.ts';

const noBytes = Buffer.alloc(0);

export interface ExchangeLimits {
  /** The most bytes of a request body, decompressed. */
  bodyBytes: number;
  /** How long a request waits for a worker with room, in milliseconds. */
  queueMs: number;
}

/** What is known of a request before it is answered. */
interface Accepted {
  token: TokenRecord;
  /** What was read of the request is not among them: it may be as large as the body once more. */
  render: AnswerRenderer | undefined;
  framing: ParsedRequest['framing'];
  /** Answers a count that no target gave. */
  estimate: (() => Promise<Buffer>) | undefined;
  envelope: Omit<Envelope, 'targets'>;
  body: Buffer;
  routes: PoolTargets[];
  prepared: PreparedRequest | undefined;
}

/** What was read of a request, and whose it is. */
interface Read extends Omit<Asked, 'token' | 'tokenHash'> {
  token: TokenRecord;
  tokenHash(): string;
}

type RenderError = (error: GatewayError) => RenderedError;

/** One request and its answer: checks it, publishes it, and writes what comes back. */
export class Exchange {
  readonly #endpoint: Endpoint;
  readonly #parts: Parts;
  readonly #limits: ExchangeLimits;
  readonly #observer: Observer;
  readonly #requestId: string;
  readonly #share: Share;
  readonly #startedAt = performance.now();
  #model = '';
  #tokenId: string | undefined;
  #over: (error: GatewayError | undefined) => void = () => {};

  constructor(
    endpoint: Endpoint,
    parts: Parts,
    limits: ExchangeLimits,
    observer: Observer,
    requestId: string,
  ) {
    this.#endpoint = endpoint;
    this.#parts = parts;
    this.#limits = limits;
    this.#observer = observer;
    this.#requestId = requestId;
    this.#share = parts.held.share();
  }

  async run(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const renderError = (error: GatewayError) => this.#endpoint.renderError(error, this.#requestId, request);
    await this.#run(() => this.#read(request), response, renderError);
  }

  /** Answers what came in another way than by HTTP. `token` is looked up by its hash; resolves when it was answered. */
  ask(
    asked: Omit<Asked, 'token'>,
    outlet: Outlet,
    renderError: RenderError,
  ): Promise<GatewayError | undefined> {
    const { promise, resolve } = Promise.withResolvers<GatewayError | undefined>();
    this.#over = resolve;
    const read = async (): Promise<Read> => {
      const token = this.#parts.access.checkHash(asked.tokenHash, Date.now());
      this.#tokenId = token.id;
      this.#share.take(asked.text.length);
      return { ...asked, token, tokenHash: () => asked.tokenHash };
    };
    void this.#run(read, outlet, renderError);
    return promise;
  }

  async #run(read: () => Promise<Read>, outlet: Outlet, renderError: RenderError): Promise<void> {
    this.#observer.began();
    try {
      const accepted = await this.#accept(await read());
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

  /** The checks, in the order in which a client is told of what fails: credential, headers, size, JSON and bounds, model. */
  async #read(request: IncomingMessage): Promise<Read> {
    const { credential = bearerToken } = this.#endpoint;
    const secret = credential(request);
    const token = this.#parts.access.check(secret, Date.now());
    this.#tokenId = token.id;
    this.#endpoint.checkHeaders?.(request.headers);
    const text = await readBody(request, this.#limits.bodyBytes, this.#share);
    this.#share.keep(text);
    const { headers, url = '/' } = request;
    return { token, tokenHash: () => hashSecret(secret as string), headers, url, text };
  }

  async #accept({ token, tokenHash, headers, url, text: given }: Read): Promise<Accepted> {
    const { catalog } = this.#parts;
    const asked = parseObject(given);
    const prepared = await this.#endpoint.prepare?.(
      asked,
      { token, headers, url, text: given, tokenHash: tokenHash() },
      this.#requestId,
    );
    const body = prepared?.text ?? given;
    this.#share.take(Math.max(0, body.length - given.length));
    const parsed = this.#endpoint.parse(prepared?.body ?? asked, headers, body, url);
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
    const ordered = orderTargets(found.model, found.match, Math.random);
    const count = 'renderCount' in parsed ? parsed : undefined;
    const targets = count ? ordered.filter(target => counts(this.#formatOf(target))) : ordered;
    const { text, canonical, speakers } = this.#languages(parsed, body, targets);
    this.#share.take(canonical.length);
    return {
      token,
      render: 'render' in parsed ? parsed.render : countRenderer(parsed),
      framing: 'framing' in parsed ? parsed.framing : undefined,
      estimate: count && (() => estimate(count)),
      envelope: {
        requestId: this.#requestId,
        operation: this.#endpoint.operation,
        format: this.#endpoint.format,
        model,
        stream: 'stream' in parsed && parsed.stream,
        textLength: text.length,
        token: { id: token.id, project: token.project },
        headers: parsed.headers ?? {},
        ...(parsed.foreign && { foreign: true }),
      },
      body: canonical.length === 0 ? text : Buffer.concat([text, canonical]),
      routes: byPool(catalog, speakers),
      prepared,
    };
  }

  #answer(
    { token, render, framing, estimate, envelope, routes, ...accepted }: Accepted,
    response: Outlet,
    renderError: RenderError,
  ): void {
    response.setHeader('x-gateway-model', headerValue(envelope.model));
    let body: Buffer | undefined = accepted.body;
    let call: Call | undefined;
    let tried = 0;
    const letGo = this.#parts.access.hold(token, reason => answer.fail(reason));
    const answer = new Answer(response, {
      endpoint: this.#endpoint,
      render,
      framing,
      requestId: this.#requestId,
      stream: envelope.stream,
      renderError,
      consumed: weight => call?.consumed(weight),
      ended: error => {
        letGo();
        if (error) call?.cancel();
        this.#ended(response, error);
      },
    });
    const more = () => tried < routes.length || estimate !== undefined;
    const tryNext = () => {
      const route = routes[tried++];
      if (!route || !body) return void answerHere(estimate, answer, response);
      const onEvents = (events: GenerateEvent[], weight: number) => {
        const [first] = events;
        const goOn = first?.type === 'error' && !answer.begun && anotherMayHelp(first) && more();
        if (goOn) return tryNext();
        // Nobody can be asked any more what a stream began to answer: what was kept for that can go.
        if (body && envelope.stream) {
          this.#share.giveBack();
          body = undefined;
        }
        answer.write(events, weight);
      };
      const { pool, targets } = route;
      const { queueMs } = this.#limits;
      const request = { pool, envelope: { ...envelope, targets }, body, queueMs, onEvents };
      call = this.#parts.caller.call(request);
    };
    tryNext();
  }

  /**
   * The body in the languages that the targets speak: the client's own text, and the request in no format.
   * A request that cannot be translated is for the targets of its own format alone.
   */
  #languages(parsed: ParsedRequest | CountRequest, body: Buffer, targets: readonly Target[]) {
    const speaksOwn = (target: Target) => this.#formatOf(target) === this.#endpoint.format;
    const own = targets.filter(speaksOwn);
    const text = own.length > 0 ? body : noBytes;
    const only = { text, canonical: noBytes, speakers: own };
    const other = targets.some(target => this.#formatOf(target) && !speaksOwn(target));
    if (!other) return { ...only, speakers: targets };
    try {
      const canonical = Buffer.from(JSON.stringify(parsed.canonical()));
      return { text, canonical, speakers: targets };
    } catch (thrown) {
      if (text.length > 0 && toGatewayError(thrown).kind === 'invalid-request') return only;
      throw thrown;
    }
  }

  /** What a target is asked in; undefined if nobody knows its provider. */
  #formatOf({ provider }: Target): WireFormat | undefined {
    const record = this.#parts.catalog.provider(provider);
    return record && formatFor(record, this.#endpoint.format);
  }

  #ended(response: Outlet, error?: GatewayError): void {
    this.#share.giveBack();
    this.#over(error);
    this.#observer.ended({
      requestId: this.#requestId,
      endpoint: this.#endpoint.path,
      model: this.#model,
      status: error?.kind === 'cancelled' ? 499 : response.statusCode,
      startedAt: this.#startedAt,
      ...(this.#tokenId && { tokenId: this.#tokenId }),
      ...(error && { error }),
    });
  }
}

/** Answers with an estimate, and says that no tokenizer of the model's own has counted. */
async function answerHere(estimate: Accepted['estimate'], answer: Answer, response: Outlet): Promise<void> {
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
