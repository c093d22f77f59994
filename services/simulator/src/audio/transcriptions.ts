import {
  formObject,
  subtitles,
  type TranscriptDelta,
  type TranscriptDone,
  type TranscriptionUsage,
  type TranscriptSegment,
} from '@model-gateway/formats';
import { dataJson, sseEvent } from '@model-gateway/sse';
import { z } from 'zod';
import { openai } from '../chat/format.ts';
import type { Outcome } from '../common/delivery.ts';
import type { Form, FormFile } from '../common/form.ts';
import type { Flow } from '../common/format.ts';
import { tokenLogprobs } from '../common/logprobs.ts';
import { badRequest, missing, validated } from '../common/openai-error.ts';
import type { Api } from '../common/routes.ts';
import { type Mark, marks } from '../common/stream-faults.ts';
import { paceOf } from '../responder/pace.ts';
import { charactersPerToken } from '../responder/tokens.ts';
import { type Segment, type Transcript, transcriptOf, wordsOf } from './transcript.ts';

const text = z.string();
const language = text.regex(/^[a-z]{2,3}$/);

/** The fields of a translation's form, without its file. */
const translationRequest = z.strictObject({
  model: text,
  prompt: text.optional(),
  response_format: z.enum(['json', 'text', 'srt', 'verbose_json', 'vtt']).default('json'),
  temperature: z.number().min(0).max(1).optional(),
});

const serverVad = z.strictObject({
  type: z.literal('server_vad'),
  prefix_padding_ms: z.int().optional(),
  silence_duration_ms: z.int().optional(),
  threshold: z.number().min(0).max(1).optional(),
});

/** The fields of a transcription's form, without its file. */
const transcriptionRequest = z.strictObject({
  ...translationRequest.shape,
  response_format: z.enum(['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json']).default('json'),
  language: language.optional(),
  languages: z.array(language).min(1).optional(),
  keywords: z.array(text).optional(),
  include: z.array(z.enum(['logprobs'])).default([]),
  timestamp_granularities: z.array(z.enum(['word', 'segment'])).optional(),
  stream: z.boolean().default(false),
  chunking_strategy: z.union([z.literal('auto'), serverVad]).optional(),
  known_speaker_names: z.array(text).max(4).default([]),
  known_speaker_references: z.array(text).max(4).default([]),
});

interface ParsedTranscription {
  task: 'transcribe' | 'translate';
  request: z.infer<typeof transcriptionRequest>;
  /** True for Whisper, which does not stream and is billed by the second. */
  isWhisper: boolean;
  seconds: number;
  model: string;
}

/** @throws ApiError as the vendor would */
function parseTranscription({ fields, files }: Form, task: ParsedTranscription['task']): ParsedTranscription {
  const body = formObject(fields);
  const data = validated(task === 'translate' ? translationRequest : transcriptionRequest, body);
  const [file] = files;
  if (!file) throw missing('file');
  const request = transcriptionRequest.parse(data);
  const { model, response_format: format } = request;
  if (request.timestamp_granularities && format !== 'verbose_json')
    throw badRequest(
      "timestamp_granularities is only supported with response_format 'verbose_json'.",
      'unsupported_value',
      'timestamp_granularities',
    );
  return { task, request, model, isWhisper: model.includes('whisper'), seconds: secondsOf(file) };
}

/** Bytes a second, to estimate the length of a file. The simulator's MP3 has 4,000. */
const bytesPerSecond: Record<string, number> = { mp3: 4_000, mpeg: 4_000, mpga: 4_000, flac: 48_600 };
const extensions = ['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'opus', 'wav', 'webm'];
const maxSeconds = 24 * 3_600;

function secondsOf({ name, filename, bytes, head }: FormFile): number {
  if (name !== 'file') throw badRequest(`Unknown parameter: '${name}'.`, 'unknown_parameter', name);
  const extension = /\.(\w+)$/.exec(filename ?? '')?.[1]?.toLowerCase() ?? '';
  if (!extensions.includes(extension))
    throw badRequest(`Unrecognized file format. Supported formats: ${extensions.join(', ')}`, null, 'file');
  const isWav = extension === 'wav';
  if (isWav && (head.length < 44 || head.toString('latin1', 0, 4) !== 'RIFF'))
    throw badRequest('Audio file might be corrupted or unsupported', 'invalid_value', 'file');
  const rate = bytesPerSecond[extension] ?? 16_000;
  const seconds = isWav ? (bytes - 44) / head.readUInt32LE(28) : bytes / rate;
  if (seconds >= 0.1) return Math.min(seconds, maxSeconds);
  throw badRequest('Audio file is too short. Minimum is 0.1 seconds.', 'audio_too_short', 'file');
}

const tokensPerSecond = 10;
const plain = 'text/plain; charset=utf-8';

/** Transcriptions or translations of an uploaded file. */
export function transcriptions(task: ParsedTranscription['task']): Api<ParsedTranscription, Form> {
  return { format: openai, parse: form => parseTranscription(form, task), answer };
}

function answer(parsed: ParsedTranscription, mark?: Mark): Outcome {
  const { model, isWhisper, request, seconds } = parsed;
  const pace = paceOf(model);
  const speakers = request.known_speaker_names;
  const transcript = transcriptOf(seconds, { tokens: pace.tokens, speakers, mark: mark && marks[mark] });
  const tokens = tokensOf(transcript).length;
  const usage = isWhisper ? { input: 0, output: 0 } : { input: inputTokens(parsed), output: tokens };
  if (!request.stream || isWhisper)
    return { kind: 'whole', usage, ...whole(parsed, transcript), pace, tokens };
  return { kind: 'stream', usage, flow: stream(parsed, transcript), pace, errorEvent: openai.errorEvent };
}

/** The transcript in the requested format. */
function whole(parsed: ParsedTranscription, transcript: Transcript): { body: unknown; type?: string } {
  const { text, seconds, segments } = transcript;
  const usage = usageOf(parsed, transcript);
  switch (parsed.request.response_format) {
    case 'json':
      return { body: { text, ...logprobsOf(parsed, tokensOf(transcript)), usage } };
    case 'verbose_json':
      return { body: { ...verbose(parsed, transcript), usage: duration(seconds) } };
    case 'diarized_json':
      return {
        body: { task: 'transcribe', duration: seconds, text, segments: segments.map(segmentOf), usage },
      };
    case 'text':
      return { body: `${text}\n`, type: plain };
    case 'srt':
    case 'vtt': {
      const cues = segments.map(({ start, end, tokens }, id) => ({ id, start, end, text: tokens.join('') }));
      return { body: subtitles({ text, segments: cues }, parsed.request.response_format), type: plain };
    }
  }
}

function verbose({ task, request }: ParsedTranscription, { text, seconds, segments }: Transcript) {
  const granularities = request.timestamp_granularities ?? ['segment'];
  return {
    task,
    language: 'english',
    duration: seconds,
    text,
    ...(granularities.includes('word') && { words: segments.flatMap(wordsOf) }),
    ...(granularities.includes('segment') && {
      segments: segments.map(({ start, end, tokens }, id) => ({
        id,
        seek: 0,
        start,
        end,
        text: tokens.join(''),
        tokens: tokens.map(({ length }) => length),
        temperature: request.temperature ?? 0,
        avg_logprob: -0.2,
        compression_ratio: 1.2,
        no_speech_prob: 0.01,
      })),
    }),
  };
}

/** A delta for each token, up to `[DONE]`. With speakers, each segment ends with an event. */
function stream(parsed: ParsedTranscription, transcript: Transcript): Flow {
  const usage = usageOf(parsed, transcript);
  const all = logprobsOf(parsed, tokensOf(transcript));
  const done = event({ type: 'transcript.text.done', text: transcript.text, ...all, usage });
  return { opening: [], ticks: ticks(parsed, transcript), closing: [done, sseEvent('[DONE]')] };
}

function* ticks(parsed: ParsedTranscription, { segments }: Transcript): Generator<string[]> {
  const diarizes = parsed.request.response_format === 'diarized_json';
  for (const [at, segment] of segments.entries())
    for (const [number, delta] of segment.tokens.entries()) {
      const logprobs = logprobsOf(parsed, [delta]);
      const id = diarizes && { segment_id: `seg_${at}` };
      const text = event({ type: 'transcript.text.delta', delta, ...id, ...logprobs });
      const isLast = number === segment.tokens.length - 1;
      yield diarizes && isLast ? [text, event(segmentOf(segment, at))] : [text];
    }
}

function segmentOf({ start, end, speaker, tokens }: Segment, at: number): TranscriptSegment {
  const text = tokens.join('').trim();
  return { type: 'transcript.text.segment', id: `seg_${at}`, start, end, text, speaker };
}

function logprobsOf({ request }: ParsedTranscription, tokens: string[]) {
  if (!request.include.includes('logprobs')) return {};
  return { logprobs: tokenLogprobs(tokens, 0, 0).map(({ top_logprobs: _top, ...one }) => one) };
}

function usageOf(parsed: ParsedTranscription, transcript: Transcript): TranscriptionUsage {
  if (parsed.isWhisper) return duration(parsed.seconds);
  const input = inputTokens(parsed);
  const output = tokensOf(transcript).length;
  const audio = Math.ceil(parsed.seconds * tokensPerSecond);
  return {
    type: 'tokens',
    input_tokens: input,
    input_token_details: { text_tokens: input - audio, audio_tokens: audio },
    output_tokens: output,
    total_tokens: input + output,
  };
}

function duration(seconds: number) {
  return { type: 'duration' as const, seconds: Math.ceil(seconds) };
}

function inputTokens({ request, seconds }: ParsedTranscription): number {
  return Math.ceil(seconds * tokensPerSecond) + Math.ceil((request.prompt?.length ?? 0) / charactersPerToken);
}

function tokensOf({ segments }: Transcript): string[] {
  return segments.flatMap(({ tokens }) => tokens);
}

function event(data: TranscriptDelta | TranscriptDone | TranscriptSegment): string {
  return sseEvent(dataJson(data));
}
