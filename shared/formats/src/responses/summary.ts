/** Marks the gateway's summaries. Vendors' summaries are base64, which has no colon. */
export const summaryPrefix = 'gw:';

/** Encodes a summary as opaque content for the client. */
export function writeSummary(text: string): string {
  return summaryPrefix + Buffer.from(text).toString('base64');
}

/** Returns the text of a summary of the gateway; undefined for anything else. */
export function readSummary(blob: unknown): string | undefined {
  if (typeof blob !== 'string' || !blob.startsWith(summaryPrefix)) return undefined;
  return Buffer.from(blob.slice(summaryPrefix.length), 'base64').toString();
}
