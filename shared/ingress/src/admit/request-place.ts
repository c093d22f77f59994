import type { Usage } from '@model-gateway/canonical';
import type { RunningCost } from '../costs/running-cost.ts';

/** The place of a request, or of a response within a session, in its limits and budgets. */
export interface RequestPlace {
  /** Its cost, if it has a budget. */
  cost?: RunningCost | undefined;
  /** Ends it; `usage` is undefined if it is unknown. `unserved`: the request reached no upstream, and counts for nothing. */
  end(usage: Usage | undefined, unserved?: boolean): void;
}
