import { formRequest, type OperationRequest } from '../operation/operation.ts';

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
}

/** Makes the request for a file. A translation has no language, timestamps or stream. */
export function requestOf(model: string, draft: Draft, file: File): OperationRequest {
  const { task, language, prompt, format, timestamps, temperature, streamed } = draft;
  const both: [string, string | File | undefined][] = [
    ['model', model],
    ['file', file],
    ['prompt', prompt],
    ['response_format', format ?? undefined],
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
