import type { TranscribeAnswer, TranscribeRequest, TranscriptPart } from '@model-gateway/canonical';
import { omitNullish } from '@model-gateway/json';
import { readSeconds } from '../upstream/any-usage.ts';
import { objectIn } from '../upstream/read-json.ts';
import type { ReadResult } from '../upstream/result.ts';
import type { ListenAnswer, ListenUtterance, ListenWord } from './types.ts';

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
