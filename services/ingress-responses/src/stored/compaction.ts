import { type Item, readItems, writeItems } from './item.ts';

/** Stands before a summary of ours: vendors' own are base64, which has no colon. */
const mark = 'gw:';

/** A summary as a client keeps it, who is not meant to read it. */
export function writeSummary(text: string): string {
  return mark + Buffer.from(text).toString('base64');
}

/** Items in which summaries of ours are what they say; joined by commas, as they came. */
export function withSummaries(items: string): string {
  if (!items.includes(`"${mark}`)) return items;
  return writeItems(readItems(items).map(spelledOut));
}

/** What is left of a history in which the client asked for a summary: that, and what came after. */
export function sinceCompaction(items: string): string {
  if (!items.includes('"compaction_trigger"')) return withSummaries(items);
  const read = readItems(items);
  const asked = read.findLastIndex(
    ({ type }, i) => type === 'compaction_trigger' && read[i + 1]?.type === 'compaction',
  );
  return withSummaries(writeItems(read.slice(asked + 1)));
}

function spelledOut(item: Item): Item {
  const { type, encrypted_content: blob } = item;
  if (type !== 'compaction' || typeof blob !== 'string' || !blob.startsWith(mark)) return item;
  const text = Buffer.from(blob.slice(mark.length), 'base64').toString();
  const content = [{ type: 'input_text', text: `The conversation so far, in a summary:\n\n${text}` }];
  return { type: 'message', role: 'user', content };
}
