import type { WireFormat } from '@model-gateway/canonical';

/** A text without its first quote, up to its last one or to the end of the bytes. */
const rest = String.raw`([^"\\]*(?:\\[^][^"\\]*)*)("?)`;
const keys = 'content|text|delta|thinking|arguments|partial_json|reasoning|reasoning_content|refusal';
const texts = new RegExp(String.raw`"(?:${keys})"\s*:\s*"${rest}`, 'g');
/** Later events of `responses` repeat the texts of its deltas. */
const deltas = new RegExp(String.raw`"delta"\s*:\s*"${rest}`, 'g');
/** Calls of `generate-content` are values of any kind, in events whose other strings are short but for signatures. */
const calls = /"(?:functionCall|executableCode)"\s*:/;
const signatures = new RegExp(String.raw`"thoughtSignature"\s*:\s*"${rest}`, 'g');
/** The text that began in an earlier piece. */
const begun = new RegExp(rest, 'y');

/** The most bytes from a key to its text, which may be in two pieces. */
const longestKey = 64;

/** Counts the text in the events of a stream that is passed on, which may arrive in pieces. */
export class AnswerText {
  readonly #format: WireFormat;
  /** True for the rest of an event with a call. */
  #isCall = false;
  /** True while a text goes on in the next piece. */
  #isOpen = false;
  /** The end of the last piece, which is read with the next one. */
  #rest = '';

  /** `format`: that of the events. */
  constructor(format: WireFormat) {
    this.#format = format;
  }

  /** Returns the bytes of text in whole events, or in a piece of one if they are `partial`. */
  add(bytes: Uint8Array, partial = false): number {
    const { buffer, byteOffset, byteLength } = bytes;
    const all = this.#rest + Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
    this.#isCall ||= this.#format === 'generate-content' && calls.test(all);
    const strings = this.#isCall ? signatures : this.#format === 'responses' ? deltas : texts;
    let count = 0;
    let at = 0;
    let isOpen = this.#isOpen;
    for (;;) {
      const pattern = isOpen ? begun : strings;
      pattern.lastIndex = at;
      const found = pattern.exec(all);
      if (!found) break;
      at = pattern.lastIndex;
      count += found[1]?.length ?? 0;
      isOpen = found[2] === '';
      if (isOpen) break;
    }
    this.#isOpen = partial && isOpen;
    this.#rest = partial ? all.slice(isOpen ? at : Math.max(at, all.length - longestKey)) : '';
    const isCall = this.#isCall;
    this.#isCall &&= partial;
    return isCall ? Math.max(0, byteLength - count) : count;
  }
}
