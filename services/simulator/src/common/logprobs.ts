import { dataJson } from '@model-gateway/sse';
import type { Reply } from '../responder/answer.ts';
import { type Alternative, likelihood } from '../responder/seeded-random.ts';

/** Returns the `logprobs` of a choice's tokens, of which the first is at `place` in the reply and at `offset` in the text. */
export type LogprobsOf = (tokens: string[], place: number, offset: number) => object;

/** Returns a body with the log probabilities that its renderer leaves out. */
export function withLogprobs(body: unknown, replies: readonly Reply[], of: LogprobsOf): unknown {
  const { choices, ...rest } = body as { choices: object[] };
  const all = choices.map((choice, index) => {
    const { steps = [] } = replies[index] ?? {};
    const tokens = steps.flatMap(step => (step.kind === 'text' ? [step.text] : []));
    return tokens.length > 0 ? { ...choice, logprobs: of(tokens, steps.length - tokens.length, 0) } : choice;
  });
  return { ...rest, choices: all };
}

/** Adds log probabilities to the chunks of a stream. */
export class StreamedLogprobs {
  readonly #of: LogprobsOf;
  /** The length of each choice's text so far. */
  readonly #offsets: number[] = [];

  constructor(of: LogprobsOf) {
    this.#of = of;
  }

  /** Adds those of the token at `place` to the last of its chunks. */
  add(chunks: string[], { steps }: Reply, choice: number, place: number): string[] {
    const step = steps[place];
    if (step?.kind !== 'text') return chunks;
    const offset = this.#offsets[choice] ?? 0;
    this.#offsets[choice] = offset + step.text.length;
    const logprobs = dataJson(this.#of([step.text], place, offset));
    const last = chunks.at(-1) ?? '';
    return [...chunks.slice(0, -1), last.replace('"logprobs":null', () => `"logprobs":${logprobs}`)];
  }
}

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
