/** Random numbers that depend only on the seed (mulberry32). */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 up to 1, excluding 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  pick<T>(list: readonly [T, ...T[]]): T {
    return list[Math.floor(this.next() * list.length)] ?? list[0];
  }
}

export interface Alternative {
  token: string;
  /** Natural logarithm of its probability. */
  logprob: number;
}

const words = 'the a it is this and to in that of for on as with be at by not or from we you'.split(' ');

/** The likelihood of the token at an index of a text, with up to 20 alternatives. The token is the first of them. */
export function likelihood(token: string, place: number, top: number): Alternative & { top: Alternative[] } {
  const random = new SeededRandom(place * 31 + token.length);
  const itself: Alternative = { token, logprob: rounded(-0.01 - random.next() * 0.6) };
  const others = words.map(word => ` ${word}`).filter(other => other !== token);
  const rest = others.map((other, at) => ({ token: other, logprob: rounded(-1.5 - at - random.next()) }));
  return { ...itself, top: [itself, ...rest].slice(0, top) };
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
