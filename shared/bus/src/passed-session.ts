import { answerCharacters, noUsage, type Usage } from '@model-gateway/canonical';
import { isJsonObject, parseJsonObject } from '@model-gateway/json';

/** Bytes in which an event names its type. */
const headBytes = 4_096;
/** The largest event whose usage is read, in bytes. */
const mostRead = 4 * 1024 * 1024;
/** Characters per token of text. */
const charactersPerToken = 4;
/** Tokens of a second of audio, and bytes of a second by its format: PCM has 24,000 samples of 16 bits, G.711 8,000 of 8 bits. */
const tokensPerSecond = { input: 10, output: 20 };
const bytesPerSecond = { pcm: 48_000, g711: 8_000 };
const g711 = /"(?:audio\/pcm[ua]|g711_[ua]law)"/;

/** The part of a realtime session at a provider that was passed on, from which responses are estimated that do not end. */
export class PassedSession {
  /** Responses that have begun and not ended. */
  open = 0;
  /** The usage of the response that ended last. */
  usage: Usage | null = null;
  /** Tokens of the conversation at its end. */
  #before = 0;
  /** Text, in characters, and audio, in bytes, of the client since then. */
  #asked = { text: 0, audio: 0 };
  /** The same of the responses since one was alone. */
  #answered = { text: 0, audio: 0 };
  #audio: keyof typeof bytesPerSecond = 'pcm';

  /** An estimate of the input of a response that begins now, in tokens. */
  get input(): number {
    return this.#before + this.#tokensOf('input', this.#asked);
  }

  /** An estimate of the output of the responses that have not ended, in tokens. */
  get output(): number {
    return this.#tokensOf('output', this.#answered);
  }

  /** Returns an estimate of the usage of a response that did not end. `input`: as it was when it began. `isLast`: true for the last one. */
  estimate(input: number, isLast: boolean): Usage {
    return { ...noUsage, input, output: isLast ? this.output : 0 };
  }

  /** Takes note of a message of the client. */
  sent(data: Uint8Array): void {
    const message = bufferOf(data);
    if (!headOf(message).includes('"input_audio_buffer.append"')) this.#asked.text += data.length;
    else this.#asked.audio += decoded(data.length);
  }

  /** Takes note of an event of the provider. Returns true if it is a part of a response. */
  received(data: Uint8Array): boolean {
    const event = bufferOf(data);
    const head = headOf(event);
    if (head.includes('.delta"')) {
      if (head.includes('audio.delta"')) this.#answered.audio += decoded(base64In(event));
      else this.#answered.text += answerCharacters(event);
      return true;
    }
    if (head.includes('"response.created"')) this.#begin();
    else if (head.includes('"response.done"')) this.#end(event);
    else if (head.includes('"session.')) this.#audio = g711.test(event.toString('latin1')) ? 'g711' : 'pcm';
    return false;
  }

  #begin(): void {
    this.open++;
    if (this.open === 1) this.#answered = { text: 0, audio: 0 };
  }

  #end(event: Buffer): void {
    this.open = Math.max(0, this.open - 1);
    const { response } = (event.length <= mostRead && parseJsonObject(event)) || {};
    this.usage = isJsonObject(response) ? sessionUsage(response.usage) : null;
    if (!this.usage) return;
    this.#before = this.usage.input + this.usage.output;
    this.#asked = { text: 0, audio: 0 };
  }

  #tokensOf(side: keyof typeof tokensPerSecond, { text, audio }: { text: number; audio: number }): number {
    const seconds = audio / bytesPerSecond[this.#audio];
    return Math.ceil(text / charactersPerToken + seconds * tokensPerSecond[side]);
  }
}

/** Returns the usage of a response of a session; null if it has none. */
export function sessionUsage(usage: unknown): Usage | null {
  if (!isJsonObject(usage)) return null;
  const input = detailsOf(usage.input_token_details);
  const output = detailsOf(usage.output_token_details);
  return {
    ...noUsage,
    input: countOf(usage.input_tokens),
    cachedInput: countOf(input.cached_tokens),
    audioInput: countOf(input.audio_tokens),
    imageInput: countOf(input.image_tokens),
    output: countOf(usage.output_tokens),
    reasoning: countOf(output.reasoning_tokens),
    audioOutput: countOf(output.audio_tokens),
    raw: usage,
  };
}

function detailsOf(value: unknown): Record<string, unknown> {
  return isJsonObject(value) ? value : {};
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function headOf(message: Buffer): Buffer {
  return message.subarray(0, headBytes);
}

/** Returns the number of characters of the audio in an event. */
function base64In(event: Buffer): number {
  const key = event.indexOf('"delta"');
  const at = event.indexOf('"', key + 7);
  const end = event.indexOf('"', at + 1);
  return key < 0 || at < 0 || end < 0 ? 0 : end - at - 1;
}

/** Returns the bytes of so many characters of base64. */
function decoded(characters: number): number {
  return (characters * 3) / 4;
}
