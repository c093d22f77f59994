import {
  type FinishEvent,
  GatewayError,
  type GenerateEvent,
  type Turn,
  toErrorEvent,
  type Usage,
} from '@model-gateway/canonical';
import { EventReader, splitEvents } from '@model-gateway/sse';
import { type ChatChunk, type ChatChunkChoice, type ChatDelta, chatDone } from '@model-gateway/wire';
import { answerFailure, errorIn, throwFailed } from '../decode-openai-failure.ts';
import type { Decoder } from '../dialect.ts';
import { firstEvents } from '../first-events.ts';
import { parseObject, unreadable } from '../read-json.ts';
import { eventObject, type StreamEvent, StreamEvents } from '../stream-events.ts';
import { verbatimBody, WholeBody } from '../whole-body.ts';
import { AnswerChoices, type ChoicesOptions, finishReason, readUsage } from './decode-choices.ts';

export { decodeFailure } from '../decode-openai-failure.ts';

/** The form of the decoded response: the upstream's bytes, or parts. */
export type StreamTarget =
  /** Without `showUsage`, the chunk that holds only usage is not sent to the client. */
  { showUsage: boolean } | ChoicesOptions;

/** Parses a chunk; returns undefined if it is not a JSON object. */
type ReadChunk = (event: StreamEvent) => ChatChunk | undefined;

/** Parses each chunk of a stream once, and passes on its bytes or its events. */
export class StreamDecoder implements Decoder {
  readonly #source = new StreamEvents();
  readonly #readChunk: ReadChunk;
  readonly #showUsage: boolean;
  /** Undefined if the bytes are passed on. */
  readonly #answer: AnswerChoices | undefined;
  /** Number of choices that are expected before any was received. */
  readonly #expected: number;
  readonly #choices = new Set<number>();
  readonly #finished = new Set<number>();
  #sawEvent = false;
  #reason: string | null = null;
  #usage: Usage | null = null;
  #characters = 0;
  /** True if the current read holds a chunk that must not be sent to the client. */
  #hide = false;
  #over = false;

  constructor(target: StreamTarget, readChunk: ReadChunk = eventObject) {
    this.#readChunk = readChunk;
    const parts = 'seed' in target;
    this.#showUsage = parts || target.showUsage;
    this.#answer = parts ? new AnswerChoices(target) : undefined;
    this.#expected = (parts && target.choices) || 1;
  }

  /** True if every expected choice has ended. */
  get complete(): boolean {
    return this.#allEnded && this.#finished.size >= this.#expected;
  }

  get usage(): Usage | null {
    return this.#usage;
  }

  get characters(): number {
    return this.#characters;
  }

  /** True if every received choice has ended. An upstream may send fewer than requested. */
  get #allEnded(): boolean {
    return this.#finished.size > 0 && this.#finished.size === this.#choices.size && !this.#source.unfinished;
  }

  read(bytes: Buffer): GenerateEvent[] {
    const whole = this.#whole(bytes);
    return Buffer.isBuffer(whole) ? this.#events(whole) : whole;
  }

  readInSteps(bytes: Buffer, turn: Turn): GenerateEvent[] | Promise<GenerateEvent[]> {
    const whole = this.#whole(bytes);
    return Buffer.isBuffer(whole) ? this.#source.decode(whole, turn, () => this.#events(whole)) : whole;
  }

  /** Returns the bytes of complete events; if there are none, the resulting events. */
  #whole(bytes: Buffer): Buffer | GenerateEvent[] {
    if (this.#over) return [];
    try {
      const whole = this.#source.push(bytes);
      return whole.length === 0 ? [] : whole;
    } catch (cause) {
      return this.#fail(unreadable(cause));
    }
  }

  end(): GenerateEvent[] {
    if (this.#over) return [];
    if (!this.#allEnded) return this.#fail(cutOff());
    // The response is complete: only its end marker is missing.
    const marker = this.#answer ? [] : verbatim(Buffer.from(`data: ${chatDone}\n\n`));
    try {
      return [...marker, ...this.#finish()];
    } catch (thrown) {
      return this.#fail(asGatewayError(thrown));
    }
  }

  #events(whole: Buffer): GenerateEvent[] {
    const events: GenerateEvent[] = [];
    let good = 0;
    try {
      const read = this.#source.read(whole);
      // Comments before the first event are not passed on, so that a retry at another upstream stays possible.
      this.#sawEvent ||= read.length > 0;
      if (!this.#sawEvent) return [];
      for (const event of read) {
        events.push(...this.#look(event));
        good++;
        if (this.#over) break;
      }
      if (this.#answer) return this.#over ? [...events, ...this.#finish()] : events;
    } catch (thrown) {
      const passed = this.#answer ? events : verbatim(firstEvents(whole, good));
      return [...passed, ...this.#fail(asGatewayError(thrown))];
    }
    const passed = this.#hide ? withoutUsage(whole) : whole;
    this.#hide = false;
    return this.#over ? [...verbatim(passed), ...this.#finish()] : verbatim(passed);
  }

  /** Records an event. Returns its parts, unless the bytes are passed on. @throws GatewayError for an invalid event */
  #look(event: StreamEvent): GenerateEvent[] {
    if (event.data === chatDone) {
      if (!this.#allEnded) throw cutOff();
      this.#over = true;
      return [];
    }
    const chunk = this.#readChunk(event);
    if (!chunk) throw new GatewayError('upstream', 'The upstream sent a malformed event.');
    const error = errorIn(chunk) ?? (event.event === 'error' ? chunk : undefined);
    if (error) throw answerFailure(error);
    if (chunk.usage) this.#usage = readUsage(chunk.usage);
    this.#hide ||= !this.#showUsage && isUsageOnly(chunk);
    this.#note(chunk);
    return this.#answer?.add(chunk) ?? [];
  }

  /** Records the choices that end. */
  #note({ choices }: ChatChunk): void {
    for (const received of choices ?? []) {
      const { index, delta, finish_reason: reason } = received;
      const choice = index ?? 0;
      if (delta) this.#characters += charactersOf(delta);
      if (this.#answer?.has(choice) === false) continue;
      throwFailed(received);
      this.#choices.add(choice);
      if (!reason) continue;
      this.#reason = reason;
      this.#finished.add(choice);
    }
  }

  #finish(): GenerateEvent[] {
    this.#over = true;
    return this.#answer?.end(this.#usage) ?? [finish(this.#reason, this.#usage)];
  }

  #fail(error: GatewayError): GenerateEvent[] {
    this.#over = true;
    return [toErrorEvent(error)];
  }
}

/** Passes a non-streamed response on byte for byte, after it was received and validated. */
export class WholeDecoder extends WholeBody {
  protected decode(bytes: Buffer): GenerateEvent[] {
    try {
      const ending = readEnding(parseObject(bytes.toString('utf8')));
      return [verbatimBody(bytes), ending];
    } catch (thrown) {
      return [toErrorEvent(asGatewayError(thrown, 'answer'))];
    }
  }
}

/** Reads how a non-streamed response ended. @throws GatewayError for an invalid or failed response */
function readEnding(answer: ChatChunk | undefined): FinishEvent {
  const error = errorIn(answer);
  if (error) throw answerFailure(error);
  const choices = Array.isArray(answer?.choices) ? answer.choices : [];
  choices.forEach(throwFailed);
  const [first] = choices;
  if (!answer || !first) throw new GatewayError('upstream', 'The upstream sent a malformed answer.');
  if (choices.some(({ finish_reason: reason }) => !reason)) throw cutOff();
  return finish(first.finish_reason ?? null, answer.usage ? readUsage(answer.usage) : null);
}

/** Decodes a JSON body that was returned instead of a stream; undefined if it is not a response. */
export function decodeBody(
  body: Buffer,
  options: ChoicesOptions,
  readAnswer: (text: string) => WholeAnswer | undefined = parseObject,
): GenerateEvent[] | undefined {
  const answer = readAnswer(body.toString('utf8'));
  if (!answer || errorIn(answer) || !Array.isArray(answer.choices) || answer.choices.length === 0)
    return undefined;
  try {
    // Parts cannot hold these, and the client has requested them.
    if (answer.choices.some(({ logprobs, message }) => logprobs || message?.audio))
      throw new GatewayError('upstream', 'The upstream sent a complete response instead of a stream.');
    answer.choices.forEach(throwFailed);
    if (answer.choices.some(({ finish_reason: reason }) => !reason)) throw cutOff();
    const choices = answer.choices.map(({ message, ...choice }) => ({ ...choice, delta: message }));
    const read = new AnswerChoices(options);
    const usage = answer.usage ? readUsage(answer.usage) : null;
    return [...read.add({ ...answer, choices }), ...read.end(usage)];
  } catch (thrown) {
    return [toErrorEvent(asGatewayError(thrown))];
  }
}

export type WholeAnswer = Omit<ChatChunk, 'choices'> & {
  choices?: (Omit<ChatChunkChoice, 'delta'> & {
    message?: (ChatDelta & { audio?: unknown }) | null;
    logprobs?: unknown;
  })[];
};

function finish(raw: string | null, usage: Usage | null): FinishEvent {
  return { type: 'finish', reason: finishReason(raw), raw, usage };
}

function cutOff(): GatewayError {
  return new GatewayError('upstream', 'The upstream ended its answer too early.');
}

/** Converts a thrown error. One that is not a GatewayError is caused by fields of the wrong type. */
function asGatewayError(cause: unknown, what = 'event'): GatewayError {
  if (cause instanceof GatewayError) return cause;
  return new GatewayError('upstream', `The upstream sent a malformed ${what}.`, {}, { cause });
}

function verbatim(bytes: Buffer): GenerateEvent[] {
  return bytes.length === 0 ? [] : [{ type: 'verbatim', bytes }];
}

/** Counts the characters of a delta, from which tokens are estimated. */
function charactersOf({ content, reasoning_content, tool_calls }: ChatDelta): number {
  let sum = length(content) + length(reasoning_content);
  if (tool_calls) for (const call of tool_calls) sum += length(call.function?.arguments);
  return sum;
}

function length(text: unknown): number {
  return typeof text === 'string' ? text.length : 0;
}

function isUsageOnly({ usage, choices }: ChatChunk): boolean {
  return Boolean(usage) && choices?.length === 0;
}

function withoutUsage(whole: Buffer): Buffer {
  const reader = new EventReader();
  const kept = splitEvents(whole.toString('utf8')).filter(event => {
    const chunk = parseObject(reader.read(Buffer.from(event))[0]?.data ?? '');
    return !(chunk && isUsageOnly(chunk));
  });
  return Buffer.from(kept.join(''));
}
