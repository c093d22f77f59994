import { isSchema, type Schema } from './json-value.ts';
import type { Pace } from './pace.ts';
import { lastUserText, type Prompt } from './prompt.ts';

/** One token of an answer. The opening of a tool call counts as a token. */
export type Step =
  | { kind: 'reasoning'; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'refusal'; text: string }
  | { kind: 'call'; call: Call }
  | { kind: 'input'; call: Call; text: string };

export interface Call {
  /** Index among the calls of one answer. */
  index: number;
  /** Unique within a conversation. Wire formats add a prefix. */
  id: string;
  tool: 'function' | 'custom';
  name: string;
}

/** `stop` includes a stop string, `length` is the token limit, `blocked` is a content filter. */
export type Finish = 'stop' | 'length' | 'calls' | 'refusal' | 'blocked';

/** One of several answers to a prompt. */
export interface Reply {
  steps: Step[];
  finish: Finish;
  /** The stop string that ended the reply, if any. */
  stopped: string | null;
}

export interface Usage {
  /** Includes cached tokens and media. */
  input: number;
  /** Read from the cache. */
  cachedInput: number;
  /** Written to the cache for five minutes. */
  cacheWrite5m: number;
  /** Written to the cache for an hour. */
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
  /** One for each requested answer. */
  replies: Reply[];
  usage: Usage;
  pace: Pace;
}

/** The consecutive steps that make one content block or output item. */
export type Run = { steps: Step[]; text: string } & (
  | { kind: 'reasoning' | 'text' | 'refusal' }
  | { kind: 'call'; call: Call }
);

export function runsOf({ steps }: Reply): Run[] {
  const runs: Run[] = [];
  for (const step of steps) {
    const last = runs.at(-1);
    if (step.kind === 'call') runs.push({ kind: 'call', call: step.call, steps: [step], text: '' });
    else if (last && last.kind === (step.kind === 'input' ? 'call' : step.kind)) {
      last.steps.push(step);
      last.text += step.text;
    } else if (step.kind !== 'input') runs.push({ kind: step.kind, steps: [step], text: step.text });
  }
  return runs;
}

/** The input of a call; null if it was cut off or is not an object. */
export function parsedObject(input: string): Schema | null {
  try {
    const value: unknown = JSON.parse(input);
    return isSchema(value) ? value : null;
  } catch {
    return null;
  }
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

/** The text to cite if the model searched the web; null if it did not. */
export function cited({ steps, finish }: Reply, searches: boolean): string | null {
  return searches && finish !== 'calls' ? joined(steps, 'text') || null : null;
}
