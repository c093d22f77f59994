import { type Alternative, likelihood } from '../mind/logprobs.ts';

/** The `logprobs` of some tokens of a text, the first of which stands at `place`. */
export function chatLogprobs(tokens: readonly string[], place: number, top: number) {
  const content = tokens.map((token, at) => {
    const { top: alternatives, ...itself } = likelihood(token, place + at, top);
    return { ...withBytes(itself), top_logprobs: alternatives.map(withBytes) };
  });
  return { content, refusal: null };
}

function withBytes({ token, logprob }: Alternative) {
  return { token, logprob, bytes: [...Buffer.from(token)] };
}
