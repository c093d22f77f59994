import { z } from 'zod/mini';
import { formRequest, type OperationRequest } from '../operation/request.ts';

const usage = z.object({
  input_tokens: z.optional(z.number()),
  output_tokens: z.optional(z.number()),
  input_token_details: z.nullish(z.object({ audio_tokens: z.nullish(z.number()) })),
  seconds: z.optional(z.number()),
});

const segment = z.object({
  start: z.number(),
  end: z.number(),
  text: z.string(),
  speaker: z.nullish(z.string()),
});

/** The JSON answer of a transcription or translation, as far as the console reads it. */
export const transcriptAnswer = z.object({
  text: z.string(),
  language: z.nullish(z.string()),
  duration: z.nullish(z.number()),
  segments: z.nullish(z.array(segment)),
  words: z.nullish(z.array(z.object({ word: z.string(), start: z.number(), end: z.number() }))),
  usage: z.nullish(usage),
});
export type Transcript = z.infer<typeof transcriptAnswer>;

/** An event of a streamed transcription. */
export const transcriptEvent = z.object({
  type: z.string(),
  delta: z.optional(z.string()),
  text: z.optional(z.string()),
  start: z.optional(z.number()),
  end: z.optional(z.number()),
  speaker: z.nullish(z.string()),
  usage: z.nullish(usage),
});

/** Adds an event to what was heard before. Events of other types change nothing. */
export function heard(before: Transcript, event: z.infer<typeof transcriptEvent>): Transcript {
  const { type, delta = '', text = '', start = 0, end = 0, speaker } = event;
  switch (type) {
    case 'transcript.text.delta':
      return { ...before, text: before.text + delta };
    case 'transcript.text.segment':
      return { ...before, segments: [...(before.segments ?? []), { start, end, text, speaker }] };
    case 'transcript.text.done':
      return { ...before, text, usage: event.usage };
    default:
      return before;
  }
}

/** Writes a time in seconds as minutes and seconds, such as `1:02.50`. */
export function timeText(seconds: number): string {
  // Rounded first, so that 59.999 is not written as 0:60.00.
  const hundredths = Math.round(seconds * 100);
  const minutes = Math.floor(hundredths / 6000);
  return `${minutes}:${((hundredths % 6000) / 100).toFixed(2).padStart(5, '0')}`;
}

/** The settings of the tab. What is null or empty is not sent. */
export interface Draft {
  task: 'transcribe' | 'translate';
  language: string;
  prompt: string;
  format: string | null;
  /** Sent only in the format `verbose_json`, which alone has them. */
  timestamps: string[];
  temperature: number | null;
  streamed: boolean;
  file: File | null;
}

/** Makes the request for a file. A translation has no language, timestamps or stream. */
export function requestOf(model: string, draft: Draft): OperationRequest {
  const { task, language, prompt, timestamps, temperature, streamed, file } = draft;
  const format = formatsOf(task).find(name => name === draft.format);
  const both: [string, string | File | null | undefined][] = [
    ['model', model],
    ['file', file],
    ['prompt', prompt],
    ['response_format', format],
    ['temperature', temperature?.toString()],
  ];
  if (task === 'translate') return formRequest('/v1/audio/translations', both);
  const marks = format === 'verbose_json' ? timestamps : [];
  return formRequest('/v1/audio/transcriptions', [
    ...both,
    ['language', language.trim()],
    ['stream', streamed ? 'true' : undefined],
    ...marks.map((mark): [string, string] => ['timestamp_granularities[]', mark]),
  ]);
}

/** The formats of a task's answers. */
export function formatsOf(task: Draft['task']): string[] {
  const formats = ['json', 'text', 'srt', 'vtt', 'verbose_json'];
  return task === 'translate' ? formats : [...formats, 'diarized_json'];
}
