import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Call } from '@model-gateway/bus';
import {
  anotherMayHelp,
  type Envelope,
  GatewayError,
  type GenerateEvent,
  toGatewayError,
} from '@model-gateway/canonical';
import { orderTargets } from '@model-gateway/catalog';
import { Answer, sendError } from './answer.ts';
import { parseObject, readBody } from './body.ts';
import { bearerToken } from './credential.ts';
import type { Endpoint } from './endpoint.ts';
import type { Observer } from './observe.ts';
import type { Parts } from './parts.ts';
import { byPool, type PoolTargets } from './pools.ts';

export interface ExchangeLimits {
  /** The most bytes of a request body, decompressed. */
  bodyBytes: number;
  /** How long a request waits for a worker with room, in milliseconds. */
  queueMs: number;
}

/** What is known of a request before it is answered. */
interface Accepted {
  envelope: Omit<Envelope, 'targets'>;
  body: Buffer;
  routes: PoolTargets[];
}

/** One request and its answer: checks it, publishes it, and writes what comes back. */
export class Exchange {
  readonly #endpoint: Endpoint;
  readonly #parts: Parts;
  readonly #limits: ExchangeLimits;
  readonly #observer: Observer;
  readonly #requestId: string;
  readonly #startedAt = performance.now();
  #model = '';
  #tokenId: string | undefined;

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
  }

  async run(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#observer.began();
    try {
      this.#answer(await this.#accept(request), response);
    } catch (thrown) {
      const error = toGatewayError(thrown);
      if (!response.headersSent && !response.destroyed)
        sendError(response, this.#endpoint.renderError(error, this.#requestId));
      this.#ended(response, error);
    }
  }

  /** The checks, in the order in which a client is told of what fails: credential, size, JSON and bounds, model. */
  async #accept(request: IncomingMessage): Promise<Accepted> {
    const { access, catalog } = this.#parts;
    const token = access.check(bearerToken(request), Date.now());
    this.#tokenId = token.id;
    const body = await readBody(request, this.#limits.bodyBytes);
    const { model, stream } = this.#endpoint.parse(parseObject(body));
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
    return {
      envelope: {
        requestId: this.#requestId,
        operation: this.#endpoint.operation,
        format: this.#endpoint.format,
        model,
        stream,
        token: { id: token.id, project: token.project },
        headers: {},
      },
      body,
      routes: byPool(catalog, orderTargets(found.model, found.match, Math.random)),
    };
  }

  #answer({ envelope, body, routes }: Accepted, response: ServerResponse): void {
    response.setHeader('x-gateway-model', headerValue(envelope.model));
    let call: Call | undefined;
    let tried = 0;
    const answer = new Answer(response, {
      endpoint: this.#endpoint,
      requestId: this.#requestId,
      stream: envelope.stream,
      consumed: weight => call?.consumed(weight),
      ended: error => {
        if (error) call?.cancel();
        this.#ended(response, error);
      },
    });
    const tryNext = () => {
      const { pool, targets } = routes[tried++] as PoolTargets;
      const onEvents = (events: GenerateEvent[], weight: number) => {
        const [first] = events;
        const goOn =
          first?.type === 'error' && !answer.begun && anotherMayHelp(first) && tried < routes.length;
        if (goOn) tryNext();
        else answer.write(events, weight);
      };
      call = this.#parts.caller.call({
        pool,
        envelope: { ...envelope, targets },
        body,
        queueMs: this.#limits.queueMs,
        onEvents,
      });
    };
    tryNext();
  }

  #ended(response: ServerResponse, error?: GatewayError): void {
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

/** A model's name as a header can hold it. */
function headerValue(text: string): string {
  return /^[\x21-\x7e]*$/.test(text) ? text : encodeURIComponent(text.toWellFormed());
}
