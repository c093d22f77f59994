import type { Accounts } from '../budgets/accounts.ts';
import type { LeaderLine } from './copies.ts';
import type { Handover } from './handover.ts';
import type { CopyVersion, KnownCounts } from './known-counts.ts';
import type { OwnPlaces, Report } from './messages.ts';

/** The places of a leader that another process knows. */
export interface KnownPlaces extends OwnPlaces {
  /** When the leader told them, in milliseconds of the monotonic clock. */
  at: number;
}

/** The knowledge with which a leader begins, and its ways to the other processes. */
export interface LeaderParts extends LeaderLine {
  /** The leader's term: greater than that of every leader before. */
  term: number;
  /** The name of this process in messages. */
  name: string;
  /** The running requests of this process. */
  own: Report;
  /** The counts that the leader before handed over, if it did. */
  handover: Handover | undefined;
  /** The places of the requests of the leader before, if any are known. */
  places: KnownPlaces | undefined;
  /** The version of what this process knew of the counts of the leader before when it was elected. */
  knows: CopyVersion;
  /** The counts of the leader before as this process knows them. */
  known(): KnownCounts;
  /** True while this process is the leader. */
  isLeading(): boolean;
  /** True if the connection was restored just now, so that others may need longer to tell what they know. */
  isAfterCut: boolean;
  /** Resolves once all messages that were sent to this process before have been read. */
  arrived(): Promise<void>;
  /** Called for the first request with a budget; `afterLoss` is true if the leader before handed nothing over. */
  openAccounts(afterLoss: boolean): Accounts;
}
