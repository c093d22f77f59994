import { EventEmitter } from 'node:events';
import { GatewayError } from '@model-gateway/canonical';
import type { Endpoint, Ingress, ResponseSink } from '@model-gateway/ingress';
import { memberText } from '@model-gateway/json';
import { EventSplitter, splitEvents } from '@model-gateway/sse';
import {
  type Job,
  type JobEnd,
  type LogPiece,
  type LogWriter,
  RevisionConflictError,
} from '@model-gateway/store';
import { responses } from '../endpoints/create.ts';
import { renderFailed, waitingEvents, withStatus } from '../endpoints/render-waiting.ts';
import { RequestReads } from '../reads/reads.ts';
import { addToConversation } from '../store/conversations.ts';
import { expand } from '../store/expand.ts';
import { readEvents } from '../store/lost.ts';
import { foreignItems } from '../store/references.ts';
import type { ResponseServices } from '../store/response-services.ts';
import { Rewriter } from '../store/rewriter.ts';
import { keyOf } from '../store/store.ts';
import { type AnswerRecorder, StoredResponseSink } from '../store/stored-response-sink.ts';
import { type Background, holdTurn, isOver, type StoredTurn } from '../store/turn.ts';
import { Continuation } from './continuation.ts';
import { backgroundFields, betaHeader } from './submit.ts';

/** The maximum number of attempts for one background response. */
export const maxAttempts = 4;
/** The longest time that a response waits for a worker with room, in milliseconds. */
export const patienceMs = 3_600_000;
/** Error kinds that are retried. */
const retryable: ReadonlySet<string> = new Set([
  'overloaded',
  'upstream',
  'timeout',
  'rate-limited',
  'cancelled',
]);

/** A turn whose response is generated in the background. */
type BackgroundTurn = StoredTurn & { meta: { background: Background } };

/** One attempt to generate a background response. */
export class Attempt {
  readonly #services: ResponseServices;
  readonly #project: string;
  readonly #turn: BackgroundTurn;
  #writer: LogWriter | undefined;
  #continuation: Continuation | undefined;
  #response: string | undefined;
  readonly #decided = Promise.withResolvers<boolean>();
  #released = false;
  /** True once the client has cancelled the response. */
  #cancelled = false;
  /** True once events of an answer are stored. */
  #hasEvents = false;

  constructor(services: ResponseServices, project: string, turn: BackgroundTurn) {
    this.#services = services;
    this.#project = project;
    this.#turn = turn;
  }

  async run(ingress: Ingress, signal: AbortSignal, running: Map<string, () => void>): Promise<JobEnd> {
    const { id, background, stream } = this.#turn.meta;
    const sink = new JobSink();
    if (stream) await this.#openEvents(() => sink.destroy());
    if (this.#wasLostTooOften()) {
      await this.#settle(attemptsExhausted());
      return 'done';
    }
    const key = keyOf(this.#project, id);
    running.set(key, () => {
      this.#cancelled = true;
      sink.destroy();
    });
    try {
      const request = {
        tokenHash: background.tokenHash,
        requestId: id.replace(/^resp_/, 'req_'),
        headers: background.betas ? { [betaHeader]: background.betas } : {},
        text: Buffer.from(background.request),
        url: '/v1/responses',
        ...(this.#tried < maxAttempts && { again: (error: GatewayError) => this.#isRepeated(error, signal) }),
        ...(background.trace && { cause: { traceparent: background.trace } }),
      };
      const error = await ingress.ask(this.#endpoint(), request, sink);
      return await this.#end(error, signal);
    } finally {
      running.delete(key);
      sink.destroy();
    }
  }

  #endpoint(): Endpoint {
    return {
      ...responses(this.#services),
      prepare: async (body, request) => ({
        ...(await expand(this.#services, { ...body, background: null }, request)),
        through: to => {
          holdTurn(request.share(), this.#turn, to);
          if (this.#writer) this.#writer.room = request.share();
          const fields = this.#fields();
          const skip = (type: string) => type === 'response.created' || type === 'response.queued';
          const rewriter = new Rewriter(fields, { first: waitingEvents, skip });
          return new StoredResponseSink(to, { rewriter, fields, recorder: this.#recorder() });
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

  /** The last events are written only after the attempt is known to be the final one. */
  #recorder(): AnswerRecorder {
    return {
      events: (text, last = false) => {
        if (last && !this.#released) return;
        const more = this.#continuation?.push(text) ?? text;
        if (this.#continuation?.diverged) return this.#writer?.onBroken();
        if (more !== '') this.#hasEvents = true;
        if (more !== '' || last) this.#writer?.add(more, last);
      },
      settle: response => {
        this.#response = this.#continuation?.end(response) ?? response;
        return this.#decided.promise;
      },
    };
  }

  async #openEvents(stop: () => void): Promise<void> {
    const { store } = this.#services;
    const { id } = this.#turn.meta;
    const splitter = new EventSplitter();
    const written: string[] = [];
    let last: LogPiece | undefined;
    for await (const piece of store.events(this.#project, id)) {
      written.push(...splitEvents(splitter.push(piece.bytes).toString()));
      last = piece;
    }
    this.#writer = store.writer(this.#project, id, { after: last });
    this.#writer.onBroken = stop;
    if (written.length > waitingEvents)
      this.#continuation = new Continuation(written.slice(waitingEvents), written.length);
    this.#hasEvents = this.#continuation !== undefined;
  }

  async #end(error: GatewayError | undefined, signal: AbortSignal): Promise<JobEnd> {
    const { attempts } = this.#turn.meta.background;
    const attempt = attempts.at(-1) as Background['attempts'][number];
    attempt.ended = this.#services.store.clock.now();
    const diverged = this.#continuation?.diverged === true;
    // A token whose share is used up here may find room in another process or later, as if no worker is free.
    const kind = error?.details.share ? 'overloaded' : error?.kind;
    if (kind) attempt.error = diverged ? 'diverged' : kind;
    if (this.#writer?.broken !== undefined && !diverged) return 'left';
    if (error && !diverged && (signal.aborted || this.#mayTryAgain(error))) {
      // It waits for a limit or for a worker with room.
      if (kind === 'overloaded' && !this.#hasEvents)
        this.#turn.response = withStatus(this.#turn.response, 'queued');
      await this.#services.store.put(this.#project, this.#turn, this.#turn.revision);
      return 'again';
    }
    await this.#settle(diverged ? divergedError() : error);
    return 'done';
  }

  /** Counts attempts without a recorded end: their process was lost, or their output could not be stored. */
  #wasLostTooOften(): boolean {
    const before = this.#turn.meta.background.attempts.slice(0, -1);
    return before.filter(({ ended }) => ended === undefined).length >= maxAttempts;
  }

  #mayTryAgain({ kind, details }: GatewayError): boolean {
    if (details.lostWorkers || details.endedBy) return false;
    const age = this.#services.store.clock.now() - this.#turn.meta.at;
    return retryable.has(kind) && this.#tried < maxAttempts && age < patienceMs;
  }

  /** Attempts so far, without those that found no room. */
  get #tried(): number {
    const { attempts } = this.#turn.meta.background;
    return attempts.filter(({ error }) => error !== 'overloaded').length;
  }

  /** True if another attempt follows one that breaks off with this error: here or, if its events cannot be stored, elsewhere. */
  #isRepeated(error: GatewayError, signal: AbortSignal): boolean {
    if (this.#cancelled || this.#continuation?.diverged) return false;
    return signal.aborted || this.#writer?.broken !== undefined || this.#mayTryAgain(error);
  }

  async #settle(error: GatewayError | undefined): Promise<void> {
    const { meta } = this.#turn;
    const completed = error ? undefined : this.#response;
    const response = completed ?? renderFailed(this.#turn.response, error ?? divergedError());
    const { tokenHash, attempts } = meta.background;
    const background = { tokenHash, attempts, request: '' };
    await this.#services.store.put(
      this.#project,
      { ...this.#turn, meta: { ...meta, background }, response },
      this.#turn.revision,
    );
    if (completed) {
      await this.#services.store.putItems(this.#project, foreignItems(completed), meta.id);
      await addToConversation(this.#services.store, this.#project, { ...this.#turn, response: completed });
      this.#released = true;
      this.#decided.resolve(true);
      // The sink writes the last events in a later turn of the event loop.
      await new Promise(resolve => setImmediate(resolve));
    } else if (this.#writer) {
      await this.#writeFailure(response);
    }
    await this.#writer?.flush();
  }

  async #writeFailure(response: string): Promise<void> {
    const { store } = this.#services;
    const { id } = this.#turn.meta;
    await this.#writer?.flush();
    const { last, rewriter } = await readEvents(store, this.#project, id);
    const error = JSON.parse(memberText(Buffer.from(response), 'error') ?? 'null');
    const { text } = rewriter.fail(error?.message ?? 'The response failed.');
    const writer = store.writer(this.#project, id, { after: last });
    writer.add(text, true);
    await writer.flush();
  }
}

function attemptsExhausted(): GatewayError {
  return new GatewayError(
    'upstream',
    `The response was attempted ${maxAttempts} times, and no attempt stored its end.`,
  );
}

function divergedError(): GatewayError {
  return new GatewayError(
    'upstream',
    'The response was interrupted, and its retry differed from the events that were already sent.',
  );
}

/** A sink for a background response, which has no client. It discards what is written. */
class JobSink implements ResponseSink {
  readonly #events = new EventEmitter();
  readonly writableNeedDrain = false;
  readonly writableLength = 0;
  headersSent = false;
  destroyed = false;
  statusCode = 200;

  on(event: 'drain' | 'close', listener: () => void): void {
    this.#events.on(event, listener);
  }

  setHeader(): void {}

  writeHead(status: number): void {
    this.headersSent = true;
    this.statusCode = status;
  }

  write(): void {}

  /** Emits `close` in a later turn of the event loop, as a socket does. */
  end(): void {
    setImmediate(() => this.#close());
  }

  destroy(): void {
    this.#close();
  }

  #close(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.#events.emit('close');
  }
}

/** Runs queued background responses, each as an ordinary call. */
export class Runner {
  readonly #services: ResponseServices;
  readonly #ingress: () => Ingress;
  /** Functions that abort the responses that run in this process, by response key. */
  readonly #running = new Map<string, () => void>();

  constructor(services: ResponseServices, ingress: () => Ingress) {
    this.#services = services;
    this.#ingress = ingress;
  }

  /** Aborts a response if it runs in this process. */
  cancel(key: string): void {
    this.#running.get(key)?.();
  }

  /**
   * Reads a turn within the share of memory of its project's background responses. The attempt reserves what it holds of the
   * turn for the token.
   */
  async #read(project: string, id: string): Promise<StoredTurn | undefined | 'no room'> {
    const { store, places, bodyBytes } = this.#services;
    const owner = `background ${project}`;
    const share = this.#ingress().parts.held.share(owner);
    const reads = new RequestReads(places, { tokenId: owner, share, signal: undefined, bodyBytes });
    try {
      return await store.through(reads).get(project, id);
    } catch (error) {
      if (error instanceof GatewayError && error.details.share) return 'no room';
      throw error;
    } finally {
      reads.release();
    }
  }

  async run({ text, signal }: Job): Promise<JobEnd> {
    const { project, id } = JSON.parse(text) as { project: string; id: string };
    const { store } = this.#services;
    const turn = await this.#read(project, id);
    if (turn === 'no room') return 'again';
    if (!turn?.meta.background || isOver(turn)) return 'done';
    const begun = turn as BackgroundTurn;
    const { attempts } = begun.meta.background;
    attempts.push({ at: store.clock.now() });
    begun.response = withStatus(begun.response, 'in_progress');
    try {
      begun.revision = await store.put(project, begun, begun.revision);
      return await new Attempt(this.#services, project, begun).run(this.#ingress(), signal, this.#running);
    } catch (error) {
      // The response was cancelled, or another process runs it.
      if (error instanceof RevisionConflictError) return 'left';
      throw error;
    }
  }
}
