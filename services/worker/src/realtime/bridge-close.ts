import type { FinishEvent } from '@model-gateway/canonical';

/** The most bytes that a close reason may have. */
const maxReason = 123;

/** How an upstream's close is told to the client; undefined where the upstream did not close but broke off. */
export function relayedClose(code: number, reason: string): FinishEvent['closed'] {
  const sent = (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || isOwn(code);
  if (sent) return { code, reason: shortened(reason) };
  // Closed in good order, without a word.
  return code === 1005 ? { code: 1011, reason: '' } : undefined;
}

function isOwn(code: number): boolean {
  return code >= 3000 && code <= 4999;
}

/** As much of a text as a close frame can hold. */
function shortened(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxReason) return text;
  return bytes.toString('utf8', 0, maxReason).replace(/\uFFFD$/, '');
}
