import type { Answer } from '../mind/answer.ts';
import type { MessagesAsked } from './parse.ts';

/** The fields of a message that are known before its content. */
export function headOf({ prompt: { model } }: MessagesAsked, { id }: Answer) {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model, container: null, diagnostics: null };
}
