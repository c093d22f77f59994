import { joined, type Thought } from './answer.ts';
import { heard, type Prompt } from './prompt.ts';

/** What a model that may search the web finds, whatever it is asked. */
export const source = { url: 'https://gateway.example/docs', title: 'The gateway' };

/** Whether a user who lets the model search wants it to. */
export function wantsSearch(prompt: Pick<Prompt, 'question'>): boolean {
  return /\bsearch\b|\bthe web\b/i.test(heard(prompt));
}

/** The text that was found on the web: all of it, where the model searched; null where there is none. */
export function cited({ steps, finish }: Thought, searches: boolean): string | null {
  return searches && finish !== 'calls' ? joined(steps, 'text') || null : null;
}
