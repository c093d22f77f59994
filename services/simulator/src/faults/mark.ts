import type { Answer, Thought } from '../mind/answer.ts';

/** Characters that show where in its bytes an answer is to be spoilt; one stands in no usual text, the other is the fault. */
export const marks = { line: '\uE000', u2028: '\u2028' } as const;
export type Mark = keyof typeof marks;

/** Puts a mark after the first token of text; an answer that only calls tools has none. */
export function marked(answer: Answer, mark: Mark): Answer {
  return { ...answer, thoughts: answer.thoughts.map(thought => markedThought(thought, marks[mark])) };
}

/** A text that ends with a mark. */
export function withMark(text: string, mark?: Mark): string {
  return mark ? text + marks[mark] : text;
}

function markedThought(thought: Thought, character: string): Thought {
  const first = thought.steps.findIndex(({ kind }) => kind === 'text');
  const steps = thought.steps.map((step, at) =>
    at === first && step.kind === 'text' ? { ...step, text: step.text + character } : step,
  );
  return { ...thought, steps };
}
