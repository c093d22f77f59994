import type { Pace } from './pace.ts';
import type { Usage } from './usage.ts';

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
export interface Thought {
  steps: Step[];
  finish: Finish;
  /** The stop string that ended it, if one did. */
  stopped: string | null;
}

/** All that a wire format needs in order to answer. */
export interface Answer {
  /** Hexadecimal digits, unique within this process. */
  id: string;
  /** Unix seconds. */
  created: number;
  /** One for each answer asked for. */
  thoughts: Thought[];
  usage: Usage;
  pace: Pace;
}

/** The text of one kind of step, in one piece. */
export function joined(steps: readonly Step[], kind: 'reasoning' | 'text' | 'refusal'): string {
  let text = '';
  for (const step of steps) if (step.kind === kind) text += step.text;
  return text;
}
