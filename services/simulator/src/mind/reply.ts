import type { Dice } from './dice.ts';
import { knownAbout } from './knowledge.ts';
import { heard, heeded, type Prompt, type ToolResult } from './prompt.ts';

const greeting = /^\W*(?:hi|hello|hey|howdy|greetings|good (?:morning|afternoon|evening|day))\b/i;
const greetings = [
  'Hello! How can I help you today?',
  'Hi there! What would you like to talk about?',
  'Hello, and welcome! Ask me anything, for example what this gateway does.',
] as const;
const openers = [
  'Put differently: ',
  'In other words: ',
  'Another way to say it: ',
  'To look at it from the other side: ',
];

/** An answer in plain words; the answers to one prompt differ by their `choice`. */
export function reply(prompt: Prompt, choice: number, dice: Dice): string {
  const question = heard(prompt);
  const text =
    knownAbout(question) ?? (greeting.test(question) ? dice.pick(greetings) : echo(prompt, question));
  return shortened(opener(choice) + text, `${heeded(prompt)}\n${question}`);
}

/** What is said to a request that is refused. */
export const refusal = 'I will not help with that, because you asked me to say no.';

/** A sentence that quotes what the tools gave. */
export function report(results: readonly ToolResult[]): string {
  const parts = results
    .slice(0, 32)
    .map(({ call, text }) => `${call} gave ${text.slice(0, 500).toWellFormed()}`);
  return `Here is what I found: ${parts.join(', and ')}.`;
}

function opener(choice: number): string {
  if (choice === 0) return '';
  return openers[choice - 1] ?? `Answer ${choice + 1}: `;
}

function echo({ question: whole, media }: Prompt, question: string): string {
  const words = question.split(/\s+/).filter(Boolean);
  const seen = media.images + media.audio + media.files;
  const along = seen > 0 ? ` It came with ${seen} ${seen === 1 ? 'attachment' : 'attachments'}.` : '';
  if (words.length === 0) return `You sent no text.${along} What would you like to know?`;
  if (words.length <= 30)
    return `You said: “${words.join(' ')}”.${along} I am a simulated model, so I can only repeat it back to you, but ask me about the gateway and I can explain how it works.`;
  return `Your message is ${whole.length} characters long.${along} It begins with “${words.slice(0, 12).join(' ')}…” As a simulated model I cannot go deeper, but every word of it reached me.`;
}

const numerals = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const wordLimit = new RegExp(
  `\\b(?:in|with|to|most|under|than|exactly|only|just|use) (\\d{1,4}|${numerals.join('|')}) words?\\b`,
  'i',
);
const brief = /\b(?:brief|briefly|concise|concisely|terse|short answers?|one sentence)\b/i;

/** Keeps to "answer in N words" and "be brief". */
function shortened(text: string, asked: string): string {
  const [, count] = wordLimit.exec(asked) ?? [];
  if (count) {
    const most = numerals.indexOf(count.toLowerCase()) + 1 || Number(count);
    return text.split(' ').slice(0, most).join(' ');
  }
  return brief.test(asked) ? (/^.*?[.!?](?=\s|$)/su.exec(text)?.[0] ?? text) : text;
}
