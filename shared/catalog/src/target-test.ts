import type { ErrorKind, TargetRef } from '@model-gateway/canonical';

/** The longest time that a worker may take for a test, in milliseconds. */
export const testMs = 15_000;

/** A question of control to a worker: does a target answer? */
export interface TargetTest extends TargetRef {
  /** The version of the provider, which the worker may read later than control. */
  version: number;
}

/** The answer of a worker. */
export interface TestResult {
  /** The time until the whole answer, or the failure. */
  ms: number;
  /** Null if the target has answered. */
  error: { kind: ErrorKind; message: string } | null;
}
