import { Dice } from './dice.ts';

/** How likely a token was, with the tokens that were likely in its place, itself first. */
export interface Likelihood extends Alternative {
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
  const dice = new Dice(place * 31 + token.length);
  const itself: Alternative = { token, logprob: rounded(-0.01 - dice.roll() * 0.6) };
  const others = words.map(word => ` ${word}`).filter(other => other !== token);
  const rest = others.map((other, at) => ({ token: other, logprob: rounded(-1.5 - at - dice.roll()) }));
  return { ...itself, top: [itself, ...rest].slice(0, top) };
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
