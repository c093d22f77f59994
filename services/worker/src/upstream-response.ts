import {
  GatewayError,
  type GenerateEvent,
  hiddenIn,
  toErrorEvent,
  type Usage,
} from '@model-gateway/canonical';
import type { Decoder } from '@model-gateway/formats/upstream';
import { readFailureBody, WholeBody } from '@model-gateway/formats/upstream';
import { stepBytes, withoutByteOrderMark } from '@model-gateway/json';
import type { Connection } from '@model-gateway/providers';
import { nextTurn } from '@model-gateway/service';
import { Pieces } from '@model-gateway/sse';
import type { AnswerReservation } from './answer-budget.ts';
import type { Awaited } from './attempt-timers.ts';
import { type BodyForm, bodyForm, type Decompressor, decompressorOf, maxFormBytes } from './body-form.ts';
import { type Decoded, type DecodeTask, decodeTask, maxEvents, unreadable } from './decoding.ts';
import { type ExchangeOptions, eventStream, maxFailure, maxWhole, streamTypes } from './exchange.ts';

/** The most bytes of an error body that a provider explains. */
const maxExplained = 8 * 1024;

type ResponseHeaders = Record<string, string | string[] | undefined>;

const none: GenerateEvent[] = [];

/** A response of an upstream, from its status on, decoded as it arrives. */
export class UpstreamResponse {
  readonly #options: ExchangeOptions;
  readonly #status: number;
  readonly #headers: ResponseHeaders;
  /** Absent for a body that is collected before it is decoded: a whole answer in place of a stream, a failure, or one of unknown form. */
  #decoder: Decoder | undefined;
  #collected: Pieces | undefined;
  /** True if the answer is whole, and so bounded in size. */
  #isWhole: boolean;
  /** True until the first bytes of an answer tell its form. */
  #isUnknown: boolean;
  /** Null for a body that is not compressed; undefined before the first bytes. */
  #decompressor: Decompressor | null | undefined;
  readonly #turn = () => nextTurn(undefined, this.#options.envelope.token.id);
  readonly #memory: AnswerReservation | undefined;
  #size = 0;
  #abandoned = false;
  /** The time of the first text by the monotonic clock; undefined before it. */
  textAt: number | undefined;

  constructor(options: ExchangeOptions, status: number, headers: ResponseHeaders) {
    this.#options = options;
    this.#status = status;
    this.#headers = headers;
    const isAnswer = status < 300;
    const { asksStream, envelope, upstream, input, answers } = options;
    const { dialect } = upstream;
    this.#isUnknown =
      isAnswer && (asksStream ? streamTypes(dialect).includes(eventStream) : Boolean(dialect.decodeEvents));
    if (isAnswer && !this.#isUnknown && !asksStream) this.#decoder = this.#wholeDecoder();
    // A label of a binary stream is true.
    const label = asksStream ? this.#streamType : undefined;
    if (isAnswer && label && label !== eventStream) {
      this.#decoder = dialect.decodeStream(input);
      this.#isUnknown = false;
    }
    if (!this.#decoder) this.#collected = new Pieces();
    this.#isWhole = this.#decoder ? !options.streamsOn : isAnswer;
    this.#memory = answers?.open({ provider: upstream.provider, token: envelope.token.id });
  }

  /** The media type of a stream that the answer is labelled with. */
  get #streamType(): string | undefined {
    const { mediaType } = this.#form;
    return streamTypes(this.#options.upstream.dialect).find(type => mediaType.toLowerCase().includes(type));
  }

  #wholeDecoder(): Decoder {
    const { upstream, input } = this.#options;
    const { mediaType, length } = this.#form;
    return upstream.dialect.decodeWhole(input, mediaType, length);
  }

  get #form(): NonNullable<DecodeTask['response']> {
    const {
      'content-type': mediaType,
      'content-length': length,
      'content-encoding': encoding,
    } = this.#headers;
    const isLength = length !== undefined && encoding === undefined;
    return { mediaType: String(mediaType ?? ''), length: isLength ? Number(length) : undefined };
  }

  get status(): number {
    return this.#status;
  }

  /** The message of the error that the upstream answered; undefined if it has none of a known shape. */
  get said(): string | undefined {
    if (this.#isWhole || !this.#collected) return undefined;
    return readFailureBody(this.#collected.first(maxFailure)).message;
  }

  /** True if the response has the form of an answer that was asked for, or may have it. */
  get asRequested(): boolean {
    return this.#decoder !== undefined || this.#isUnknown;
  }

  /** True if the response is a whole body in place of a stream. */
  get replacesStream(): boolean {
    return this.#collected !== undefined && this.#isWhole && !this.#isUnknown;
  }

  /** True if only the end mark of the answer may be missing. */
  get complete(): boolean {
    return this.#decoder?.complete === true;
  }

  /** The part of the answer that it waits for. */
  get awaits(): Awaited {
    if (!this.complete) return 'data';
    return this.#decoder?.mayGoOn ? 'more' : 'mark';
  }

  /** True if the decoder ended the answer before the upstream did. */
  get cut(): boolean {
    return this.#decoder?.cut === true;
  }

  /** The usage that the upstream has reported so far. */
  get usage(): Usage | null {
    return this.#decoder?.usage ?? null;
  }

  /** Characters of text received so far. */
  get characters(): number {
    return this.#decoder?.characters ?? 0;
  }

  /** True for a failure of which as much was read as is used. */
  get isReadFailure(): boolean {
    return this.#collected !== undefined && !this.#isWhole && this.#size >= maxFailure;
  }

  /**
   * Decodes a chunk; a large event is parsed in steps, and a compressed chunk later: the promise resolves to its events.
   * @throws GatewayError of kind `overloaded` if too many answers are held
   */
  read(chunk: Buffer): GenerateEvent[] | Promise<GenerateEvent[]> {
    if (this.#decompressor === undefined)
      this.#decompressor = decompressorOf(this.#headers['content-encoding'], chunk);
    return this.#decompressor ? this.#readPieces(this.#decompressor.add(chunk)) : this.#read(chunk);
  }

  /** Decodes the pieces of a decompressed body. */
  async #readPieces(pieces: AsyncIterable<Buffer>): Promise<GenerateEvent[]> {
    const events: GenerateEvent[] = [];
    try {
      for await (const piece of pieces) {
        for (const event of await this.#read(piece)) events.push(event);
        if (this.#abandoned || this.isReadFailure || isOver(events)) break;
      }
    } catch (thrown) {
      if (!(thrown instanceof GatewayError) || thrown.kind !== 'upstream') throw thrown;
      // The status tells enough of a failure.
      if (this.#isWhole || this.#decoder) events.push(toErrorEvent(thrown));
    }
    return events;
  }

  #read(chunk: Buffer): GenerateEvent[] | Promise<GenerateEvent[]> {
    this.#size += chunk.length;
    // A stream that is passed on as a whole answer is translated.
    if (this.#isWhole && this.#size > (this.#options.asksStream ? maxEvents : maxWhole))
      return [toErrorEvent(tooLarge())];
    if (this.#isWhole) this.#memory?.hold(this.#size);
    if (!this.#collected) return this.#decode(chunk);
    this.#collected.add(chunk);
    return this.#isUnknown ? this.#decide(bodyForm(this.#collected.first(maxFormBytes))) : none;
  }

  #decode(bytes: Buffer): GenerateEvent[] | Promise<GenerateEvent[]> {
    const events = this.#decoder?.readInSteps?.(bytes, this.#turn) ?? this.#decoder?.read(bytes) ?? none;
    if (!this.#isWhole) this.#memory?.hold(this.#decoder?.held ?? 0);
    if (this.textAt === undefined && this.characters > 0) this.textAt = this.#options.clock.monotonic();
    return events instanceof Promise ? events : this.#withHidden(events);
  }

  /** Chooses the decoder by the form of the first bytes, whatever their label says, and decodes them. */
  #decide(form: BodyForm | undefined): GenerateEvent[] | Promise<GenerateEvent[]> {
    if (!form || !this.#collected) return none;
    const { asksStream, streamsOn, upstream, input } = this.#options;
    const { dialect } = upstream;
    this.#isUnknown = false;
    const bytes = withoutByteOrderMark(this.#collected.take());
    const isStream = form === 'events' || (form === 'other' && asksStream && this.#streamType !== undefined);
    if (asksStream) this.#decoder = isStream ? dialect.decodeStream(input) : undefined;
    else this.#decoder = (isStream ? dialect.decodeEvents?.(input) : undefined) ?? this.#wholeDecoder();
    if (this.#decoder) {
      this.#collected = undefined;
      this.#isWhole = !streamsOn;
      return this.#decode(bytes);
    }
    this.#collected.add(bytes);
    return none;
  }

  /** Returns the last events of a complete answer that is not waited for any longer. */
  endNow(): GenerateEvent[] {
    return this.#withHidden(this.#decoder?.end() ?? none);
  }

  /** Notes in the usage of an answer which part of its reasoning it did not show. */
  #withHidden(events: GenerateEvent[]): GenerateEvent[] {
    const last = events.at(-1);
    if (last?.type === 'finish' && last.usage && last.usage.reasoning > 0)
      last.usage = { ...last.usage, hidden: hiddenIn(last.usage, this.characters) };
    return events;
  }

  /** Returns the last events of a response that has ended; undefined if it is an error: see `failure`. */
  async end(): Promise<GenerateEvent[] | undefined> {
    const pieces = this.#decompressor?.end();
    const events = pieces ? await this.#readPieces(pieces) : [];
    if (this.#isUnknown && !isOver(events)) events.push(...(await this.#decide('other')));
    if (isOver(events)) return events;
    const last = await this.#end();
    return last && [...events, ...last];
  }

  async #end(): Promise<GenerateEvent[] | undefined> {
    const { upstream, input } = this.#options;
    if (this.#decoder instanceof WholeBody) {
      const apart = await this.#decodeApart(this.#decoder.pieces, this.#form);
      if (this.#abandoned || apart) return apart?.events ?? none;
    }
    if (!this.#collected) return this.#decoder?.endInSteps?.(this.#turn) ?? this.endNow();
    if (!this.#isWhole) return undefined;
    const apart = await this.#decodeApart(this.#collected);
    if (apart || this.#abandoned) return apart?.events;
    return upstream.dialect.decodeBody(this.#collected.whole(), input);
  }

  /** Returns the error that the upstream answered. */
  failure(): GatewayError {
    const { upstream, input, clock } = this.#options;
    const { provider, dialect, connection } = upstream;
    // Without a `date` header, times in other headers are relative to now.
    const headers = { date: new Date(clock.now()).toUTCString(), ...this.#headers };
    const body = this.#collected?.first(maxFailure) ?? Buffer.alloc(0);
    const failure = dialect.decodeFailure({ provider, status: this.#status, headers, body });
    return explained(failure, connection, { status: this.#status, model: input.model, body });
  }

  /** Leaves the response undecoded if it still waits to be decoded, and frees its memory. */
  abandon(): void {
    this.#abandoned = true;
    this.#decompressor?.close();
    this.#memory?.release();
  }

  /** Decodes a large whole answer in a thread; undefined for a small one. */
  async #decodeApart(
    body: Pick<Pieces, 'length' | 'copy'>,
    form?: DecodeTask['response'],
  ): Promise<Decoded | undefined> {
    const { envelope, decoding, upstream, input } = this.#options;
    if (!decoding || body.length <= stepBytes) return undefined;
    const decoded = await decoding.decode(envelope.token.id, () =>
      this.#abandoned ? undefined : decodeTask(upstream.dialect.format, input, body.copy(), form),
    );
    // What the thread could not decode would block the event loop, too.
    return decoded ?? { events: [toErrorEvent(unreadable())] };
  }
}

/** Returns an upstream's error, in the provider's words if a setting of the provider is the reason for it. */
export function explained(
  failure: GatewayError,
  connection: Connection,
  { status, model, body }: { status: number; model: string; body: Buffer },
): GatewayError {
  const advice = connection.explain?.({ status, model, text: body.toString('utf8', 0, maxExplained) });
  if (!advice) return failure;
  // The upstream's own words are not the cause: a log would have them with what they repeat.
  const { param: _param, ...details } = failure.details;
  return new GatewayError(advice.kind, advice.message, details);
}

function tooLarge(): GatewayError {
  return new GatewayError('upstream', 'The upstream sent a response that is too large.');
}

/** True if the last of the events ends the answer. */
function isOver(events: readonly GenerateEvent[]): boolean {
  const last = events.at(-1)?.type;
  return last === 'finish' || last === 'error';
}
