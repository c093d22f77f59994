import type { Json } from './json.ts';

/** What a client of any format makes of an answer. */
export interface Got {
  status: number;
  text: string;
  reasoning: string;
  refusal: string;
  calls: { id: string; name: string; args: unknown }[];
  /** Why it ended; null where nothing says so. */
  finish: 'stop' | 'length' | 'calls' | 'refusal' | null;
  /** In tokens; cached ones are part of the input, reasoning of the output. */
  usage: { input: number; cached: number; output: number; reasoning: number } | null;
  /** The addresses of the pages that the text cites. */
  cited: string[];
  /** How many answers there are. */
  answers: number;
  error?: { name: string; message: string; param?: string };
  /** The answer as the client keeps it in its history. */
  own: unknown[];
}

/** What a body says; the status is the transport's. */
export type Reading = Omit<Got, 'status'>;

export const nothing: Reading = {
  text: '',
  reasoning: '',
  refusal: '',
  calls: [],
  finish: null,
  usage: null,
  cited: [],
  answers: 0,
  own: [],
};

/** The texts of a member of all elements as one. */
export function joined(elements: readonly Json[] | undefined, member: string): string {
  return (elements ?? []).map(element => element[member] ?? '').join('');
}
