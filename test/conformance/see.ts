import { type Question, send } from './grid/clients/send.ts';
import type { Got } from './grid/got.ts';

/** An answer as a client of one format sees it. */
export interface Seen extends Pick<Got, 'status' | 'text' | 'error'> {
  retryAfter: string | null;
  /** True if it ended as a complete response of the format does. */
  ended: boolean;
}

const ask = {
  turns: [{ role: 'user' as const, content: [{ text: 'Write about the sea.' }] }],
  maxTokens: 400,
};

/** Sends the question about the sea as a client of the format does, and reads the whole response. */
export async function see(question: Question): Promise<Seen> {
  const { status, retryAfter, text, finish, error } = await send(question, ask);
  return { status, retryAfter, text, ended: finish !== null && !error, ...(error && { error }) };
}
