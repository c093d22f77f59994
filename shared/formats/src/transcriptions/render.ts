import type {
  FinishEvent,
  GenerateEvent,
  TranscribeAnswer,
  TranscriptPart,
  Usage,
} from '@model-gateway/canonical';
import { GatewayError } from '@model-gateway/canonical';
import { omitNullish } from '@model-gateway/json';
import { dataJson, sseEvent } from '@model-gateway/sse';
import { RenderedText, type ResultRenderer, type StreamWriter } from '../client/endpoint.ts';
import { type TranscriptionAnswer, type TranscriptionUsage, transcriptionUsage } from './answer.ts';
import { transcriptEvents } from './events.ts';
import type { TranscriptionFormat } from './request.ts';
import { subtitles } from './subtitles.ts';

/** The fields of a request that affect how its answer is rendered. */
export interface TranscriptOptions {
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
