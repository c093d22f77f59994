import { z } from 'zod';
import { modelName, wholeNumber } from '../values/schemas.ts';

/*
 * Transcriptions and translations of audio as in OpenAI's published API description
 * (CreateTranscriptionRequest, CreateTranslationRequest and their responses). A request is a form, described
 * here as the object that its fields make: `include[]` and `include` are the list `include`,
 * `chunking_strategy[type]` is `type` of the object `chunking_strategy`. Only types are checked: other servers take
 * other values.
 */

const text = z.string();
const texts = z.array(text).nullish();

/** OpenAI's formats of a transcript. */
export const transcriptionFormats = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const;
export type TranscriptionFormat = (typeof transcriptionFormats)[number];

/** The form of `POST /v1/audio/translations`, without its file. Default: response_format json. */
export const translationRequest = z.looseObject({
  model: modelName,
  prompt: text.nullish(),
  response_format: text.nullish().describe('Such as `json`, `text`, `srt`, `vtt` or `verbose_json`.'),
  temperature: z.number().nullish(),
});

const splitting = z.looseObject({
  type: text.min(1).describe('Such as `server_vad`.'),
  threshold: z.number().nullish(),
  prefix_padding_ms: wholeNumber({ min: 0 }).nullish(),
  silence_duration_ms: wholeNumber({ min: 0 }).nullish(),
});
const automatic = text.describe('Such as `auto`.');

/** Both forms of a chunking strategy. */
export const transcriptionChunking = z.union([automatic, splitting]);

/** The form of `POST /v1/audio/transcriptions`, without its file. Defaults: format json, stream false. */
export const transcriptionRequest = translationRequest.extend({
  response_format: text
    .nullish()
    .describe('Such as `json`, `text`, `srt`, `vtt`, `verbose_json` or `diarized_json`.'),
  language: text.nullish(),
  languages: z.array(text).min(1).nullish(),
  keywords: texts.describe('Words expected in the audio.'),
  stream: z.boolean().nullish(),
  timestamp_granularities: texts.describe('For verbose_json: the lists to fill, `word` or `segment`.'),
  include: texts.describe('Such as `logprobs`.'),
  chunking_strategy: z
    .unknown()
    .superRefine((value, context) => {
      const form = typeof value === 'object' && value !== null ? splitting : automatic;
      for (const issue of form.safeParse(value).error?.issues ?? [])
        context.addIssue(issue as z.core.$ZodSuperRefineIssue);
    })
    .nullish()
    .describe('Splitting of a long audio.'),
  known_speaker_names: texts,
  known_speaker_references: texts.describe('A data URL for each name: some seconds of only that speaker.'),
});
export type TranscriptionRequest = z.infer<typeof transcriptionRequest>;

/** Usage: tokens, or seconds of audio. */
export interface TranscriptionUsage {
  type?: 'tokens' | 'duration';
  input_tokens?: number;
  input_token_details?: { text_tokens?: number; audio_tokens?: number };
  output_tokens?: number;
  total_tokens?: number;
  seconds?: number;
}

/** Counts of a transcript's usage. */
interface TranscriptionCounts {
  input: number;
  audioInput: number;
  output: number;
  units?: { seconds?: number };
}

/** Writes usage: the seconds of the audio if they were counted, else tokens. */
export function transcriptionUsage({
  input,
  audioInput,
  output,
  units,
}: TranscriptionCounts): TranscriptionUsage {
  if (units?.seconds !== undefined) return { type: 'duration', seconds: units.seconds };
  return {
    type: 'tokens',
    input_tokens: input,
    input_token_details: { text_tokens: Math.max(0, input - audioInput), audio_tokens: audioInput },
    output_tokens: output,
    total_tokens: input + output,
  };
}

/** A response as JSON, in any of its formats. */
export interface TranscriptionAnswer {
  text: string;
  usage?: TranscriptionUsage;
  logprobs?: unknown[];
  task?: 'transcribe' | 'translate';
  /** The English name of the language, in lower case: `english`. */
  language?: string;
  /** Length of the audio in seconds. */
  duration?: number;
  words?: { word: string; start: number; end: number }[];
  segments?: {
    type?: TranscriptSegment['type'];
    /** A number in verbose_json, a text in diarized_json. */
    id: string | number;
    start: number;
    end: number;
    text: string;
    speaker?: string;
  }[];
}

export interface TranscriptDelta {
  type: 'transcript.text.delta';
  delta: string;
  logprobs?: unknown[];
  segment_id?: string;
}

/** A segment spoken by one speaker. */
export interface TranscriptSegment {
  type: 'transcript.text.segment';
  id: string;
  start: number;
  end: number;
  text: string;
  speaker: string;
}

export interface TranscriptDone {
  type: 'transcript.text.done';
  text: string;
  logprobs?: unknown[];
  usage?: TranscriptionUsage;
}

/** Returns the events of a stream for a whole answer: its text in one piece, the segments of speakers, and the end. */
export function transcriptEvents({
  text,
  segments,
  logprobs,
  usage,
}: TranscriptionAnswer): (TranscriptDelta | TranscriptSegment | TranscriptDone)[] {
  const probabilities = logprobs && { logprobs };
  const speakerSegments = (segments ?? []).flatMap(
    ({ id, start, end, text, speaker }): TranscriptSegment[] =>
      speaker == null ? [] : [{ type: 'transcript.text.segment', id: String(id), start, end, text, speaker }],
  );
  return [
    ...(text === '' ? [] : [{ type: 'transcript.text.delta' as const, delta: text, ...probabilities }]),
    ...speakerSegments,
    { type: 'transcript.text.done', text, ...probabilities, ...(usage && { usage }) },
  ];
}

/** A format of subtitles. */
type SubtitleFormat = 'srt' | 'vtt';

/** Writes the segments of a JSON transcript as subtitles; undefined if a text has none, or one without times. Silence has no cues. */
export function subtitles(
  { text, segments }: TranscriptionAnswer,
  format: SubtitleFormat,
): string | undefined {
  if (segments && !segments.every(isTimed)) return undefined;
  const spoken = (segments ?? []).filter(segment => segment.text?.trim());
  if (spoken.length === 0 && text.trim() !== '') return undefined;
  const cues = spoken.map(({ start, end, text }, at) => {
    const number = format === 'srt' ? `${at + 1}\n` : '';
    return `${number}${time(start, format)} --> ${time(end, format)}\n${oneBlock(text)}\n\n`;
  });
  return (format === 'vtt' ? 'WEBVTT\n\n' : '') + cues.join('');
}

function isTimed({ start, end, text }: { start: unknown; end: unknown; text: unknown }): boolean {
  return (
    (text == null || typeof text === 'string') &&
    [start, end].every(seconds => Number.isFinite(seconds) && Number(seconds) >= 0)
  );
}

/** Writes seconds as `hh:mm:ss,mmm` for SRT and `hh:mm:ss.mmm` for WebVTT. */
function time(seconds: number, format: SubtitleFormat): string {
  const ms = Math.round(seconds * 1000);
  const digits = (value: number, length = 2) => String(Math.floor(value)).padStart(length, '0');
  const clock = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60].map(value => digits(value)).join(':');
  return `${clock}${format === 'srt' ? ',' : '.'}${digits(ms % 1000, 3)}`;
}

/** An empty line would end the cue. */
function oneBlock(text: string): string {
  return text
    .trim()
    .replace(/\r/g, '')
    .replace(/\n{2,}/g, '\n');
}
