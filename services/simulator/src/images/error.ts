import { refuse } from '../chat/error.ts';
import { jsonText } from '../json-text.ts';
import type { Refusal } from '../refusal.ts';

/** The event that says no, as the vendor's clients understand it. */
export function interrupt(refusal: Refusal): string {
  return `event: error\ndata: ${jsonText({ type: 'error', ...refuse(refusal) })}\n\n`;
}
