import {
  speechRequest,
  transcriptionChunking,
  transcriptionRequest,
  translationRequest,
} from '@model-gateway/formats';
import { z } from 'zod';
import {
  type DataPlaneOperation,
  eventStream,
  events,
  file,
  form,
  type JsonSchema,
  json,
} from './operation.ts';
import { withFiles } from './with-files.ts';

const common = { method: 'post', tag: 'Audio', security: ['client'], errors: 'chat' } as const;

const transcript = z.looseObject({ text: z.string() });
const plain: JsonSchema = { type: 'string', description: 'If `response_format` is `text`, `srt` or `vtt`.' };
const audio: JsonSchema = { ...file, description: 'The audio.' };

/** The strategy as the union of its forms. */
export const transcriptionForm = transcriptionRequest.extend({
  chunking_strategy: transcriptionChunking
    .nullish()
    .describe(transcriptionRequest.shape.chunking_strategy.description ?? ''),
});

export const audioOperations: readonly DataPlaneOperation[] = [
  {
    ...common,
    id: 'createSpeech',
    path: '/v1/audio/speech',
    summary: 'Speak a text',
    body: { [json]: speechRequest },
    example: { model: 'sim-speech', input: 'Hello.', voice: 'alloy' },
    answer: {
      'audio/*': { ...file, description: 'In the format that `response_format` names.' },
      [eventStream]: events('Pieces of audio in base64, if `stream_format` is `sse`.'),
    },
  },
  {
    ...common,
    id: 'createTranscription',
    path: '/v1/audio/transcriptions',
    summary: 'Transcribe audio',
    description: 'Lists are repeated fields, such as `include[]`.',
    body: { [form]: withFiles(transcriptionForm, { file: audio }, ['file']) },
    answer: {
      [json]: transcript,
      'text/plain': plain,
      [eventStream]: events('Pieces of the transcript, if `stream` is true.'),
    },
  },
  {
    ...common,
    id: 'createTranslation',
    path: '/v1/audio/translations',
    summary: 'Transcribe audio, translated into English',
    body: { [form]: withFiles(translationRequest, { file: audio }, ['file']) },
    answer: { [json]: transcript, 'text/plain': plain },
  },
];
