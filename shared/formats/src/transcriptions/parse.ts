import { type FormFile, GatewayError, type TranscribeRequest } from '@model-gateway/canonical';
import { omitNullish } from '@model-gateway/json';
import { type ClientForm, refuseMisplaced } from '../client/endpoint.ts';
import { invalidRequest } from '../client/invalid.ts';
import type { ParsedOperation } from '../client/parsed-request.ts';
import { objectOf } from './form-object.ts';
import type { TranscriptOptions } from './render.ts';
import {
  type TranscriptionFormat,
  type TranscriptionRequest,
  transcriptionFormats,
  transcriptionRequest,
  translationRequest,
} from './request.ts';
import { wavHead, wavSeconds } from './wav-seconds.ts';

/** @throws GatewayError of kind `invalid-request` */
export const parseTranscription = (form: ClientForm) => parse(form, transcriptionRequest);
/** @throws GatewayError of kind `invalid-request` */
export const parseTranslation = (form: ClientForm) => parse(form, translationRequest);

async function parse(
  form: ClientForm,
  schema: typeof transcriptionRequest | typeof translationRequest,
): Promise<ParsedOperation<TranscriptOptions>> {
  const body = objectOf(form.fields);
  const { success, data, error } = schema.safeParse(body);
  if (!success) throw invalidRequest(error, body);
  const file = fileOf(form);
  const seconds = wavSeconds(await form.begin(file, wavHead), file.size);
  const translate = schema === translationRequest;
  // A translation's other fields are unknown ones, which are passed on but not read.
  const request: TranscriptionRequest = translate ? translationRequest.strip().parse(data) : data;
  const { model, stream, response_format: format } = request;
  return {
    type: 'transcribe',
    model,
    stream: stream === true,
    ...(seconds !== undefined && { seconds }),
    canonical: async () => ({
      ...settingsOf(request),
      ...(translate && { translate }),
      audio: await readAudio(form, file),
    }),
    rendering: {
      format: isKnown(format) ? format : 'json',
      task: translate ? 'translate' : 'transcribe',
    },
  };
}

async function readAudio(form: ClientForm, file: FormFile): Promise<TranscribeRequest['audio']> {
  const { mediaType, filename } = file;
  return { mediaType, filename, data: (await form.read(file)).toString('base64') };
}

/** Converts the fields of a request. Only its own API splits audio by `chunking_strategy`: other targets split it themselves. @throws GatewayError for what only its own API has */
function settingsOf(request: TranscriptionRequest): Omit<TranscribeRequest, 'audio'> {
  for (const name of ownFields) if (request[name]?.length) throw refusedField(name);
  const { language, prompt, temperature, keywords, response_format: format } = request;
  const wanted = request.timestamp_granularities ?? ['segment'];
  if (format && !isKnown(format)) throw refusedField('response_format');
  if (!wanted.every(part => granularities.has(part))) throw refusedField('timestamp_granularities');
  const isVerbose = format === 'verbose_json';
  const speakers = format === 'diarized_json';
  const segments =
    speakers || format === 'srt' || format === 'vtt' || (isVerbose && wanted.includes('segment'));
  return {
    ...omitNullish({ language, prompt, temperature, keywords }),
    ...(isVerbose && wanted.includes('word') && { words: true }),
    ...(segments && { segments }),
    ...(speakers && { speakers }),
  };
}

const granularities = new Set(['word', 'segment']);
const formats = new Set<string>(transcriptionFormats);

function isKnown(format: string | null | undefined): format is TranscriptionFormat {
  return typeof format === 'string' && formats.has(format);
}

/** The fields that would change the answer, and that other formats cannot express. */
const ownFields = ['include', 'languages', 'known_speaker_names', 'known_speaker_references'] as const;

function refusedField(param: string): GatewayError {
  const message = `Unsupported value for '${param}': this model's provider does not support it.`;
  return new GatewayError('invalid-request', message, { param, code: 'unsupported_value' });
}

/** Returns the file of a form. @throws GatewayError unless there is exactly one, with a name and content */
function fileOf(form: ClientForm): FormFile {
  const [file, ...more] = form.filesOf('file');
  if (!file)
    throw form.field('file') === undefined
      ? invalid('missing_required_parameter', "Missing required parameter: 'file'.")
      : invalid(
          'invalid_type',
          "Invalid type for 'file': expected a file with a name, but got text instead.",
        );
  if (more.length > 0) throw invalid('invalid_value', "Invalid 'file': expected one file, but got several.");
  if (file.filename === '') throw invalid('invalid_value', "Invalid 'file': it has no file name.");
  if (file.size === 0) throw invalid('invalid_value', "Invalid 'file': it is empty.");
  refuseMisplaced(form, name => name === 'file', ['file']);
  return file;
}

function invalid(code: string, message: string): GatewayError {
  return new GatewayError('invalid-request', message, { param: 'file', code });
}
