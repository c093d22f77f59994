import {
  type FinishEvent,
  type FormFile,
  GatewayError,
  type GenerateEvent,
  type TranscribeAnswer,
  type TranscribeRequest,
  type TranscriptPart,
  type Usage,
} from '@model-gateway/canonical';
import { exceededBound, omitNullish } from '@model-gateway/json';
import { dataJson, sseComment, sseEvent } from '@model-gateway/sse';
import {
  type ClientForm,
  type FormatEndpoint,
  knownFields,
  parseNone,
  RenderedText,
  type ResultRenderer,
  refuseMisplaced,
  type StreamWriter,
} from '../client/endpoint.ts';
import { checked, unsupportedValue } from '../client/invalid.ts';
import type { ParsedOperation } from '../client/parsed-request.ts';
import { renderChatError, renderNamedChatErrorEvent } from '../client/render-errors.ts';
import {
  subtitles,
  type TranscriptionAnswer,
  type TranscriptionFormat,
  type TranscriptionRequest,
  type TranscriptionUsage,
  transcriptEvents,
  transcriptionFormats,
  transcriptionRequest,
  transcriptionUsage,
  translationRequest,
} from './types.ts';

/** @throws GatewayError of kind `invalid-request` */
export const parseTranscription = (form: ClientForm) => parse(form, transcriptionRequest);
/** @throws GatewayError of kind `invalid-request` */
const parseTranslation = (form: ClientForm) => parse(form, translationRequest);

async function parse(
  form: ClientForm,
  schema: typeof transcriptionRequest | typeof translationRequest,
): Promise<ParsedOperation<TranscriptOptions>> {
  const body = objectOf(form.fields);
  const data = checked(schema, body);
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
  return unsupportedValue(param, "this model's provider does not support it");
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

type Value = string | number | boolean | Value[] | { [name: string]: Value };

const lists = new Set([
  'include',
  'timestamp_granularities',
  'known_speaker_names',
  'known_speaker_references',
  'keywords',
  'languages',
]);
const numbers = new Set(['temperature', 'threshold', 'prefix_padding_ms', 'silence_duration_ms']);
const booleans = new Map([
  ['true', true],
  ['false', false],
]);

/**
 * Converts a form's fields to the equivalent JSON object. Clients write lists as a repeated `include[]`, and
 * an object's fields as `chunking_strategy[type]`. Texts become numbers and booleans where possible. Empty
 * fields are dropped, and the last of several fields with the same name counts.
 */
export function objectOf(fields: readonly [name: string, value: string][]): Record<string, Value> {
  const object = new Map<string, Value>();
  for (const [name, value] of fields) if (value !== '') put(object, name, value);
  return Object.fromEntries(object);
}

function put(object: Map<string, Value>, name: string, value: string): void {
  const [, outer = name, inner] = /^(\w+)\[(\w*)\]$/.exec(name) ?? [];
  const before = object.get(outer);
  if (inner) object.set(outer, { ...(isObject(before) && before), [inner]: read(inner, value) });
  else if (inner === '' || lists.has(outer))
    object.set(outer, [...(Array.isArray(before) ? before : []), value]);
  else object.set(outer, read(outer, value));
}

function read(name: string, value: string): Value {
  if (name === 'stream') return booleans.get(value.toLowerCase()) ?? value;
  if (numbers.has(name)) return value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
  return name === 'chunking_strategy' && value.startsWith('{') ? parsed(value) : value;
}

/** Parses an object that a client wrote as JSON. */
function parsed(value: string): Value {
  try {
    return exceededBound(value) ? value : JSON.parse(value);
  } catch {
    return value;
  }
}

function isObject(value: Value | undefined): value is { [name: string]: Value } {
  return typeof value === 'object' && !Array.isArray(value);
}

/** The number of bytes that {@link wavSeconds} needs. Metadata chunks may precede the audio data. */
const wavHead = 4_096;

/**
 * Returns the duration of a WAV file of `size` bytes in seconds, or undefined for another file. `head` is its
 * first bytes. If the header's length is larger than the file, as in a recording that was streamed, the file
 * size counts.
 */
export function wavSeconds(head: Buffer, size: number): number | undefined {
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WAVE') return undefined;
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= head.length; ) {
    const name = head.toString('latin1', at, at + 4);
    const length = head.readUInt32LE(at + 4);
    if (name === 'fmt ' && at + 20 <= head.length) bytesPerSecond = head.readUInt32LE(at + 16);
    if (name === 'data')
      return bytesPerSecond > 0 ? Math.min(length, size - at - 8) / bytesPerSecond : undefined;
    // A chunk of an odd length is padded.
    at += 8 + length + (length % 2);
  }
  return undefined;
}

/** The fields of a request that affect how its answer is rendered. */
interface TranscriptOptions {
  format: TranscriptionFormat;
  task: 'transcribe' | 'translate';
}

/** Renders a transcript of an upstream of another format, or the text of one of the same format. */
export function transcriptRenderer(options: TranscriptOptions): ResultRenderer<TranscribeAnswer> {
  return {
    type: 'result',
    result: (answer, usage) => rendered(answer, usage, options),
    stream: () => new TranscriptWriter(options),
  };
}

function rendered(answer: TranscribeAnswer, usage: Usage | null, { format, task }: TranscriptOptions) {
  const { text } = answer;
  switch (format) {
    case 'json':
      return { text, ...usageOf(usage) } satisfies TranscriptionAnswer;
    case 'verbose_json':
      return verbose(answer, usage, task);
    case 'diarized_json':
      return diarized(answer, usage);
    case 'text':
      return new RenderedText(plain, `${text}\n`);
    case 'srt':
    case 'vtt':
      return new RenderedText(plain, subtitlesOf(answer, format));
  }
}

const plain = 'text/plain; charset=utf-8';

/** Leaves out the measures of a segment that only Whisper has, such as `avg_logprob`. */
function verbose(
  { text, language, duration, words, segments }: TranscribeAnswer,
  usage: Usage | null,
  task: TranscriptOptions['task'],
): TranscriptionAnswer {
  return {
    task,
    ...omitNullish({ language: language && nameOf(language), duration }),
    text,
    ...(words && { words: words.map(({ text: word, start, end }) => ({ word, start, end })) }),
    ...(segments && {
      segments: segments.map(({ start, end, text }, id) => ({ id, start, end, text })),
    }),
    ...usageOf(usage),
  };
}

function diarized({ text, duration, segments = [] }: TranscribeAnswer, usage: Usage | null) {
  return {
    task: 'transcribe',
    ...omitNullish({ duration }),
    text,
    segments: segments.map(speakerSegment),
    ...usageOf(usage),
  } satisfies TranscriptionAnswer;
}

function speakerSegment({ start, end, text, speaker = 0 }: TranscriptPart, at: number) {
  const type = 'transcript.text.segment' as const;
  return { type, id: `seg_${at}`, start, end, text, speaker: labelOf(speaker) };
}

/** Returns the label of a speaker: A to Z, then AA. */
function labelOf(speaker: number): string {
  const letter = String.fromCharCode('A'.charCodeAt(0) + (speaker % letters));
  return speaker < letters ? letter : labelOf(Math.floor(speaker / letters) - 1) + letter;
}

const letters = 26;

/** Returns the English name of a language, as Whisper has it; the tag if it has none. */
function nameOf(tag: string): string {
  try {
    const { language } = new Intl.Locale(tag);
    return new Intl.DisplayNames('en', { type: 'language' }).of(language)?.toLowerCase() ?? tag;
  } catch {
    return tag;
  }
}

function subtitlesOf({ text, segments = [] }: TranscribeAnswer, format: 'srt' | 'vtt'): string {
  const cues = segments.map(({ start, end, text }, id) => ({ id, start, end, text }));
  const written = subtitles({ text, segments: cues }, format);
  if (written !== undefined) return written;
  throw new GatewayError(
    'upstream',
    `The upstream sent a transcript without times, of which ${format} cannot be made.`,
  );
}

function usageOf(usage: Usage | null): { usage?: TranscriptionUsage } {
  return usage ? { usage: transcriptionUsage(usage) } : {};
}

/** Writes a whole transcript as a stream, as OpenAI streams: its text, the segments of speakers, the end. */
class TranscriptWriter implements StreamWriter {
  readonly #options: TranscriptOptions;
  #answer: TranscribeAnswer | undefined;

  constructor(options: TranscriptOptions) {
    this.#options = options;
  }

  add(event: GenerateEvent): string {
    if (event.type === 'result' && event.result.type === 'transcript') this.#answer = event.result;
    return event.type === 'finish' && this.#answer ? this.#written(this.#answer, event) : '';
  }

  #written(answer: TranscribeAnswer, { usage }: FinishEvent): string {
    const whole: TranscriptionAnswer =
      this.#options.format === 'diarized_json'
        ? diarized(answer, usage)
        : { text: answer.text, ...usageOf(usage) };
    const events = transcriptEvents(whole).map(event => sseEvent(dataJson(event)));
    return [...events, sseEvent('[DONE]')].join('');
  }
}

const common = {
  method: 'POST',
  format: 'transcriptions',
  fields: knownFields(transcriptionRequest, translationRequest),
  contentTypes: ['multipart/form-data'],
  parse: parseNone,
  render: transcriptRenderer,
  renderError: renderChatError,
  fieldNames: { audio: 'file', translate: 'model' },
  renderErrorEvent: renderNamedChatErrorEvent,
  ping: sseComment('ping'),
} satisfies Partial<FormatEndpoint<TranscriptOptions>>;

/** Transcriptions of audio. */
export const transcriptions: FormatEndpoint<TranscriptOptions> = {
  ...common,
  path: '/v1/audio/transcriptions',
  parseForm: parseTranscription,
};

/** Translations of audio into English. */
export const translations: FormatEndpoint<TranscriptOptions> = {
  ...common,
  path: '/v1/audio/translations',
  variant: 'translations',
  parseForm: parseTranslation,
};
