import type { ListenAnswer } from '@model-gateway/formats';
import { z } from 'zod';
import { ApiError, validatedBy } from '../common/api-error.ts';
import { immediate, type Outcome } from '../common/delivery.ts';
import type { UploadedFile } from '../common/form.ts';
import type { ErrorFormat } from '../common/format.ts';
import type { Api } from '../common/routes.ts';
import { type Mark, marks } from '../common/stream-faults.ts';
import { paceOf } from '../responder/pace.ts';
import { type Segment, transcriptOf, wordsOf } from './transcript.ts';

/** Deepgram's API for recorded audio. A credential of another scheme than `Token` is invalid. */
const listenFormat: ErrorFormat = {
  overloaded: 503,
  headers: requestId => ({ 'dg-request-id': requestId }),
  key: ({ authorization = '' }) => /^token\s+(\S+)/i.exec(authorization)?.[1] ?? 'invalid',
  badKey: () => new ApiError(401, 'Invalid credentials.', 'INVALID_AUTH'),
  errorBody: ({ message, code }, requestId) => ({
    err_code: code ?? 'Bad Request',
    err_msg: message,
    request_id: requestId,
  }),
};

const flag = z.enum(['true', 'false']).transform(value => value === 'true');

const query = z.strictObject({
  model: z.string(),
  smart_format: flag.optional(),
  language: z
    .string()
    .regex(/^(?:multi|[a-z]{2,3}(?:-[A-Za-z0-9]+)*)$/)
    .optional(),
  detect_language: flag.optional(),
  utterances: flag.optional(),
  diarize: flag.optional(),
  keyterm: z.array(z.string()).optional(),
  keywords: z.array(z.string()).optional(),
});

const validated = validatedBy(
  ({ issues: [{ message }] }) => new ApiError(400, `Failed to deserialize query parameters: ${message}`),
);

interface ParsedListen extends z.infer<typeof query> {
  seconds: number;
}

export const listen: Api<ParsedListen, UploadedFile> = {
  format: listenFormat,
  parse(file, _headers, url) {
    const data = validated(query, fieldsOf(new URL(url, 'http://simulator').searchParams));
    if (data.keyterm && !data.model.startsWith('nova-3'))
      throw new ApiError(400, 'Keyterms are only supported for Nova-3 models.');
    return { ...data, seconds: secondsOf(file) };
  },
  answer,
};

const lists = new Set(['keyterm', 'keywords']);

function fieldsOf(params: URLSearchParams): Record<string, string | string[] | null> {
  const names = [...new Set(params.keys())];
  return Object.fromEntries(
    names.map(name => [name, lists.has(name) ? params.getAll(name) : params.get(name)]),
  );
}

/** Bytes a second of a file that is not a WAV: as the simulator's MP3. */
const bytesPerSecond = 4_000;
const wavHeader = 44;

function secondsOf({ type, bytes, head }: UploadedFile): number {
  const isWav = head.length >= wavHeader && head.toString('latin1', 0, 4) === 'RIFF';
  if (isWav) return (bytes - wavHeader) / head.readUInt32LE(28);
  if (bytes > 0 && /^(?:audio|video)\//.test(type)) return bytes / bytesPerSecond;
  throw new ApiError(400, 'Bad Request: failed to process audio: corrupt or unsupported data');
}

function answer(parsed: ParsedListen, mark?: Mark): Outcome {
  const { model, seconds, utterances, language, detect_language: detects } = parsed;
  const { tokens } = paceOf(model);
  const { text, segments } = transcriptOf(seconds, { tokens, mark: mark && marks[mark] });
  const words = segments.flatMap(segment => wordsOf(segment).map(deepgramWord));
  const body: ListenAnswer = {
    metadata: { duration: seconds },
    results: {
      channels: [
        {
          ...(detects && !language && { detected_language: 'en' }),
          alternatives: [{ transcript: text, words }],
        },
      ],
      ...(utterances && { utterances: segments.map(segment => utteranceOf(segment, parsed)) }),
    },
  };
  return immediate(model, body);
}

function deepgramWord({ word, ...times }: ReturnType<typeof wordsOf>[number]) {
  return { word: word.toLowerCase().replace(/[.,]$/, ''), punctuated_word: word, ...times };
}

function utteranceOf({ start, end, tokens, speaker }: Segment, { diarize }: ParsedListen) {
  const transcript = tokens.join('').trim();
  return { start, end, transcript, ...(diarize && { speaker: speaker.charCodeAt(0) - 'A'.charCodeAt(0) }) };
}
