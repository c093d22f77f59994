import { type Alternative, likelihood } from '../responder/seeded-random.ts';

/** The log probabilities of tokens, of which the first is at `place` in the text. */
export function tokenLogprobs(tokens: readonly string[], place: number, top: number) {
  return tokens.map((token, at) => {
    const { top: alternatives, ...itself } = likelihood(token, place + at, top);
    return { ...withBytes(itself), top_logprobs: alternatives.map(withBytes) };
  });
}

function withBytes({ token, logprob }: Alternative) {
  return { token, logprob, bytes: [...Buffer.from(token)] };
}
