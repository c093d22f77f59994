import { jsonText } from '../json-text.ts';

/** An event with its name in both places, and its place in the stream. */
export function event(type: string, sequence: number, fields: object): string {
  return `event: ${type}\ndata: ${jsonText({ type, sequence_number: sequence, ...fields })}\n\n`;
}
