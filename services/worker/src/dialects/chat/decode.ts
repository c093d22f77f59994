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
import { asItCame, WholeBody } from '../whole-body.ts';
import { AnswerChoices, type ChoicesOptions, finishReason, readUsage } from './decode-choices.ts';

export { decodeFailure } from '../decode-openai-failure.ts';

/** How an answer is given: as the upstream's own bytes, or in parts. */
export type StreamTarget =
  /** Without `showUsage`, the chunk that has nothing but the usage is kept from the client. */
  { showUsage: boolean } | ChoicesOptions;

/** Reads a chunk's JSON; undefined for what is no object. */
type ReadChunk = (event: StreamEvent) => ChatChunk | undefined;

/** Looks at each chunk of a stream once, and gives on its bytes or what it means. */
export class StreamDecoder implements Decoder {
  readonly #source = new StreamEvents();
  readonly #readChunk: ReadChunk;
  readonly #showUsage: boolean;
  /** Undefined where the bytes are passed on. */
  readonly #answer: AnswerChoices | undefined;
  /** How many choices the answer has, as far as is known before they begin. */
  readonly #expected: number;
  readonly #choices = new Set<number>();
  readonly #finished = new Set<number>();
  #heard = false;
  #reason: string | null = null;
  #usage: Usage | null = null;
  #characters = 0;
  /** Whether the read at hand holds a chunk that the client must not see. */
  #hide = false;
  #over = false;

  constructor(target: StreamTarget, readChunk: ReadChunk = eventObject) {
    this.#readChunk = readChunk;
    const parts = 'seed' in target;
    this.#showUsage = parts || target.showUsage;
    this.#answer = parts ? new AnswerChoices(target) : undefined;
    this.#expected = (parts && target.choices) || 1;
  }

  /** Every choice has ended. */
  get complete(): boolean {
    return this.#allEnded && this.#finished.size >= this.#expected;
  }

  get usage(): Usage | null {
    return this.#usage;
  }

  get characters(): number {
    return this.#characters;
  }

  /** Every choice that began has ended: an upstream may give fewer than it was asked for. */
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

  /** The bytes of events that are whole now; where there are none, what that means. */
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
    // The answer is whole: only its end mark is missing.
    const mark = this.#answer ? [] : verbatim(Buffer.from(`data: ${chatDone}\n\n`));
    try {
      return [...mark, ...this.#finish()];
    } catch (thrown) {
      return this.#fail(asGatewayError(thrown));
    }
  }

  #events(whole: Buffer): GenerateEvent[] {
    const events: GenerateEvent[] = [];
    let good = 0;
    try {
      const read = this.#source.read(whole);
      // Comments before the first event are no answer: another upstream may still be asked.
      this.#heard ||= read.length > 0;
      if (!this.#heard) return [];
      for (const event of read) {
        events.push(...this.#look(event));
        good++;
        if (this.#over) break;
      }
      if (this.#answer) return this.#over ? [...events, ...this.#finish()] : events;
    } catch (thrown) {
      const shown = this.#answer ? events : verbatim(firstEvents(whole, good));
      return [...shown, ...this.#fail(asGatewayError(thrown))];
    }
    const shown = this.#hide ? withoutUsage(whole) : whole;
    this.#hide = false;
    return this.#over ? [...verbatim(shown), ...this.#finish()] : verbatim(shown);
  }

  /** What one event means, where that is asked for. @throws GatewayError for what is wrong with it */
  #look(given: StreamEvent): GenerateEvent[] {
    if (given.data === chatDone) {
      if (!this.#allEnded) throw cutOff();
      this.#over = true;
      return [];
    }
    const chunk = this.#readChunk(given);
    if (!chunk) throw new GatewayError('upstream', 'The upstream sent a malformed event.');
    const error = errorIn(chunk) ?? (given.event === 'error' ? chunk : undefined);
    if (error) throw answerFailure(error);
    if (chunk.usage) this.#usage = readUsage(chunk.usage);
    this.#hide ||= !this.#showUsage && isUsageOnly(chunk);
    this.#note(chunk);
    return this.#answer?.add(chunk) ?? [];
  }

  /** Takes note of the choices that end. */
  #note({ choices }: ChatChunk): void {
    for (const given of choices ?? []) {
      const { index, delta, finish_reason: reason } = given;
      const choice = index ?? 0;
      if (delta) this.#characters += charactersOf(delta);
      if (this.#answer?.has(choice) === false) continue;
      throwFailed(given);
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

/** Passes a whole answer on byte for byte, once all of it is here and found to be one. */
export class WholeDecoder extends WholeBody {
  protected decode(bytes: Buffer): GenerateEvent[] {
    try {
      const ending = readEnding(parseObject(bytes.toString('utf8')));
      return [asItCame(bytes), ending];
    } catch (thrown) {
      return [toErrorEvent(asGatewayError(thrown, 'answer'))];
    }
  }
}

/** How a whole answer ended. @throws GatewayError for what is none, or failed */
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

/** The events of a whole answer that came where a stream was asked for; undefined for what is no answer. */
export function decodeBody(
  body: Buffer,
  options: ChoicesOptions,
  readAnswer: (text: string) => WholeAnswer | undefined = parseObject,
): GenerateEvent[] | undefined {
  const answer = readAnswer(body.toString('utf8'));
  if (!answer || errorIn(answer) || !Array.isArray(answer.choices) || answer.choices.length === 0)
    return undefined;
  try {
    // Parts have no place for these: without them, the answer would not be what was asked for.
    if (answer.choices.some(({ logprobs, message }) => logprobs || message?.audio))
      throw new GatewayError('upstream', 'The upstream answered whole where a stream was asked for.');
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

/** Anything but an error of the gateway's own comes of a chunk whose fields have the wrong types. */
function asGatewayError(cause: unknown, what = 'event'): GatewayError {
  if (cause instanceof GatewayError) return cause;
  return new GatewayError('upstream', `The upstream sent a malformed ${what}.`, {}, { cause });
}

function verbatim(bytes: Buffer): GenerateEvent[] {
  return bytes.length === 0 ? [] : [{ type: 'verbatim', bytes }];
}

/** How much a delta adds to the text of an answer, for whoever must guess at its tokens. */
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
