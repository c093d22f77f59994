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
  /** Unique within a conversation; the wire format puts its prefix before it. */
  id: string;
  tool: 'function' | 'custom';
  name: string;
}

/** Why an answer ended: by itself or at a stop string, at the token limit, to have tools called, because the model refuses in words, or because a filter lets nothing through. */
export type Finish = 'stop' | 'length' | 'calls' | 'refusal' | 'blocked';

/** One of the answers to a prompt. */
export interface Reply {
  steps: Step[];
  finish: Finish;
  /** The stop string that ended it, if one did. */
  stopped: string | null;
}

/** Tokens of a request and its answers. */
export interface Usage {
  /** All that was read, cached tokens and media included. */
  input: number;
  /** Read from the cache. */
  cachedInput: number;
  /** Written to the cache, to be kept for five minutes. */
  cacheWrite5m: number;
  /** Written to the cache, to be kept for an hour. */
  cacheWrite1h: number;
  audioInput: number;
  /** All that was written, reasoning and images included. */
  output: number;
  reasoning: number;
  /** Of images in an answer. */
  imageOutput: number;
}

/** All that a wire format needs in order to answer. */
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

/** The text of one kind of step, in one piece. */
export function joined(steps: readonly Step[], kind: 'reasoning' | 'text' | 'refusal'): string {
  let text = '';
  for (const step of steps) if (step.kind === kind) text += step.text;
  return text;
}

/** What a model that may search the web finds, whatever it is asked. */
export const source = { url: 'https://gateway.example/docs', title: 'The gateway' };

/** Whether a user who lets the model search wants it to. */
export function wantsSearch(prompt: Pick<Prompt, 'question'>): boolean {
  return /\bsearch\b|\bthe web\b/i.test(lastUserText(prompt));
}

/** The text that was found on the web: all of it, where the model searched; null where there is none. */
export function cited({ steps, finish }: Reply, searches: boolean): string | null {
  return searches && finish !== 'calls' ? joined(steps, 'text') || null : null;
}
