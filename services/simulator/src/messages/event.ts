import { jsonText } from '../json-text.ts';

/** An event with its name in both places. */
export function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${jsonText({ type, ...fields })}\n\n`;
}
