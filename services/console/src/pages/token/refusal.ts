import type { Problem } from '../problem.ts';

/** Returns what to do about a token that the gateway refuses. The gateway has one code for all but the network. */
export function adviceFor({ message, facts }: Problem): string {
  if (facts.code === 'address_not_allowed') {
    return 'Use it from one of its networks, or ask who manages the project to allow yours.';
  }
  if (/expired/.test(message)) return 'Ask who manages the project for a new token, or for a later expiry.';
  if (/disabled/.test(message)) return 'Ask who manages the project to enable it.';
  if (!facts.code) return 'Copy it again, without anything before or after it.';
  return 'It is mistyped, or it was revoked or has a new secret. Copy it again, or ask who manages the project for a new one.';
}
