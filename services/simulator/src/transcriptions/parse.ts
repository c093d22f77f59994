import { type Pace, paceOf } from '../mind/pace.ts';
import { complaint, wrong } from '../openai-complaint.ts';
import { objectOf } from './form.ts';
import { lengthOf } from './length.ts';
import { check, kindOf, type ModelKind } from './model-kind.ts';
import { type TranscriptionRequest, transcriptionRequest, translationRequest } from './request.ts';
import type { Upload } from './upload.ts';

export type Task = 'transcribe' | 'translate';

export interface TranscriptionAsked {
  task: Task;
  request: TranscriptionRequest;
  kind: ModelKind;
  /** How long the audio sounds. */
  seconds: number;
  pace: Pace;
}

/** @throws Refusal as the vendor would */
export function parse({ fields, file }: Upload, task: Task): TranscriptionAsked {
  const body = objectOf(fields);
  const { data, error } = (task === 'translate' ? translationRequest : transcriptionRequest).safeParse(body);
  if (!data) throw complaint(body, error);
  if (!file) throw wrong("Missing required parameter: 'file'.", 'missing_required_parameter', 'file');
  // What a translation says is a part of what a transcription does.
  const request = transcriptionRequest.parse(data);
  const kind = kindOf(request.model);
  const seconds = lengthOf(file);
  check(kind, request, seconds);
  return { task, request, kind, seconds, pace: paceOf(request.model) };
}
