import type { AnnouncedAttempts } from './call-attempts.ts';
import { protocolVersion } from './frame.ts';
import type { Life } from './liveness.ts';
import type { HeartbeatMessage } from './protocol.ts';

/** A worker as a caller knows it. */
export interface KnownWorker extends HeartbeatMessage {
  id: string;
  pool: string;
  readonly life: Life;
  /** Time of its last heartbeat, in milliseconds since 1970. */
  beatAt: number;
  /** Tokens whose calls the worker refused although it had room for other tokens. */
  turnedAway: Map<string, TurnedAway>;
  /** Projects whose calls it refused although it had room for others. */
  projectsAway: Map<string, Probe>;
  /** The calls that it ended so recently that their usage may not be recorded. */
  ended: EndedCall[];
}

interface EndedCall {
  attempts: AnnouncedAttempts;
  at: number;
}

/** `due`: a heartbeat came since a refusal, so one call may probe again. `made`: the probe was sent. */
type Probe = 'due' | 'made';

/** A token whose calls a worker refused although it had room for other tokens. */
interface TurnedAway {
  probe: Probe;
  /** True if the token may take only places that are not reserved. */
  places: boolean;
  /** Size of the smallest body that was refused. */
  bytes: number;
}

/** The state of a worker before its first heartbeat. */
export function unheard(): Pick<KnownWorker, 'turnedAway' | 'projectsAway' | 'ended'> {
  return { turnedAway: new Map(), projectsAway: new Map(), ended: [] };
}

/** True if a call can be sent to the worker. */
export function isReachable(worker: KnownWorker, pool: string, now: number): boolean {
  return worker.pool === pool && speaksThisVersion(worker) && worker.life.mayWork(now);
}

/** True if the worker uses this process's protocol version. */
export function speaksThisVersion({ version }: KnownWorker): boolean {
  return version === protocolVersion;
}
