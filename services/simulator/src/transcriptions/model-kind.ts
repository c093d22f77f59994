import { wrong } from '../openai-complaint.ts';
import type { TranscriptionRequest } from './request.ts';

/** What a model is like: whisper counts seconds and does not stream; one that diarizes tells speakers apart. */
export type ModelKind = 'whisper' | 'diarize' | 'transcribe' | 'any';

/** By the part of its name after the last `/`; a name that says nothing can do everything. */
export function kindOf(model: string): ModelKind {
  const name = model.slice(model.lastIndexOf('/') + 1);
  if (name.includes('whisper')) return 'whisper';
  if (name.includes('diarize')) return 'diarize';
  return /^gpt-.*transcribe/.test(name) ? 'transcribe' : 'any';
}

const formats: Partial<Record<ModelKind, string[]>> = {
  whisper: ['json', 'text', 'srt', 'verbose_json', 'vtt'],
  diarize: ['json', 'text', 'diarized_json'],
  transcribe: ['json', 'text'],
};

const longestUncutSeconds = 30;

/** What does not go together. @throws Refusal */
export function check(kind: ModelKind, request: TranscriptionRequest, seconds: number): void {
  const { model, response_format: format, timestamp_granularities: granularities, include, prompt } = request;
  const can = formats[kind];
  if (can && !can.includes(format))
    throw unfit(
      `response_format '${format}' is not compatible with model '${model}'. Use ${can.map(one => `'${one}'`).join(' or ')} instead.`,
      'response_format',
    );
  if (granularities && format !== 'verbose_json')
    throw unfit(
      "timestamp_granularities is only supported with response_format 'verbose_json'.",
      'timestamp_granularities',
    );
  if (include.length > 0 && (format !== 'json' || kind === 'whisper' || kind === 'diarize'))
    throw unfit(
      "include 'logprobs' is only supported with response_format 'json' and models that have them.",
      'include',
    );
  if (kind !== 'diarize') return;
  if (prompt) throw unfit(`prompt is not supported with model '${model}'.`, 'prompt');
  if (!request.chunking_strategy && seconds > longestUncutSeconds)
    throw unfit('chunking_strategy is required for diarization models.', 'chunking_strategy');
}

function unfit(message: string, param: string) {
  return wrong(message, 'unsupported_value', param);
}
