import type { JobEnd, LogWriter } from '@model-gateway/bus';
import { GatewayError, memberText } from '@model-gateway/canonical';
import type { Endpoint, Ingress } from '@model-gateway/ingress';
import { splitEvents } from '@model-gateway/sse';
import { responses } from '../endpoints/create.ts';
import { addToConversation } from '../store/conversations.ts';
import { expand } from '../store/expand.ts';
import { keyOf } from '../store/items.ts';
import { holdTurn } from '../store/prepare.ts';
import { foreignItems } from '../store/references.ts';
import type { ResponseServices } from '../store/response-services.ts';
import { Rewriter } from '../store/rewriter.ts';
import type { StoredTurn } from '../store/store.ts';
import { type AnswerRecorder, StoredResponseSink } from '../store/stored-response-sink.ts';
import type { Background } from '../store/turn.ts';
import { Continuation } from './continuation.ts';
import { renderFailed, waitingEvents } from './render-waiting.ts';
import { JobOutlet } from './runner.ts';
import { backgroundFields } from './submit.ts';

/** The most times that an upstream is asked. */
export const maxAttempts = 4;
/** The time for which a response waits that found no worker, in milliseconds. */
export const patienceMs = 3_600_000;
/** Failures that another attempt may not have. */
const passing: ReadonlySet<string> = new Set([
  'overloaded',
  'upstream',
  'timeout',
  'rate-limited',
  'cancelled',
]);

/** A turn that is done in the background. */
export type BackgroundTurn = StoredTurn & { meta: { background: Background } };

/** One attempt at an answer. */
export class Attempt {
  readonly #shelf: ResponseServices;
  readonly #project: string;
  readonly #turn: BackgroundTurn;
  #writer: LogWriter | undefined;
  #continuation: Continuation | undefined;
  #response: string | undefined;
  readonly #decided = Promise.withResolvers<boolean>();
  #released = false;

  constructor(shelf: ResponseServices, project: string, turn: BackgroundTurn) {
    this.#shelf = shelf;
    this.#project = project;
    this.#turn = turn;
  }

  async run(ingress: Ingress, signal: AbortSignal, running: Map<string, () => void>): Promise<JobEnd> {
    const { id, background, stream } = this.#turn.meta;
    const sink = new JobOutlet();
    if (stream) await this.#openEvents(() => sink.destroy());
    if (this.#wasLostTooOften()) {
      await this.#settle(neverEnded());
      return 'done';
    }
    const key = keyOf(this.#project, id);
    running.set(key, () => sink.destroy());
    try {
      const asked = {
        tokenHash: background.tokenHash,
        requestId: id.replace(/^resp_/, 'req_'),
        headers: {},
        text: Buffer.from(background.request),
        url: '/v1/responses',
      };
      const error = await ingress.ask(this.#endpoint(), asked, sink);
      return await this.#end(error, signal);
    } finally {
      running.delete(key);
      sink.destroy();
    }
  }

  #endpoint(): Endpoint {
    return {
      ...responses(this.#shelf),
      prepare: async (body, asked) => ({
        ...(await expand(this.#shelf, { ...body, background: null }, asked)),
        through: to => {
          holdTurn(asked.share(), this.#turn, to);
          const fields = this.#fields();
          const skip = (type: string) => type === 'response.created' || type === 'response.queued';
          const rewriter = new Rewriter(fields, { first: waitingEvents, skip });
          return new StoredResponseSink(to, { rewriter, fields, keeper: this.#keeper() });
        },
      }),
    };
  }

  #fields() {
    const { id, at } = this.#turn.meta;
    const previous = memberText(Buffer.from(this.#turn.response), 'previous_response_id');
    const fields = backgroundFields(id, at, JSON.parse(previous ?? 'null'));
    const { conversation } = this.#turn.meta;
    return conversation ? fields.set('conversation', JSON.stringify({ id: conversation })) : fields;
  }

  /** The end is written only once it is known to be one. */
  #keeper(): AnswerRecorder {
    return {
      events: (text, last = false) => {
        if (last && !this.#released) return;
        const more = this.#continuation?.push(text) ?? text;
        if (this.#continuation?.diverged) return this.#writer?.onBroken();
        if (more !== '' || last) this.#writer?.add(more, last);
      },
      settle: response => {
        this.#response = this.#continuation?.end(response) ?? response;
        return this.#decided.promise;
      },
    };
  }

  async #openEvents(stop: () => void): Promise<void> {
    const { store } = this.#shelf;
    const { id } = this.#turn.meta;
    const pieces = await store.events(this.#project, id);
    const written = splitEvents(Buffer.concat(pieces.map(({ bytes }) => bytes)).toString());
    this.#writer = store.writer(this.#project, id, { after: pieces.at(-1)?.at ?? 0 });
    this.#writer.onBroken = stop;
    if (written.length > waitingEvents)
      this.#continuation = new Continuation(written.slice(waitingEvents), written.length);
  }

  async #end(error: GatewayError | undefined, signal: AbortSignal): Promise<JobEnd> {
    const { attempts } = this.#turn.meta.background;
    const attempt = attempts.at(-1) as Background['attempts'][number];
    attempt.ended = Date.now();
    const diverged = this.#continuation?.diverged === true;
    // A token that has all of its share here finds room elsewhere, or later: as where there is no worker.
    const kind = error?.details.share ? 'overloaded' : error?.kind;
    if (kind) attempt.error = diverged ? 'another answer' : kind;
    if (this.#writer?.broken !== undefined && !diverged) return 'left';
    if (error && !diverged && (signal.aborted || this.#mayTryAgain(error))) {
      await this.#shelf.store.put(this.#project, this.#turn, this.#turn.revision);
      return 'again';
    }
    await this.#settle(diverged ? otherAnswer() : error);
    return 'done';
  }

  /** Attempts of which nobody could tell how they ended: their process was lost, or what they wrote was not kept. */
  #wasLostTooOften(): boolean {
    const before = this.#turn.meta.background.attempts.slice(0, -1);
    return before.filter(({ ended }) => ended === undefined).length >= maxAttempts;
  }

  #mayTryAgain({ kind, details }: GatewayError): boolean {
    if (details.lostWorkers) return false;
    const { at, background } = this.#turn.meta;
    const tried = background.attempts.filter(({ error }) => error !== 'overloaded').length;
    return passing.has(kind) && tried < maxAttempts && Date.now() - at < patienceMs;
  }

  async #settle(error: GatewayError | undefined): Promise<void> {
    const { meta } = this.#turn;
    const told = error ? undefined : this.#response;
    const response = told ?? renderFailed(this.#turn.response, error ?? otherAnswer());
    const { tokenHash, attempts } = meta.background;
    const background = { tokenHash, attempts, request: '' };
    await this.#shelf.store.put(
      this.#project,
      { ...this.#turn, meta: { ...meta, background }, response },
      this.#turn.revision,
    );
    if (told) {
      await this.#shelf.store.putItems(this.#project, foreignItems(told), meta.id);
      await addToConversation(this.#shelf.store, this.#project, { ...this.#turn, response: told });
      this.#released = true;
      this.#decided.resolve(true);
      // The outlet writes the last events in a later turn of the event loop.
      await new Promise(resolve => setImmediate(resolve));
    } else if (this.#writer) {
      await this.#writeFailure(response);
    }
    await this.#writer?.flush();
  }

  async #writeFailure(response: string): Promise<void> {
    const { store } = this.#shelf;
    const { id } = this.#turn.meta;
    await this.#writer?.flush();
    const pieces = await store.events(this.#project, id);
    const rewriter = new Rewriter(new Map());
    for (const { bytes } of pieces) rewriter.push(bytes);
    const error = JSON.parse(memberText(Buffer.from(response), 'error') ?? 'null');
    const { text } = rewriter.fail(error?.message ?? 'The answer failed.');
    const writer = store.writer(this.#project, id, { after: pieces.at(-1)?.at ?? 0 });
    writer.add(text, true);
    await writer.flush();
  }
}

function neverEnded(): GatewayError {
  return new GatewayError(
    'upstream',
    `The answer was begun ${maxAttempts} times, and its end was never kept.`,
  );
}

function otherAnswer(): GatewayError {
  return new GatewayError(
    'upstream',
    'The answer was cut off, and asked again, the model began another one than what was shown.',
  );
}
