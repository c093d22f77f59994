import type { GatewayError } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import type { AnnouncedAttempts } from './call-attempts.ts';
import type { CallRequest } from './call-request.ts';
import type { Faults } from './faults.ts';
import type { Frame } from './frame.ts';
import type { Outboxes } from './outbox.ts';
import type { RecentIds } from './recent-ids.ts';
import type { SlabById } from './slab.ts';
import type { WaitingCalls } from './waiting-calls.ts';
import type { Windows } from './windows.ts';
import type { Workers } from './workers.ts';

/** Receives the answers of its pool's workers to its openings. */
export interface OpenedCall extends Readonly<Pick<CallRequest, 'pool'>> {
  read(frame: Frame): void;
  /** `ofOtherVersion`: a worker has answered that it does not know this version. */
  noResponders(ofOtherVersion: boolean): void;
  /** Ends the call, which cannot be served. */
  failed(error: GatewayError): void;
  /** Ends the call with the error of what one of its steps threw. */
  broke(thrown: unknown): void;
}

/** The parts of a process that its calls share. */
export interface CallParts {
  clock: Clock;
  faults: Faults;
  ids: SlabById<OpenedCall>;
  workers: Workers;
  /** The calls that wait for a worker. */
  waiting: WaitingCalls;
  outboxes: Outboxes;
  /** Openings whose client left before they were answered, with the attempts that a worker may have made. */
  leftOpenings: RecentIds<AnnouncedAttempts>;
  /** Attempts of calls that were given up: their answers may be complete all the same. */
  givenUp: RecentIds<AnnouncedAttempts>;
  /** The credit windows of answers. */
  windows: Windows;
  /** False while NATS cannot be reached. A server that stands still shows some time after this was asked first. */
  isReachable(): boolean;
  /** Called with attempts whose worker was lost before it can have recorded them. */
  onLost(attempts: AnnouncedAttempts): void;
  /** Called with the attempts of a call that was answered. */
  onAnswered(attempts: AnnouncedAttempts): void;
  /** Called when a worker has accepted a call, with the time that this took in milliseconds. */
  onAccepted(pool: string, queuedMs: number): void;
}
