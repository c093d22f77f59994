import type { Effort, Prompt } from './prompt.ts';

const sentences: Record<Effort, number> = { minimal: 1, low: 2, medium: 3, high: 4, xhigh: 5, max: 6 };

/** What the model thinks before it answers: the more, the higher the effort. */
export function reasoningAbout(prompt: Prompt, effort: Effort): string {
  const topic = prompt.question.slice(0, 60).replace(/\s+/g, ' ').trim().toWellFormed();
  return [
    `The user says “${topic}”.`,
    'I look for what is really being asked.',
    prompt.tools.length > 0
      ? 'I weigh whether one of the tools would help.'
      : 'No tools are at hand, so words must do.',
    'I check what I know about it before I commit to an answer.',
    'There may be a simpler way to put this, so I compare two.',
    'The shorter one says the same, and I keep it.',
  ]
    .slice(0, sentences[effort])
    .join(' ');
}
