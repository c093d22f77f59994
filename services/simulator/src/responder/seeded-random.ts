/** Random numbers that are the same for the same seed (mulberry32). */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to 1, without 1. */
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

/** The logprob of a token with its alternatives, itself first. */
interface Likelihood extends Alternative {
  top: Alternative[];
}

export interface Alternative {
  token: string;
  /** Natural logarithm of its probability. */
  logprob: number;
}

const words = 'the a it is this and to in that of for on as with be at by not or from we you'.split(' ');

/** Plausible likelihoods of the token at a place in a text, with up to 20 alternatives, itself among them. */
export function likelihood(token: string, place: number, top: number): Likelihood {
  const random = new SeededRandom(place * 31 + token.length);
  const itself: Alternative = { token, logprob: rounded(-0.01 - random.next() * 0.6) };
  const others = words.map(word => ` ${word}`).filter(other => other !== token);
  const rest = others.map((other, at) => ({ token: other, logprob: rounded(-1.5 - at - random.next()) }));
  return { ...itself, top: [itself, ...rest].slice(0, top) };
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
