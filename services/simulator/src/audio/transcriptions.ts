import type {
  TranscriptDelta,
  TranscriptDone,
  TranscriptionUsage,
  TranscriptSegment,
} from '@model-gateway/formats';
import { dataJson, sseEvent } from '@model-gateway/sse';
import { openai } from '../chat/format.ts';
import type { Outcome } from '../delivery.ts';
import { type Mark, marks } from '../faults/stream-faults.ts';
import type { Form } from '../form.ts';
import type { Flow } from '../format.ts';
import { tokenLogprobs } from '../logprobs.ts';
import { paceOf } from '../responder/pace.ts';
import { charactersPerToken } from '../responder/tokens.ts';
import type { Api } from '../routes.ts';
import { type Segment, type Transcript, transcriptOf, wordsOf } from './transcript.ts';
import { type ParsedTranscription, parseTranscription } from './transcription-request.ts';

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
      return { body: segments.map((segment, at) => `${at + 1}\n${cue(segment, ',')}`).join(''), type: plain };
    case 'vtt':
      return { body: `WEBVTT\n\n${segments.map(segment => cue(segment, '.')).join('')}`, type: plain };
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

/** A subtitle. `point` separates seconds and milliseconds. */
function cue({ start, end, tokens }: Segment, point: ',' | '.'): string {
  const time = (seconds: number) => new Date(seconds * 1_000).toISOString().slice(11, 23).replace('.', point);
  return `${time(start)} --> ${time(end)}\n${tokens.join('').trim()}\n\n`;
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
