/** What bounds a session, in milliseconds, and how many there may be. */
export interface SessionLimits {
  /** How long one may last. */
  lastsMs: number;
  /** How long it may go on without a message either way. */
  idleMs: number;
  /** How long it may go on once this process is to stop. */
  graceMs: number;
  /** How long it waits for a worker with room. */
  queueMs: number;
  /** How many there may be at once. */
  sessions: number;
}
