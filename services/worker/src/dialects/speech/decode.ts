import {
  type FinishEvent,
  GatewayError,
  type GenerateEvent,
  noUsage,
  toErrorEvent,
  type Usage,
} from '@model-gateway/canonical';
import { dataJson, sseEvent } from '@model-gateway/sse';
import type { SpeechDelta, SpeechDone, SpeechFormat, SpeechRequest } from '@model-gateway/wire';
import { LastEvent, readTokens } from '../decode-audio.ts';
import type { Decoder, EncodeInput } from '../dialect.ts';
import { readFailureBody } from '../failure-body.ts';
import { type EventData, PassedEvents } from '../passed-events.ts';

/** The most of an answer that is no audio that is read. */
const maxFailure = 64 * 1024;
/** How much audio one event holds, where the events are made here. */
const eventBytes = 48 * 1024;

const lastType: SpeechDone['type'] = 'speech.audio.done';

const types: Record<SpeechFormat, string> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};

type Asked = Pick<EncodeInput<never>, 'text'>;

/** Passes audio on as it comes. What comes in its place with status 200 is a failure. */
export function decodeAudio(input: Asked, mediaType: string, length?: number): Decoder {
  return isAudio(mediaType) ? new AudioDecoder(input, mediaType, length) : new NoAudio();
}

export function decodeEvents(input: Asked): Decoder {
  const usageIn = ({ type, usage }: EventData) =>
    type === lastType ? (spokenTokens(usage) ?? charactersOf(input)) : null;
  return new PassedEvents(new LastEvent(lastType, usageIn));
}

/** Audio that came where events were asked for, as events; undefined for what is no audio. */
export function decodeBody(body: Buffer, input: Asked): GenerateEvent[] | undefined {
  if (body.length === 0 || isText(body)) return undefined;
  const deltas = Array.from({ length: Math.ceil(body.length / eventBytes) }, (_, i) => {
    const audio = body.subarray(i * eventBytes, (i + 1) * eventBytes).toString('base64');
    return event({ type: 'speech.audio.delta', audio });
  });
  // Clients expect tokens there, and nobody counted any.
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
  const events = [...deltas, event({ type: lastType, usage })];
  return [
    ...events.map((text): GenerateEvent => ({ type: 'verbatim', bytes: Buffer.from(text) })),
    finish(charactersOf(input)),
  ];
}

class AudioDecoder implements Decoder {
  readonly #input: Asked;
  readonly #mediaType: string;
  readonly #length: number | undefined;
  #begun = false;

  constructor(input: Asked, mediaType: string, length: number | undefined) {
    this.#input = input;
    this.#mediaType = mediaType;
    this.#length = length;
  }

  /** Who speaks is paid by what was to be said, however much of it is heard. */
  get usage(): Usage | null {
    return this.#begun ? charactersOf(this.#input) : null;
  }

  read(bytes: Buffer): GenerateEvent[] {
    if (bytes.length === 0) return [];
    if (this.#begun) return [{ type: 'verbatim', bytes }];
    this.#begun = true;
    const known = /^(application|binary)\/octet-stream\b/i.test(this.#mediaType) ? '' : this.#mediaType;
    const mediaType = known || types[asked(this.#input).response_format ?? 'mp3'];
    const length = this.#length === undefined ? {} : { length: this.#length };
    return [{ type: 'verbatim', bytes, whole: { status: 200, mediaType, ...length } }];
  }

  end(): GenerateEvent[] {
    if (!this.#begun) return [toErrorEvent(new GatewayError('upstream', 'The upstream sent no audio.'))];
    return [finish(this.usage)];
  }
}

/** What comes in place of audio. */
class NoAudio implements Decoder {
  readonly #chunks: Buffer[] = [];
  #size = 0;

  read(bytes: Buffer): GenerateEvent[] {
    if (this.#size < maxFailure) this.#chunks.push(bytes);
    this.#size += bytes.length;
    return [];
  }

  end(): GenerateEvent[] {
    const { message = 'The upstream sent something else than audio.' } = readFailureBody(
      Buffer.concat(this.#chunks),
    );
    return [toErrorEvent(new GatewayError('upstream', message))];
  }
}

/** A page and JSON are none; where nothing is said, it is what was asked for. */
function isAudio(mediaType: string): boolean {
  return !/^(text\/|application\/(problem\+)?(json|xml))/i.test(mediaType);
}

/** Of what came without a word of its type: whether it is JSON or a page. */
function isText(body: Buffer): boolean {
  return /^\s*[{[<]/.test(body.toString('latin1', 0, 64));
}

function asked({ text }: Asked): SpeechRequest {
  return JSON.parse(text?.toString('utf8') ?? '{}');
}

function charactersOf(input: Asked): Usage {
  return { ...noUsage, units: { characters: [...(asked(input).input ?? '')].length } };
}

/** What is written here is all heard. */
function spokenTokens(raw: unknown): Usage | null {
  const usage = readTokens(raw);
  return usage && { ...usage, audioOutput: usage.output };
}

function event(data: SpeechDelta | SpeechDone): string {
  return sseEvent(dataJson(data));
}

function finish(usage: Usage | null): FinishEvent {
  return { type: 'finish', reason: 'stop', raw: null, usage };
}
