import { type FinishEvent, GatewayError, type GenerateEvent, type Usage } from '@model-gateway/canonical';
import { type Edit, spliceTopLevel } from '@model-gateway/json';
import { dataJson, sseEvent } from '@model-gateway/sse';
import { readSeconds, readUsage } from '../upstream/any-usage.ts';
import type { Decoder, FormInput } from '../upstream/dialect.ts';
import { readFailure } from '../upstream/failure-body.ts';
import { PassedEvents } from '../upstream/passed-events.ts';
import { objectIn, parseObject, readJson } from '../upstream/read-json.ts';
import { malformed, verbatimBody, WholeBody } from '../upstream/whole-body.ts';
import type { TranscriptionAnswer } from './answer.ts';
import { TranscriptEvents } from './decode-events.ts';
import { ownWords } from './decode-usage.ts';
import { transcriptEvents } from './events.ts';
import { transcriptionFormats } from './request.ts';
import { subtitles } from './subtitles.ts';

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
