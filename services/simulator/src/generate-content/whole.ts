import type { Answer, Thought } from '../mind/answer.ts';
import { blocked, endOf, logprobsOf } from './candidate.ts';
import type { GenerateAsked } from './parse.ts';
import { partsOf } from './parts.ts';
import { generateUsage } from './usage.ts';

/** An answer as one GenerateContentResponse; where the prompt is blocked it has no candidates. */
export function whole(asked: GenerateAsked, answer: Answer) {
  const stopped = answer.thoughts.every(({ finish }) => finish === 'blocked');
  return {
    ...(stopped
      ? blocked
      : { candidates: answer.thoughts.map((thought, at) => candidate(asked, thought, at)) }),
    usageMetadata: generateUsage(answer.usage),
    ...headOf(asked, answer),
  };
}

/** The fields that a whole answer and every chunk of a streamed one have in common. */
export function headOf({ prompt: { model } }: GenerateAsked, { id }: Answer) {
  return { modelVersion: model, responseId: id };
}

function candidate(asked: GenerateAsked, thought: Thought, index: number) {
  const parts = partsOf(thought, asked);
  const tokens = thought.steps.flatMap(step => (step.kind === 'text' ? [step.text] : []));
  return {
    // Proto JSON leaves a 0 out.
    ...(index > 0 && { index }),
    ...(thought.finish !== 'refusal' && { content: { role: 'model', ...(parts.length > 0 && { parts }) } }),
    ...endOf(thought, asked),
    ...(asked.topLogprobs !== null && tokens.length > 0 && logprobsOf(tokens, 0, asked.topLogprobs)),
  };
}
