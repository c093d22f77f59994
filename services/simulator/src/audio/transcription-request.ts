import { z } from 'zod';
import type { Form, FormFile } from '../form.ts';
import { badRequest, missing, validated } from '../openai-error.ts';

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

export interface ParsedTranscription {
  task: 'transcribe' | 'translate';
  request: z.infer<typeof transcriptionRequest>;
  /** True for Whisper, which does not stream and is billed by the second. */
  isWhisper: boolean;
  seconds: number;
  model: string;
}

/** @throws ApiError as the vendor would */
export function parseTranscription(
  { fields, files }: Form,
  task: ParsedTranscription['task'],
): ParsedTranscription {
  const body = objectOf(fields);
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

type Value = string | number | boolean | string[] | { [name: string]: Value };
const lists = /^(?:include|timestamp_granularities|known_speaker_(?:names|references)|keywords|languages)$/;
const numbers = /^(?:temperature|threshold|prefix_padding_ms|silence_duration_ms)$/;

/** A form's fields as an object: `include[]` and `include` are lists, `chunking_strategy[type]` is a nested field. */
function objectOf(fields: Form['fields']): Record<string, Value> {
  const object: Record<string, Value> = {};
  for (const [name, value] of fields) {
    const [, outer = name, inner = null] = /^(\w+)\[(\w*)\]$/.exec(name) ?? [];
    const before = Object.hasOwn(object, outer) ? object[outer] : undefined;
    if (value === '') continue;
    if (inner)
      object[outer] = { ...(typeof before === 'object' ? before : {}), [inner]: fieldValue(inner, value) };
    else if (inner === '' || lists.test(outer))
      object[outer] = [...(Array.isArray(before) ? before : []), value];
    else object[outer] = fieldValue(outer, value);
  }
  return object;
}

function fieldValue(name: string, value: string): Value {
  if (name === 'stream' && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  return numbers.test(name) && Number.isFinite(Number(value)) ? Number(value) : value;
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
