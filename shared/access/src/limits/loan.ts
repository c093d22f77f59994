/**
 * Time in which a loan may be used, in milliseconds, from the question of its borrower on: the difference of `takeOverMs` and `leaseMs`, so that
 * no loan of an earlier leader can be used once there is another.
 */
export const loanMs = 500;

/** Amounts of limits. */
export interface Amounts {
  requests: number;
  tokens: number;
  running: number;
}

/** A loan that is not used any more, with what was granted of it: the messages that told of each grant may have been lost. */
export interface Repaid extends Pick<Amounts, 'requests' | 'tokens'> {
  id: number;
}

/** Amounts that a process may grant by itself for {@link loanMs}. They count as used until it gives them back. */
export interface Loan extends Amounts {
  id: number;
}
