import {
  type AudioFormat,
  type FinishEvent,
  GatewayError,
  type GenerateEvent,
  noUsage,
  toErrorEvent,
  type Usage,
} from '@model-gateway/canonical';
import type { Decoder } from './dialect.ts';
import { readFailureBody } from './failure-body.ts';

/** The most bytes read of a response that is not audio. */
const maxFailure = 64 * 1024;

const types = new Map<string, string>([
  ['mp3', 'audio/mpeg'],
  ['opus', 'audio/opus'],
  ['aac', 'audio/aac'],
  ['flac', 'audio/flac'],
  ['wav', 'audio/wav'],
  ['pcm', 'audio/pcm'],
  ['ogg', 'audio/ogg'],
] satisfies [AudioFormat | 'ogg', string][]);
/** The type of audio in a format that is not known. */
const unknownType = 'application/octet-stream';

/** A request for speech, as far as its decoder needs it. */
export interface Spoken {
  text: string;
  /** `mp3` if absent. */
  format: string | undefined;
}

/** Makes an event of the next bytes; `mediaType` is set for the first. */
type WriteBytes = (bytes: Buffer, mediaType?: string) => GenerateEvent;

/** Decodes audio as it arrives. Anything else with status 200 is a failure. `request` is called when it is needed. */
export function decodeSpeech(mediaType: string, request: () => Spoken, write: WriteBytes): Decoder {
  return isAudio(mediaType) ? new AudioDecoder(mediaType, request, write) : new FailureDecoder();
}

class AudioDecoder implements Decoder {
  readonly #mediaType: string;
  readonly #request: () => Spoken;
  readonly #write: WriteBytes;
  #begun = false;

  constructor(mediaType: string, request: () => Spoken, write: WriteBytes) {
    this.#mediaType = mediaType;
    this.#request = request;
    this.#write = write;
  }

  /** Providers bill by the input's characters, even if not all of the audio is received. */
  get usage(): Usage | null {
    return this.#begun ? charactersOf(this.#request().text) : null;
  }

  read(bytes: Buffer): GenerateEvent[] {
    if (bytes.length === 0) return [];
    if (this.#begun) return [this.#write(bytes)];
    this.#begun = true;
    const specific = /^(application|binary)\/octet-stream\b/i.test(this.#mediaType) ? '' : this.#mediaType;
    return [this.#write(bytes, specific || this.#usualType())];
  }

  #usualType(): string {
    return types.get(this.#request().format || 'mp3') ?? unknownType;
  }

  end(): GenerateEvent[] {
    if (!this.#begun) return [toErrorEvent(new GatewayError('upstream', 'The upstream sent no audio.'))];
    return [finish(this.usage)];
  }
}

/** Reads a failure sent in place of audio. */
class FailureDecoder implements Decoder {
  readonly #chunks: Buffer[] = [];
  #size = 0;

  read(bytes: Buffer): GenerateEvent[] {
    this.#chunks.push(bytes);
    this.#size += bytes.length;
    return this.#size < maxFailure ? [] : this.end();
  }

  end(): GenerateEvent[] {
    const { message = 'The upstream sent something other than audio.' } = readFailureBody(
      Buffer.concat(this.#chunks),
    );
    return [toErrorEvent(new GatewayError('upstream', message))];
  }
}

/** False for text, JSON and XML. A missing media type counts as audio. */
function isAudio(mediaType: string): boolean {
  return !/^(text\/|application\/(problem\+)?(json|xml))/i.test(mediaType);
}

/** Returns the usage of a text by its Unicode characters. */
export function charactersOf(text: string): Usage {
  return { ...noUsage, units: { characters: [...text].length } };
}

export function finish(usage: Usage | null): FinishEvent {
  return { type: 'finish', reason: 'stop', raw: null, usage };
}
