import {
  renamePath,
  type TranscribeAnswer,
  type TranscribeRequest,
  type TranscriptPart,
} from '@model-gateway/canonical';
import { omitNullish } from '@model-gateway/json';
import { readSeconds } from './upstream/any-usage.ts';
import { decodeFailure } from './upstream/decode-openai-failure.ts';
import type { CanonicalInput, Dialect, UpstreamFields, UpstreamRequest } from './upstream/dialect.ts';
import { objectIn } from './upstream/read-json.ts';
import { unsupported, withoutDropped } from './upstream/request-body.ts';
import { decodeResult, type ReadResult, ResultDecoder } from './upstream/whole-body.ts';

/*
 * Transcription of audio by Deepgram's `POST /v1/listen`, from its SDK (@deepgram/sdk 5.13,
 * MediaTranscribeRequestOctetStream and ListenV1Response).
 */

/** The query of a request, whose body is the audio. */
export interface ListenQueryParams {
  model: string;
  /** Punctuation, capitals, numbers and paragraphs. */
  smart_format?: true;
  /** A BCP 47 tag. Default: `en`. */
  language?: string;
  detect_language?: true;
  utterances?: true;
  diarize?: true;
  /** Expected words, of the third generation of Nova. */
  keyterm?: string[];
  /** Expected words, of earlier models. */
  keywords?: string[];
}

/** A word. The models that add punctuation repeat the word with it. */
export interface ListenWord {
  word?: string;
  punctuated_word?: string;
  start?: number;
  end?: number;
}

/** A part of the audio without a pause, by one speaker. */
export interface ListenUtterance {
  start?: number;
  end?: number;
  transcript?: string;
  /** The number of the speaker, from 0. */
  speaker?: number;
}

/** The fields of an answer that are read. */
export interface ListenAnswer {
  metadata?: { duration?: number };
  results?: {
    channels?: {
      detected_language?: string;
      alternatives?: { transcript?: string; words?: ListenWord[] }[];
    }[];
    utterances?: ListenUtterance[];
  };
}

export type Input = CanonicalInput<TranscribeRequest>;

/** Writes a request: the settings are in the query, and the audio is the body. A prompt and a temperature are hints that the API lacks. */
export function encode({ model, request, drop }: Input): UpstreamRequest {
  if (request.translate) throw unsupported('translate', 'this model does not translate into English');
  const { mediaType, data } = request.audio;
  const query = new URLSearchParams({ model });
  for (const [name, value] of Object.entries(withoutDropped(settings(model, request), drop)))
    for (const each of [value].flat()) query.append(name, String(each));
  return {
    path: `/v1/listen?${query}`,
    body: Buffer.from(data, 'base64'),
    headers: { 'content-type': sentType(mediaType) },
  };
}

/** Asks for what other APIs do unasked: written punctuation and numbers, and to detect a language that is not given. */
function settings(model: string, request: TranscribeRequest): Omit<ListenQueryParams, 'model'> {
  const { language, keywords = [], segments = false, speakers = false } = request;
  return omitNullish({
    smart_format: true as const,
    ...(language === undefined ? { detect_language: true as const } : { language }),
    ...((segments || speakers) && { utterances: true as const }),
    ...(speakers && { diarize: true as const }),
    ...expected(model, keywords),
  });
}

/** Writes expected words for the generation of the model: https://developers.deepgram.com/docs/keyterm and /docs/keywords. */
function expected(model: string, words: string[]): Pick<ListenQueryParams, 'keyterm' | 'keywords'> {
  if (words.length === 0) return {};
  if (model.startsWith('nova-3')) return { keyterm: words };
  return /^(?:nova|enhanced|base)\b/.test(model) ? { keywords: words } : {};
}

/** Returns the type to send. A body of JSON would be a link to audio, so other types are sent as bytes. */
function sentType(mediaType: string): string {
  return /^(?:audio|video)\/[\w.+-]+$/i.test(mediaType) ? mediaType : 'application/octet-stream';
}

/** Reads an answer; undefined if it is none, or lacks times or speakers that were asked for. */
export function readTranscript(
  body: unknown,
  { language, words, segments, speakers }: TranscribeRequest,
): ReadResult | undefined {
  const { metadata, results } = (objectIn(body) ?? {}) as ListenAnswer;
  const [channel] = listOf(results?.channels);
  const [best] = listOf(channel?.alternatives);
  const text = channel && textOf(best ?? { transcript: null });
  if (typeof text !== 'string') return undefined;
  const timedWords = words ? readAll(listOf(best?.words), readWord) : [];
  const timedSegments =
    segments || speakers ? readAll(listOf(results?.utterances), each => readUtterance(each, speakers)) : [];
  if (!timedWords || !timedSegments) return undefined;
  // Silence alone has no words.
  if (text !== '' && (segments || speakers) && timedSegments.length === 0) return undefined;
  const duration = metadata?.duration;
  const isTimed = typeof duration === 'number' && duration >= 0;
  const result: TranscribeAnswer = {
    type: 'transcript',
    text,
    ...omitNullish({ language: language ?? channel?.detected_language }),
    ...(isTimed && { duration }),
    ...(words && { words: timedWords }),
    ...((segments || speakers) && { segments: timedSegments }),
  };
  return { result, usage: isTimed && duration > 0 ? readSeconds(duration, { duration }) : null };
}

/** Silence has no transcript. */
function textOf({ transcript }: { transcript?: unknown }): unknown {
  return transcript === null ? '' : transcript;
}

function listOf<T>(list: T[] | undefined): T[] {
  return Array.isArray(list) ? list : [];
}

/** Returns all items; undefined if one is malformed. */
function readAll<T>(
  items: readonly T[],
  read: (item: T) => TranscriptPart | undefined,
): TranscriptPart[] | undefined {
  const all = items.map(read);
  return all.every(item => item !== undefined) ? all : undefined;
}

function readWord({ word, punctuated_word: written = word, start, end }: ListenWord) {
  return timed(written, start, end);
}

function readUtterance(
  { transcript, start, end, speaker }: ListenUtterance,
  speakers = false,
): TranscriptPart | undefined {
  const part = timed(transcript, start, end);
  if (!speakers) return part;
  return part && Number.isInteger(speaker) && Number(speaker) >= 0
    ? { ...part, speaker: Number(speaker) }
    : undefined;
}

function timed(text: unknown, start: unknown, end: unknown): TranscriptPart | undefined {
  return typeof text === 'string' && Number.isFinite(start) && Number.isFinite(end)
    ? { text, start: Number(start), end: Number(end) }
    : undefined;
}

/** The canonical fields of the fields that upstreams name in errors. */
const fields: UpstreamFields = { language: 'language', keyterm: 'keywords', keywords: 'keywords' };

const decoder = ({ request }: Input) => new ResultDecoder(false, body => readTranscript(body, request));

/** Deepgram's API for recorded audio. No client has this format, so every request is translated. */
export const listenDialect: Dialect<Input> = {
  format: 'listen',
  bodies: ['canonical'],
  choices: 'one',
  encode,
  decodeStream: decoder,
  decodeWhole: decoder,
  decodeBody: (body, { request }) => decodeResult(body, parsed => readTranscript(parsed, request)),
  decodeFailure,
  pathOf: param => renamePath(param, fields),
};
