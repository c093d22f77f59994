import { type Finish, joined, type Thought } from '../mind/answer.ts';
import { type Alternative, likelihood } from '../mind/logprobs.ts';
import { cited, source } from '../mind/source.ts';
import type { GenerateAsked } from './parse.ts';

export const finishReasons = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  calls: 'STOP',
  refusal: 'SAFETY',
  blocked: 'SAFETY',
} as const satisfies Record<Finish, string>;

/** How a candidate ends: the reason, and where its text comes from. */
export function endOf(thought: Thought, asked: GenerateAsked) {
  const refusal = thought.finish === 'refusal' ? joined(thought.steps, 'refusal') : '';
  return {
    finishReason: finishReasons[thought.finish],
    ...(refusal && {
      finishMessage: refusal,
      safetyRatings: [{ ...rating, probability: 'HIGH', blocked: true }],
    }),
    ...groundingOf(thought, asked),
  };
}

const rating = { category: 'HARM_CATEGORY_DANGEROUS_CONTENT' };

/** What is said in place of an answer where the prompt is blocked. */
export const blocked = {
  promptFeedback: {
    blockReason: 'PROHIBITED_CONTENT',
    safetyRatings: [{ ...rating, probability: 'HIGH', blocked: true }],
  },
};

function groundingOf(thought: Thought, { prompt, searches }: GenerateAsked) {
  const text = cited(thought, searches);
  if (text === null) return {};
  const segment = { endIndex: Buffer.byteLength(text), text };
  return {
    groundingMetadata: {
      webSearchQueries: [prompt.question.slice(0, 100).toWellFormed()],
      groundingChunks: [{ web: { uri: source.url, title: source.title } }],
      groundingSupports: [{ segment, groundingChunkIndices: [0] }],
      searchEntryPoint: { renderedContent: '<div>The gateway</div>' },
    },
  };
}

/** The likelihoods of some tokens of a text, the first of which stands at `place`. */
export function logprobsOf(tokens: readonly string[], place: number, top: number) {
  const all = tokens.map((token, at) => likelihood(token, place + at, top));
  return {
    logprobsResult: {
      chosenCandidates: all.map(shown),
      ...(top > 0 && { topCandidates: all.map(one => ({ candidates: one.top.map(shown) })) }),
    },
  };
}

function shown({ token, logprob }: Alternative) {
  return { token, logProbability: logprob };
}
