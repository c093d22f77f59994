import { type Alternative, likelihood } from '../mind/logprobs.ts';

/** The `logprobs` of some tokens of a text, the first of which stands at `place`. */
export function chatLogprobs(tokens: readonly string[], place: number, top: number) {
  return { content: tokenLogprobs(tokens, place, top), refusal: null };
}

/** The same without what chat puts around it. */
export function tokenLogprobs(tokens: readonly string[], place: number, top: number) {
  return tokens.map((token, at) => {
    const { top: alternatives, ...itself } = likelihood(token, place + at, top);
    return { ...withBytes(itself), top_logprobs: alternatives.map(withBytes) };
  });
}

function withBytes({ token, logprob }: Alternative) {
  return { token, logprob, bytes: [...Buffer.from(token)] };
}
