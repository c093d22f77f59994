import { type Question, send } from './grid/clients/send.ts';
import type { Got } from './grid/got.ts';

/** An answer as a client of one format sees it. */
export interface Seen extends Pick<Got, 'status' | 'text' | 'error'> {
  retryAfter: string | null;
  /** It ended as an answer of the format does that is whole. */
  ended: boolean;
}

const ask = {
  turns: [{ role: 'user' as const, content: [{ text: 'Write about the sea.' }] }],
  maxTokens: 400,
};

/** Asks about the sea as a client of the format does, and reads all of the answer. */
export async function see(question: Question): Promise<Seen> {
  const { status, retryAfter, text, finish, error } = await send(question, ask);
  return { status, retryAfter, text, ended: finish !== null && !error, ...(error && { error }) };
}
