import { type FinishEvent, GatewayError, type GenerateEvent, type Usage } from '@model-gateway/canonical';
import { type Edit, spliceTopLevel } from '@model-gateway/json';
import { dataJson, sseEvent } from '@model-gateway/sse';
import { chatDone } from '../chat/answer.ts';
import { readSeconds, readUsage } from '../upstream/any-usage.ts';
import { decodeFailure, eventData } from '../upstream/decode-openai-failure.ts';
import type { Decoder, Dialect, FormInput, UpstreamRequest } from '../upstream/dialect.ts';
import { readFailure } from '../upstream/failure-body.ts';
import { editEvent, laterTotals } from '../upstream/loose-events.ts';
import { nativeForm } from '../upstream/multipart.ts';
import { PassedEvents, type PassedReader } from '../upstream/passed-events.ts';
import { eventJson, objectIn, parseObject, readJson, type StreamEvent } from '../upstream/read-json.ts';
import { malformed, verbatimBody, WholeBody } from '../upstream/whole-body.ts';
import {
  subtitles,
  type TranscriptDelta,
  type TranscriptDone,
  type TranscriptionAnswer,
  type TranscriptionUsage,
  type TranscriptSegment,
  transcriptEvents,
  transcriptionFormats,
  transcriptionUsage,
} from './types.ts';

/** The audio transcription and translation API of OpenAI and compatible providers. */
export const transcriptionsDialect: Dialect<FormInput> = {
  format: 'transcriptions',
  bodies: ['form'],
  choices: 'one',
  encode,
  decodeStream: decodeEvents,
  decodeWhole,
  decodeBody,
  decodeFailure,
};

/** Writes the client's form. Transcription has no translation from other formats. */
export function encode(input: FormInput): UpstreamRequest {
  const path = input.envelope.variant === 'translations' ? '/audio/translations' : '/audio/transcriptions';
  return { path, ...nativeForm(input) };
}

type Input = Pick<FormInput, 'form' | 'envelope'>;

/** A body that was read as a transcript. */
interface Transcript {
  answer: TranscriptionAnswer;
  /** The body, if it is the answer as JSON. */
  json?: Buffer;
  /** True if the body lacks the text of the answer. */
  lacksText?: boolean;
}

export function decodeEvents(): Decoder {
  return new PassedEvents(new TranscriptEvents());
}

export function decodeWhole(input: Input, mediaType: string): Decoder {
  return isJson(formatOf(input)) ? new JsonDecoder(input, mediaType) : new TextDecoder(input, mediaType);
}

/** Converts a response sent in place of a stream to events; undefined if the body is not a response. */
export function decodeBody(body: Buffer, input: Input): GenerateEvent[] | undefined {
  const format = formatOf(input);
  const answer = isJson(format)
    ? readTranscript(body)?.answer
    : textTranscript(body.toString('utf8'), format);
  if (!answer) return undefined;
  return [{ type: 'verbatim', bytes: Buffer.from(eventsOf(answer).join('')) }, finish(usageOf(answer))];
}

/** Passes a JSON response on, with the fields that it lacks. */
class JsonDecoder extends WholeBody {
  readonly #input: Input;
  readonly #mediaType: string;

  constructor(input: Input, mediaType: string) {
    super();
    this.#input = input;
    this.#mediaType = mediaType;
  }

  protected decode(bytes: Buffer): GenerateEvent[] {
    const transcript = readTranscript(bytes, this.#mediaType);
    if (!transcript) throw malformed(readJson(bytes.toString('utf8')));
    const { answer, json = Buffer.from(JSON.stringify(answer)) } = transcript;
    const usage = usageOf(answer);
    const edits = missing(answer, usage, this.#input);
    if (transcript.lacksText) edits.set('text', JSON.stringify(answer.text));
    const sent = edits.size > 0 ? spliceTopLevel(json, edits) : json;
    return [verbatimBody(sent), finish(usage)];
  }
}

/** Passes a text response on unchanged, with a text media type. */
class TextDecoder extends WholeBody {
  readonly #format: string;
  readonly #mediaType: string;

  constructor(input: Input, mediaType: string) {
    super();
    this.#format = formatOf(input);
    this.#mediaType = mediaType;
  }

  protected decode(bytes: Buffer): GenerateEvent[] {
    const text = bytes.toString('utf8');
    const transcript = textTranscript(text, this.#format, this.#mediaType);
    if (!transcript) throw this.#unreadable(parseObject(text));
    const mediaType = /^text\/(?!html)/i.test(this.#mediaType) ? this.#mediaType : plain;
    const sent = transcript.text === text ? bytes : Buffer.from(transcript.text);
    const whole = { status: 200, mediaType, length: sent.length };
    return [{ type: 'verbatim', bytes: sent, whole }, finish(usageOf(transcript))];
  }

  #unreadable(body: Record<string, unknown> | undefined): GatewayError {
    if (!answerIn(body)) return malformed(body);
    const message = `The upstream sent a transcript without times, of which ${this.#format} cannot be made.`;
    return new GatewayError('upstream', message);
  }
}

const plain = 'text/plain; charset=utf-8';

/** Reads a JSON response; undefined if it is not one. Some servers send the text alone. */
function readTranscript(body: Buffer, mediaType = ''): Transcript | undefined {
  const text = body.toString('utf8');
  const value = readJson(text);
  if (typeof value === 'string') return { answer: { text: value } };
  if (value === undefined) return isPlainText(text, mediaType) ? { answer: { text } } : undefined;
  const answer = answerIn(value);
  return answer && { answer, json: body, lacksText: typeof objectIn(value)?.text !== 'string' };
}

/** True for a text that is neither broken JSON nor a page. */
function isPlainText(text: string, mediaType: string): boolean {
  return text.trim() !== '' && !/^\s*[{["<]/.test(text) && !/\bjson\b|\bevent-stream\b/i.test(mediaType);
}

/** Reads a text response; undefined if it is not one. Some servers wrap the text in JSON, and whisper.cpp says it was HTML. */
function textTranscript(text: string, format: string, mediaType = ''): TranscriptionAnswer | undefined {
  if (/^text\/event-stream\b/i.test(mediaType) || isPage(text, mediaType)) return undefined;
  const body = parseObject(text);
  if (body) {
    const answer = answerIn(body);
    return answer ? asText(answer, format) : otherText(body, text, format);
  }
  const value = /\bjson\b/i.test(mediaType) ? readJson(text) : text;
  return { text: typeof value === 'string' ? value : text };
}

function isPage(text: string, mediaType: string): boolean {
  return /^text\/html\b/i.test(mediaType) && /^\s*</.test(text);
}

/** Returns a body in a format that the gateway does not know as it is, unless it is a failure. */
function otherText(body: object, text: string, format: string): TranscriptionAnswer | undefined {
  return known.has(format) || readFailure(body)?.message ? undefined : { text };
}

const known = new Set<string>(transcriptionFormats);

/** Returns a JSON response as text or subtitles; undefined if it has no times for them. */
function asText(answer: TranscriptionAnswer, format: string): TranscriptionAnswer | undefined {
  if (format !== 'srt' && format !== 'vtt') return answer;
  const text = subtitles(answer, format);
  return text === undefined ? undefined : { ...answer, text };
}

/** Returns the fields that clients read, where a response lacks them or has them in other words. */
function missing(
  { usage: raw, duration, language, task, segments }: TranscriptionAnswer,
  usage: Usage | null,
  input: Input,
): Map<string, Edit> {
  const edits = new Map<string, Edit>();
  const words = ownWords(raw, usage);
  if (raw !== undefined && words) edits.set('usage', JSON.stringify(words));
  const format = formatOf(input);
  if (format === 'verbose_json' || format === 'diarized_json') {
    const end = segments?.at(-1)?.end;
    const seconds = usage?.units?.seconds ?? input.envelope.seconds ?? end ?? 0;
    if (duration == null) edits.set('duration', JSON.stringify(seconds));
  }
  if (format === 'verbose_json' && language == null)
    edits.set('language', JSON.stringify(fieldOf(input, 'language') ?? ''));
  if (format === 'diarized_json' && task == null) edits.set('task', '"transcribe"');
  if (format === 'diarized_json' && segments == null) edits.set('segments', '[]');
  return edits;
}

/** Returns the reported usage, or the duration of the audio if there is none. */
function usageOf({ usage, duration }: TranscriptionAnswer): Usage | null {
  const seconds = Number(duration);
  return readUsage(usage) ?? (seconds > 0 ? readSeconds(seconds, { duration }) : null);
}

function eventsOf(answer: TranscriptionAnswer): string[] {
  const words = ownWords(answer.usage);
  const told = words ? { ...answer, usage: words } : answer;
  return [...transcriptEvents(told).map(event => sseEvent(dataJson(event))), sseEvent('[DONE]')];
}

/** Returns the requested format. */
function formatOf(input: Input): string {
  return fieldOf(input, 'response_format') ?? 'json';
}

/** Returns the last value of a field that is not empty. */
function fieldOf({ form }: Input, field: string): string | undefined {
  return form.fields.findLast(([name, value]) => name === field && value)?.[1];
}

function isJson(format: string): boolean {
  return format.endsWith('json');
}

/** Reads a response; undefined if it is not one. Silence has no text, and some servers send segments alone. */
function answerIn(value: unknown): TranscriptionAnswer | undefined {
  const fields = objectIn(value);
  if (!fields) return undefined;
  const { text } = fields;
  const segments = Array.isArray(fields.segments) ? fields.segments.map(objectIn) : undefined;
  const isClean = fields.segments == null || segments?.every(segment => segment !== undefined);
  const answer = isClean ? fields : { ...fields, segments: undefined };
  if (typeof text === 'string') return answer as unknown as TranscriptionAnswer;
  const isEmpty = text === null || (text === undefined && segments !== undefined);
  if (!isEmpty || readFailure(fields)?.message) return undefined;
  const texts = (segments ?? []).map(segment => segment?.text).filter(each => typeof each === 'string');
  return { ...answer, text: texts.join('').trim() } as TranscriptionAnswer;
}

function finish(usage: Usage | null): FinishEvent {
  return { type: 'finish', reason: 'stop', raw: null, usage };
}

/** Returns the usage to tell clients in place of a server's own words; undefined if those are OpenAI's, or if there is none. */
export function ownWords(raw: unknown, usage: Usage | null = readUsage(raw)): TranscriptionUsage | undefined {
  const { type, seconds, input_tokens, output_tokens, total_tokens } = objectIn(raw) ?? {};
  const isOwn =
    type === 'duration'
      ? isNumber(seconds)
      : type === 'tokens' && [input_tokens, output_tokens, total_tokens].every(isNumber);
  return isOwn || !usage ? undefined : transcriptionUsage(usage);
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}

type Fields = Record<string, unknown>;
type Written = TranscriptDelta | TranscriptSegment | TranscriptDone;

const ownDelta: TranscriptDelta['type'] = 'transcript.text.delta';
const ownDone: TranscriptDone['type'] = 'transcript.text.done';

/*
 * Events of other servers:
 * - chunks as those of chat: vLLM and SGLang
 *   (https://docs.vllm.ai/en/latest/api/vllm/entrypoints/openai/protocol/#vllm.entrypoints.openai.protocol.TranscriptionStreamResponse)
 * - `transcription.text.delta`, `transcription.segment` and `transcription.done`: Mistral
 *   (https://docs.mistral.ai/api/endpoint/audio/transcriptions)
 * - the text of each segment, as `{text}` or bare, without an end mark: Speaches
 *   (https://github.com/speaches-ai/speaches/issues/533)
 */

/** Reads a stream of transcript events and passes it on as OpenAI's, whosoever events they are. */
class TranscriptEvents implements PassedReader {
  readonly endMark = 'ends';
  #text = '';
  #usage: Fields | undefined;
  #isDone = false;
  /** True if an event of OpenAI's was read. */
  #isOwn = false;
  /** True if a text arrived in events that have no end mark. */
  #isEndless = false;
  /** True if another server's last event was read. */
  #isFinished = false;
  /** The whole text, if the last event has it. */
  #whole = '';

  get complete(): boolean {
    return this.#isDone || this.#isFinished;
  }

  get valid(): boolean {
    return this.complete || (this.#isEndless && !this.#isOwn);
  }

  get usage(): Usage | null {
    return readUsage(this.#usage);
  }

  /** The events that end a stream without OpenAI's last event. */
  get mark(): string | undefined {
    return this.#isDone ? undefined : sseEvent(this.#end()) + sseEvent(chatDone);
  }

  read(event: StreamEvent): void {
    const fields = fieldsOf(event);
    const usage = objectIn(fields.usage);
    if (usage) this.#usage = laterTotals(this.#usage, usage);
    const named = event.event?.startsWith('transcript') ? event.event : '';
    const type = String(fields.type ?? named);
    if (type.startsWith('transcript.')) return this.#readOwn(type, event, fields);
    event.sent = this.#translated(type, fields)
      .map(each => sseEvent(dataJson(each)))
      .join('');
  }

  finish(): FinishEvent {
    return { type: 'finish', reason: 'stop', raw: null, usage: this.usage };
  }

  #readOwn(type: string, event: StreamEvent, { type: named, delta, usage }: Fields): void {
    this.#isOwn = true;
    this.#isDone ||= type === ownDone;
    if (type === ownDelta && typeof delta === 'string') this.#text += delta;
    const edits = new Map<string, string>();
    if (named === undefined) edits.set('type', JSON.stringify(type));
    const words = ownWords(usage);
    if (words) edits.set('usage', JSON.stringify(words));
    if (edits.size > 0) editEvent(event, edits);
  }

  #translated(type: string, fields: Fields): Written[] {
    const { choices } = fields;
    if (Array.isArray(choices)) return this.#chunk(objectIn(choices[0]) ?? {});
    const text = textIn(fields);
    switch (type.split('.').at(-1)) {
      case 'done':
        this.#isFinished = true;
        this.#whole = text;
        return this.#text === '' ? this.#delta(text) : [];
      case 'segment':
        return segmentOf(fields);
      case 'delta':
        return this.#delta(text);
      case '':
        this.#isEndless ||= 'text' in fields || 'delta' in fields;
        return this.#delta(text);
      default:
        return [];
    }
  }

  /** Reads a choice of a chunk; one without a choice has the usage alone. */
  #chunk({ delta, finish_reason: reason }: Fields): Written[] {
    const { content } = objectIn(delta) ?? {};
    const written = typeof content === 'string' ? this.#delta(content) : [];
    if (reason) this.#isFinished = true;
    return written;
  }

  #delta(delta: string): Written[] {
    this.#text += delta;
    return delta === '' ? [] : [{ type: ownDelta, delta }];
  }

  /** Returns the data of the last event. */
  #end(): string {
    const { usage } = this;
    const done: TranscriptDone = {
      type: ownDone,
      text: this.#whole || this.#text,
      ...(usage && { usage: transcriptionUsage(usage) }),
    };
    return dataJson(done);
  }
}

/** Returns the fields of an event, which may be a bare text. @throws GatewayError for a malformed event or one that is an error */
function fieldsOf(event: StreamEvent): Fields {
  const value = eventJson(event);
  if (typeof value === 'string') return { text: value };
  const isBare = event.event !== 'error' && !/^\s*[{[]/.test(event.data);
  if (isBare) return { text: event.data };
  event.ahead ??= { value };
  return eventData(event);
}

function textIn({ text, delta = '' }: Fields): string {
  const written = text ?? delta;
  return typeof written === 'string' ? written : '';
}

/** Returns a segment of a known speaker: its text is in other events, too. */
function segmentOf({ text, start, end, speaker_id: speaker }: Fields): TranscriptSegment[] {
  if (typeof speaker !== 'string' || typeof start !== 'number' || typeof end !== 'number') return [];
  const type = 'transcript.text.segment';
  return [{ type, id: `seg_${start}`, start, end, text: typeof text === 'string' ? text : '', speaker }];
}
