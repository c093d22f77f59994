import type { Pace } from './pace.ts';
import { lastUserText, type Prompt } from './prompt.ts';

/** One token of an answer; the opening of a tool call counts as one too. */
export type Step =
  | { kind: 'reasoning'; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'refusal'; text: string }
  | { kind: 'call'; call: Call }
  | { kind: 'input'; call: Call; text: string };

export interface Call {
  /** Its place among the calls of one answer, from 0. */
  index: number;
  /** Unique within a conversation. Wire formats add a prefix. */
  id: string;
  tool: 'function' | 'custom';
  name: string;
}

/** `stop` includes a stop string, `length` is the token limit, `blocked` is a content filter. */
export type Finish = 'stop' | 'length' | 'calls' | 'refusal' | 'blocked';

/** One of the answers to a prompt. */
export interface Reply {
  steps: Step[];
  finish: Finish;
  /** The stop string that ended it, if one did. */
  stopped: string | null;
}

export interface Usage {
  /** Includes cached tokens and media. */
  input: number;
  /** Read from the cache. */
  cachedInput: number;
  /** Written to the cache, to be kept for five minutes. */
  cacheWrite5m: number;
  /** Written to the cache, to be kept for an hour. */
  cacheWrite1h: number;
  audioInput: number;
  /** Includes reasoning and images. */
  output: number;
  reasoning: number;
  imageOutput: number;
}

/** An answer, independent of the wire format. */
export interface Answer {
  /** Hexadecimal digits, unique within this process. */
  id: string;
  /** Unix seconds. */
  created: number;
  /** One for each answer asked for. */
  replies: Reply[];
  usage: Usage;
  pace: Pace;
}

export function joined(steps: readonly Step[], kind: 'reasoning' | 'text' | 'refusal'): string {
  let text = '';
  for (const step of steps) if (step.kind === kind) text += step.text;
  return text;
}

/** The result of every web search. */
export const source = { url: 'https://gateway.example/docs', title: 'The gateway' };

/** True if the user asks for a web search. */
export function wantsSearch(prompt: Pick<Prompt, 'question'>): boolean {
  return /\bsearch\b|\bthe web\b/i.test(lastUserText(prompt));
}

/** The text to cite if the model searched the web, else null. */
export function cited({ steps, finish }: Reply, searches: boolean): string | null {
  return searches && finish !== 'calls' ? joined(steps, 'text') || null : null;
}
