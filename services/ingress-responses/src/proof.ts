/** Stands before a proof that is all of its reasoning: proofs are base64, which has no colon. */
export const redactedMark = 'redacted:';
