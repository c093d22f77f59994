import { parseExact } from '@model-gateway/canonical';

/** Stands before a summary of ours: vendors' own are base64, which has no colon. */
const mark = 'gw:';

/** A summary as a client keeps it, who is not meant to read it. */
export function writeSummary(text: string): string {
  return mark + Buffer.from(text).toString('base64');
}

/** Items in which summaries of ours are what they say; joined by commas, as they came. */
export function withSummaries(items: string): string {
  if (!items.includes(`"${mark}`)) return items;
  const read = parseExact(`[${items}]`) as Record<string, unknown>[];
  return read.map(item => JSON.stringify(spelledOut(item))).join(',');
}

function spelledOut(item: Record<string, unknown>): unknown {
  const { type, encrypted_content: blob } = item;
  if (type !== 'compaction' || typeof blob !== 'string' || !blob.startsWith(mark)) return item;
  const text = Buffer.from(blob.slice(mark.length), 'base64').toString();
  const content = [{ type: 'input_text', text: `The conversation so far, in a summary:\n\n${text}` }];
  return { type: 'message', role: 'user', content };
}
