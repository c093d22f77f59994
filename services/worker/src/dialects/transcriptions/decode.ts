import {
  type FinishEvent,
  GatewayError,
  type GenerateEvent,
  toErrorEvent,
  type Usage,
} from '@model-gateway/canonical';
import { dataJson, sseEvent } from '@model-gateway/sse';
import {
  subtitles,
  type TranscriptionAnswer,
  type TranscriptionFormat,
  transcriptEvents,
} from '@model-gateway/wire';
import { LastEvent, readSeconds, readUsage } from '../decode-audio.ts';
import type { Decoder, FormInput } from '../dialect.ts';
import { PassedEvents } from '../passed-events.ts';
import { parseObject } from '../read-json.ts';
import { malformed, type ReadResult, ResultDecoder } from '../result.ts';
import { WholeBody } from '../whole-body.ts';

type Input = Pick<FormInput, 'form'>;

export function decodeEvents(): Decoder {
  return new PassedEvents(new LastEvent('transcript.text.done', ({ usage }) => readUsage(usage)));
}

export function decodeWhole(input: Input, mediaType: string): Decoder {
  const format = formatOf(input);
  return isJson(format)
    ? new ResultDecoder(true, readTranscript)
    : new TranscriptTextDecoder(format, mediaType);
}

/** Converts a response sent in place of a stream to events; undefined if the body is not a response. */
export function decodeBody(body: Buffer, input: Input): GenerateEvent[] | undefined {
  const format = formatOf(input);
  const text = body.toString('utf8');
  const answer = isJson(format) ? parseObject(text) : textTranscript(text, format);
  if (!isAnswer(answer)) return undefined;
  return [{ type: 'verbatim', bytes: Buffer.from(eventsOf(answer).join('')) }, finish(usageOf(answer))];
}

/** Passes a text response on unchanged, with a text media type. */
class TranscriptTextDecoder extends WholeBody {
  readonly #format: TranscriptionFormat;
  readonly #mediaType: string;

  constructor(format: TranscriptionFormat, mediaType: string) {
    super();
    this.#format = format;
    this.#mediaType = mediaType;
  }

  protected decode(bytes: Buffer): GenerateEvent[] {
    const text = bytes.toString('utf8');
    const transcript = textTranscript(text, this.#format, this.#mediaType);
    if (!transcript) return [toErrorEvent(this.#unreadable(parseObject(text)))];
    const mediaType = /^text\//i.test(this.#mediaType) ? this.#mediaType : 'text/plain; charset=utf-8';
    const sent = transcript.text === text ? bytes : Buffer.from(transcript.text);
    const whole = { status: 200, mediaType, length: sent.length };
    return [{ type: 'verbatim', bytes: sent, whole }, finish(usageOf(transcript))];
  }

  #unreadable(body: Record<string, unknown> | undefined): GatewayError {
    if (!isAnswer(body)) return malformed(body);
    const message = `The upstream sent a transcript without times, of which ${this.#format} cannot be made.`;
    return new GatewayError('upstream', message);
  }
}

/** Reads a text response; undefined if it is not one. Some servers wrap the text in JSON. */
function textTranscript(
  text: string,
  format: TranscriptionFormat,
  mediaType = '',
): TranscriptionAnswer | undefined {
  if (/^text\/(html|event-stream)\b/i.test(mediaType)) return undefined;
  const answer = parseObject(text);
  if (answer) return isAnswer(answer) ? asText(answer, format) : undefined;
  const value = /\bjson\b/i.test(mediaType) ? parsed(text) : text;
  return { text: typeof value === 'string' ? value : text };
}

/** Returns a JSON response as text or subtitles; undefined if it has no times for them. */
function asText(answer: TranscriptionAnswer, format: TranscriptionFormat): TranscriptionAnswer | undefined {
  if (format !== 'srt' && format !== 'vtt') return answer;
  const text = subtitles(answer, format);
  return text === undefined ? undefined : { ...answer, text };
}

function readTranscript(body: unknown): ReadResult | undefined {
  return isAnswer(body)
    ? { result: { type: 'transcript', text: body.text }, usage: usageOf(body) }
    : undefined;
}

/** Returns the reported usage, or the duration of the audio if there is none. */
function usageOf({ usage, duration }: TranscriptionAnswer): Usage | null {
  const seconds = Number(duration);
  return readUsage(usage) ?? (seconds > 0 ? readSeconds(seconds, { duration }) : null);
}

function eventsOf(answer: TranscriptionAnswer): string[] {
  return [...transcriptEvents(answer).map(event => sseEvent(dataJson(event))), sseEvent('[DONE]')];
}

/** Returns the requested format. The last non-empty `response_format` field applies. */
function formatOf({ form }: Input): TranscriptionFormat {
  const [, format] = form.fields.findLast(([name, value]) => name === 'response_format' && value) ?? [];
  return (format ?? 'json') as TranscriptionFormat;
}

function isJson(format: TranscriptionFormat): boolean {
  return format.endsWith('json');
}

function isAnswer(value: unknown): value is TranscriptionAnswer {
  return typeof (value as TranscriptionAnswer | undefined | null)?.text === 'string';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function finish(usage: Usage | null): FinishEvent {
  return { type: 'finish', reason: 'stop', raw: null, usage };
}
