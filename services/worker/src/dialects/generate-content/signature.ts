import type { Signature } from '@model-gateway/canonical';
import type { Content } from './content.ts';

/** What the vendor takes in place of a signature for a call that it did not make. */
export const standIn = 'skip_thought_signature_validator';

/** A signature of this vendor's, to be spread into the part that it belongs to; nothing of another's. */
export function proofOf(signature: Signature | undefined): { thoughtSignature?: string } {
  const own = signature?.format === 'generate-content' && signature.value !== '';
  return own ? { thoughtSignature: signature.value } : {};
}

/**
 * Gives each turn with calls that has no signature the stand-in, on its first call: the vendor signs that one alone, and
 * refuses a turn without. Past turns get it, too, so that the prompt's beginning stays as it was, and cached.
 */
export function standInForSignatures(contents: readonly Content[]): void {
  for (const { parts } of contents) {
    const calls = parts.filter(({ functionCall }) => functionCall);
    const [first] = calls;
    if (first && !calls.some(({ thoughtSignature }) => thoughtSignature)) first.thoughtSignature = standIn;
  }
}
