import type { Json } from './json.ts';

/** An answer as a client of any format reads it. */
export interface Got {
  status: number;
  text: string;
  reasoning: string;
  refusal: string;
  calls: { id: string; name: string; args: unknown }[];
  /** The finish reason; null if there is none. */
  finish: 'stop' | 'length' | 'calls' | 'refusal' | null;
  /** Token counts; input includes cached tokens, output includes reasoning. */
  usage: { input: number; cached: number; output: number; reasoning: number } | null;
  /** The addresses of the cited pages. */
  cited: string[];
  /** The number of choices. */
  answers: number;
  error?: { name: string; message: string; param?: string };
  /** The answer as the client stores it in its history. */
  own: unknown[];
}

/** Reads a body; the status comes from the transport. */
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

/** Joins the texts of one member of all elements. */
export function joined(elements: readonly Json[] | undefined, member: string): string {
  return (elements ?? []).map(element => element[member] ?? '').join('');
}
