import type { FinishEvent, GenerateEvent, Usage } from '@model-gateway/canonical';
import { EventReader, splitEvents, sseEvent } from '@model-gateway/sse';
import { answerFailure } from '../upstream/decode-openai-failure.ts';
import type { Decoder } from '../upstream/dialect.ts';
import { TranslatedEvents } from '../upstream/event-stream.ts';
import { finishReason } from '../upstream/finish-reason.ts';
import { editEvent, withoutError } from '../upstream/loose-events.ts';
import { errorEvents, malformed } from '../upstream/malformed.ts';
import { PassedEvents, type PassedReader } from '../upstream/passed-events.ts';
import { eventObject, parseObject, type StreamEvent, TextEvents } from '../upstream/read-json.ts';
import { verbatimBody, WholeBody } from '../upstream/whole-body.ts';
import { type ChatChunk, chatDone } from './answer.ts';
import {
  asChunk,
  Chunks,
  type ChunksOptions,
  errorIn,
  isObject,
  moveContent,
  onlyText,
  type ReadFields,
  refuseLost,
  throwFailed,
  throwUnended,
} from './decode-chunks.ts';
import { AnswerChoices, type ChoicesOptions, reasonless, translation } from './decode-parts.ts';
import { isUsageOnly, readUsage } from './usage.ts';

export { decodeFailure } from '../upstream/decode-openai-failure.ts';

/** The form of the decoded response: the upstream's bytes, or parts. */
export type StreamOutput =
  /**
   * Without `showUsage`, the chunk that holds only usage is not sent to the client. `wantsOne`: true if one choice is requested; if absent,
   * it is not known.
   */
  { showUsage: boolean; wantsOne?: () => boolean } | ChoicesOptions;

export function decodeStream(output: StreamOutput, readFields: ReadFields = eventObject): Decoder {
  if (!('seed' in output)) return new PassedEvents(new PassedChunks({ readFields, ...output }));
  const { choices = 1 } = output;
  const chunks = new Chunks({ readFields, choices, wantsOne: () => choices === 1 });
  return new TranslatedEvents(chunks, translation(output, chunks));
}

/** Decodes a stream that was sent in place of a whole response. */
export function decodeEvents(options: ChoicesOptions, readFields: ReadFields = eventObject): Decoder {
  return decodeStream(options, event => {
    const fields = readFields(event);
    if (Array.isArray(fields?.choices)) refuseLost(fields.choices, 'a stream instead of a complete response');
    return fields;
  });
}

type Fields = Record<string, unknown>;

interface PassedOptions extends ChunksOptions {
  showUsage: boolean;
}

/** Reads a stream that is passed on. */
class PassedChunks extends Chunks implements PassedReader<ChatChunk> {
  readonly mark = sseEvent(chatDone);
  readonly #showUsage: boolean;
  readonly #isOwn: boolean;
  /** True if a chunk was read that must not be sent to the client. */
  #hide = false;
  /** Set if chunks of text need not be parsed. */
  readonly #texts: TextEvents | undefined;

  constructor(options: PassedOptions) {
    super(options);
    this.#showUsage = options.showUsage;
    this.#isOwn = options.readFields === eventObject;
    if (this.#isOwn) this.#texts = new TextEvents();
  }

  readTexts(whole: Buffer): boolean {
    return this.addText(this.#texts?.charactersIn(whole));
  }

  override read(event: StreamEvent, whole: Buffer): ChatChunk | undefined {
    if (this.addText(this.#texts?.charactersOf(event))) return undefined;
    const chunk = this.note(event);
    this.#hide ||= !this.#showUsage && isUsageOnly(chunk);
    if (this.differs) this.#edit(event, chunk);
    else this.#texts?.learn(event, chunk, 'content', onlyText, whole);
    return chunk;
  }

  /** Edits a chunk as clients of the format read it. */
  #edit(event: StreamEvent, { choices }: ChatChunk): void {
    editEvent(
      event,
      new Map([...withoutError, ...(this.#isOwn ? [['choices', JSON.stringify(choices)] as const] : [])]),
    );
  }

  passed(whole: Buffer): Buffer {
    const passed = this.#hide ? withoutUsage(whole) : whole;
    this.#hide = false;
    return passed;
  }

  finish(): FinishEvent {
    return finish(this.reason, this.usage);
  }
}

/** Passes a non-streamed response on byte for byte, after it was received and validated. */
export class WholeDecoder extends WholeBody {
  protected decode(bytes: Buffer): GenerateEvent[] {
    const body = parseObject(bytes.toString('utf8'));
    const end = readEnding(body);
    return [verbatimBody(this.filled(bytes, body ?? {}), body), end];
  }

  /** Returns the bytes with the fields that clients read and that the response lacks. */
  protected filled(bytes: Buffer, _fields: Fields): Buffer {
    return bytes;
  }
}

/** Reads how a non-streamed response ended. @throws GatewayError for an invalid or failed response */
function readEnding(fields: Fields | undefined): FinishEvent {
  const error = errorIn(fields);
  if (error) throw answerFailure(error);
  const { choices, usage, service_tier: tier } = asChunk(fields, 'answer');
  choices?.forEach(throwFailed);
  const [first] = choices ?? [];
  if (!first) throw malformed('answer', 'choices: is empty');
  choices?.forEach(throwUnended);
  return finish(first.finish_reason || null, usage ? readUsage(usage, tier) : null, 'stop');
}

/** Decodes a JSON body that was returned instead of a stream; undefined if it is not a response. */
export function decodeBody(
  body: Buffer,
  options: ChoicesOptions,
  readFields: (text: string) => Fields | undefined = parseObject,
): GenerateEvent[] | undefined {
  const fields = readFields(body.toString('utf8'));
  if (!fields || errorIn(fields) || !Array.isArray(fields.choices) || fields.choices.length === 0)
    return undefined;
  try {
    refuseLost(fields.choices, 'a complete response instead of a stream');
    const choices = fields.choices.map(choice =>
      isObject(choice) ? { ...choice, delta: choice.message ?? choice.delta } : choice,
    );
    moveContent(choices);
    const chunk = asChunk({ ...fields, choices });
    chunk.choices?.forEach(throwFailed);
    chunk.choices?.forEach(throwUnended);
    const answer = new AnswerChoices(options);
    return [
      ...answer.add(chunk),
      ...answer.end(chunk.usage ? readUsage(chunk.usage, chunk.service_tier) : null, 'stop'),
    ];
  } catch (thrown) {
    return errorEvents(thrown);
  }
}

/** `otherwise` is the reason of a response that has none. */
function finish(raw: string | null, usage: Usage | null, otherwise = reasonless(usage)): FinishEvent {
  return { type: 'finish', reason: raw ? finishReason(raw) : otherwise, raw, usage };
}

function withoutUsage(whole: Buffer): Buffer {
  const reader = new EventReader();
  const kept = splitEvents(whole.toString('utf8')).filter(event => {
    const chunk: ChatChunk | undefined = parseObject(reader.read(Buffer.from(event))[0]?.data ?? '');
    return !(chunk && isUsageOnly(chunk));
  });
  return Buffer.from(kept.join(''));
}
