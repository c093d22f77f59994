import type { SpeechAsked } from './parse.ts';

const silence = 0;
const notes = 8;

type Sung = Pick<SpeechAsked, 'tokens' | 'voice' | 'characterMs' | 'codec'>;

/** A text as music: each character is a note, in another key for each voice; what is not said is silence. */
export class Melody {
  /** The notes of each token. */
  readonly #tokens: number[][];
  readonly #frameMs: number;
  readonly #characterMs: number;
  /** How long it sounds. */
  readonly ms: number;
  /** How many frames it fills, at least one. */
  readonly frames: number;

  constructor({ tokens, voice, characterMs, codec }: Sung) {
    const key = Array.from(voice, numberOf).reduce((sum, number) => sum + number, 0);
    this.#tokens = tokens.map(token => Array.from(token, character => noteOf(character, key)));
    this.#frameMs = codec.frameMs;
    this.#characterMs = characterMs;
    this.ms = characterMs * this.#tokens.reduce((sum, { length }) => sum + length, 0);
    this.frames = Math.max(1, Math.ceil(this.ms / codec.frameMs));
  }

  /** The note of the last frame. */
  get last(): number {
    return this.#tokens.at(-1)?.at(-1) ?? silence;
  }

  /** The notes of the frames that begin within each token, but for the last frame. */
  *beats(): Generator<number[]> {
    let done = 0;
    let spoken = 0;
    for (const token of this.#tokens) {
      const startMs = spoken * this.#characterMs;
      spoken += token.length;
      const end = Math.min(Math.ceil((spoken * this.#characterMs) / this.#frameMs), this.frames - 1);
      const middleMs = (frame: number) => (done + frame + 0.5) * this.#frameMs - startMs;
      yield Array.from({ length: end - done }, (_, frame) => this.#noteAt(token, middleMs(frame)));
      done = end;
    }
  }

  #noteAt(token: number[], ms: number): number {
    return token[Math.min(Math.floor(ms / this.#characterMs), token.length - 1)] ?? silence;
  }
}

function noteOf(character: string, key: number): number {
  if (!/[\p{L}\p{N}]/u.test(character)) return silence;
  return 1 + ((numberOf(character.toLowerCase()) + key) % notes);
}

function numberOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
