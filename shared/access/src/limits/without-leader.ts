/** The rule for requests with limits while there is no leader. */
export interface WithoutLeader {
  /** Time for which each process applies its own share of each limit, in milliseconds. */
  localMs: number;
  /** The rule after that time: requests pass, or are refused. */
  policy: 'open' | 'closed';
}
