import { randomUUIDv7 } from 'node:crypto';
import type { Token } from '@model-gateway/access';
import type { ClientFormat, ErrorKind, LoggedRequest, LoggedText } from '@model-gateway/canonical';
import { type Logging, usualMaxBytes, usualRetentionDays } from '@model-gateway/catalog';
import type { Clock } from '@model-gateway/clock';
import type { Framing } from '@model-gateway/formats/client';
import { nextTurn } from '@model-gateway/service';
import type { ResponseSink } from '../answer/response-sink.ts';
import type { ReceivedForm } from '../form/received.ts';
import {
  beginning,
  type Capture,
  JsonExcerpt,
  OmittedBody,
  type Redactor,
  type TakeRoom,
  TextExcerpt,
} from './excerpt.ts';
import { bytesOf, LoggedSink } from './logged-sink.ts';
import { StreamText } from './stream-text.ts';

/** Bytes beyond the most that are stored: what begins before the cut is redacted as a whole. */
const marginBytes = 4_096;

/** A request that is logged. */
export interface LoggedFacts {
  token: Token;
  requestId: string;
  format: ClientFormat;
  logging: Logging;
}

/** The body of a logged request. */
interface LoggedBody {
  body: Buffer | ReceivedForm;
  /** The secret of the client's token, if it is known. */
  secret?: string | undefined;
}

/** The end of a logged request. */
export interface LoggedEnd {
  status: number;
  error: ErrorKind | undefined;
}

/** Captures the texts of one request and of its answer. */
export class RequestLog {
  readonly #facts: LoggedFacts;
  readonly #clock: Clock;
  readonly #take: TakeRoom;
  readonly #most: number;
  readonly #at: number;
  readonly #request: { capture: Capture; bytes: number };
  readonly #response: { capture: Capture; bytes: number };
  #secret: string | undefined;
  /** The model that the client asked for. */
  model = '';
  /** The response, once something was to be written. */
  #sink: ResponseSink | undefined;
  readonly #closed = Promise.withResolvers<void>();
  /** True if the response is captured before it is framed. */
  #isFramed = false;

  constructor(facts: LoggedFacts, clock: Clock, take: TakeRoom) {
    this.#facts = facts;
    this.#clock = clock;
    this.#at = clock.now();
    this.#take = take;
    this.#most = facts.logging.maxBytes ?? usualMaxBytes;
    this.#request = { capture: new JsonExcerpt(this.#room, take), bytes: 0 };
    this.#response = { capture: new JsonExcerpt(this.#room, take), bytes: 0 };
  }

  get #room(): number {
    return this.#most + marginBytes;
  }

  /** Captures the body of the request; of a form its fields, and the names and sizes of its files. */
  read({ body, secret }: LoggedBody): void {
    this.#secret = secret;
    const text = Buffer.isBuffer(body) ? body : body.text();
    this.#request.bytes = text.length;
    this.#request.capture.add(text);
  }

  /** Returns the destination for a response that is captured on its way to `sink`. */
  through(sink: ResponseSink): ResponseSink {
    this.#sink = sink;
    return new LoggedSink(sink, {
      closed: () => this.close(),
      head: mediaType => {
        if (!this.#isFramed) this.#response.capture = this.#captureOf(mediaType);
      },
      body: bytes => {
        this.#response.bytes += bytes.length;
        if (!this.#isFramed) this.#response.capture.add(bytes);
      },
    });
  }

  /** Returns a framing whose events are captured before they are encoded in another way. */
  beforeFraming(framing: () => Framing): () => Framing {
    return () => {
      const inner = framing();
      const capture = new StreamText(this.#room, this.#take);
      this.#isFramed = true;
      this.#response.capture = capture;
      return {
        mediaType: inner.mediaType,
        write(sse) {
          capture.add(bytesOf(sse));
          return inner.write(sse);
        },
        end: () => inner.end(),
      };
    };
  }

  /** Resolves when the response is complete, or its client is gone. A stored response is written after the request has ended. */
  async closed(): Promise<void> {
    if (this.#sink && !this.#sink.destroyed) await this.#closed.promise;
  }

  /** Ends the wait for the rest of the response. */
  close(): void {
    this.#closed.resolve();
  }

  /** Redacts the texts, and returns what is stored. */
  async end(redactor: Redactor, { status, error }: LoggedEnd): Promise<LoggedRequest> {
    const { token, requestId, format, logging } = this.#facts;
    const ms = this.#clock.now() - this.#at;
    const request = await this.#text(this.#request, redactor);
    const response = await this.#text(this.#response, redactor);
    return {
      ...{ id: randomUUIDv7(), requestId, at: this.#at, ms, format, model: this.model },
      ...{ tokenId: token.id, project: token.project, ...(token.owner && { owner: token.owner }) },
      ...{ status, outcome: outcomeOf(error), ...(error && { error }), request, response },
      retentionDays: logging.retentionDays ?? usualRetentionDays,
    };
  }

  async #text(
    { capture, bytes }: { capture: Capture; bytes: number },
    redactor: Redactor,
  ): Promise<LoggedText> {
    const kept = capture.end();
    const turn = () => nextTurn(kept.text.length, this.#facts.token.id);
    await turn();
    const redacted = Buffer.from(await redactor.redact(kept.text, capture.isJson, turn, this.#secret));
    const text = beginning(redacted, this.#most);
    return { text, bytes, cut: kept.cut || redacted.length > this.#most };
  }

  #captureOf(mediaType: string): Capture {
    if (/^text\/event-stream\b/i.test(mediaType)) return new StreamText(this.#room, this.#take);
    if (/\bjson\b/i.test(mediaType)) return new JsonExcerpt(this.#room, this.#take);
    if (/^text\//i.test(mediaType)) return new TextExcerpt(this.#room, this.#take);
    return new OmittedBody(mediaType);
  }
}

function outcomeOf(error: ErrorKind | undefined): LoggedRequest['outcome'] {
  if (!error) return 'answered';
  return error === 'cancelled' ? 'cancelled' : 'failed';
}
