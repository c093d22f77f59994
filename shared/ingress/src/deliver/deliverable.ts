import type { Caller } from '@model-gateway/bus';
import type { Envelope, FieldNames, GatewayError, GenerateEvent, Route } from '@model-gateway/canonical';
import type { Admitted } from '../admit/admit.ts';
import type { TargetHealth } from '../health/target-health.ts';
import type { Fallbacks } from '../plan/fallbacks.ts';
import type { RequestBodies } from '../plan/plan.ts';
import type { RunningEntry } from '../running/running-entry.ts';

/** A request that passed all checks, with the routes to take in turn. */
export interface Deliverable extends RequestBodies {
  admitted: Pick<Admitted, 'share' | 'endForRevocation'> & Partial<Pick<Admitted, 'usage' | 'place'>>;
  envelope: Omit<Envelope, 'textLength' | 'route' | 'endsAt'>;
  /** What administrators see of the request. */
  entry?: RunningEntry | undefined;
  /** Latest end in milliseconds since 1970, if the routes' timeouts do not set it. */
  endsAt?: number;
  /** The most times that the request is sent again once every route has failed; none if absent. */
  retries?: number | undefined;
  /** Time without an answer, in milliseconds, after which a second route is taken, too; never if absent. */
  hedgeAfter?: number | undefined;
  /** The models that take over once every route has failed. */
  fallbacks?: Fallbacks | undefined;
  /** True if the request is made again after this error; never if absent. */
  again?: ((error: GatewayError) => boolean) | undefined;
  /** Returns the answer if no route gives one. */
  estimate?: (() => Promise<readonly GenerateEvent[]>) | undefined;
}

/** The parts that deliver a request. */
export interface DeliverOptions {
  caller: Caller;
  health: TargetHealth;
  /** The client's names of fields, for errors. */
  fieldNames?: FieldNames | undefined;
  /** The longest wait for workers with room, in milliseconds, over all attempts. */
  queueMs: number;
  /** Called with each route that is taken, and with the one that answers. */
  onRoute?(route: Route): unknown;
}

/** The receiver of an answer. */
export interface Receiver {
  /** True once it has shown a part of the answer: from then on no other route is taken. */
  readonly begun: boolean;
  /** Receives events in order, the last one `finish` or `error`; `weight` is the credit to return once they are taken. */
  write(events: readonly GenerateEvent[], weight: number): void;
  /** Called with the bytes of a part of an event that is not complete. @throws GatewayError if they may not be held */
  hold?(bytes: number): void;
  /** Ends the answer with an error. */
  fail(error: GatewayError): void;
  /** Gives up the answer, whose error cannot be written. */
  abandon?(): void;
}

/** The functions that a receiver calls. */
export interface ReceiverHooks {
  /** Returns credit for events that were taken. */
  consumed(weight: number): void;
  /** Ends the delivery: with an error if the answer failed or is not wanted any more. */
  ended(error?: GatewayError): void;
}
