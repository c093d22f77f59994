import type { HealthReport, ReportedKey, ReportedTarget } from '@model-gateway/admin-api';
import { useResource } from '../layout/reading.ts';
import { toProblem } from '../problem.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';

/** The time between two looks at the state of targets, in milliseconds. */
const lookMs = 5_000;

/** The state of a target or a key; `unknown` while the gateway does not know it. */
export type Health = ReportedTarget['state'] | 'unknown';

/** The state of rest of a target or a key. */
export type Rest = Pick<ReportedTarget, 'state' | 'reason' | 'error' | 'since' | 'until'>;

/** The state of targets and keys as it was read last. */
interface HealthNow {
  /** Undefined until it is read, if it is unknown, or for users who may not see it. */
  report: HealthReport | undefined;
  /** True if the user may see it. */
  visible: boolean;
  /** The reason why it could not be read. */
  error: unknown;
}

/** Reads the state of every target and key, again and again while the page is seen. */
export function useHealth(): HealthNow {
  const { session } = useSession();
  const visible = may(session, 'showHealth');
  const { value, error } = useResource('showHealth', {
    refetchInterval: lookMs,
    // The state is unknown for a moment after control has started.
    retry: (times, thrown) => times < 2 && toProblem(thrown).facts.code === 'health_unknown',
    enabled: visible,
  });
  return { report: error ? undefined : value, visible, error };
}

/** True for a key that its provider refuses, and for a target because of its key. */
export function isRefused(rest: Rest | undefined): boolean {
  return rest !== undefined && rest.state !== 'serving' && rest.reason === 'refused-key';
}

/** Returns the worst of several states: one whose key is refused, then one that rests, then one that is probed. */
export function worstOf(states: readonly Rest[]): Rest | undefined {
  const byState = (wanted: Rest['state']) => states.find(({ state }) => state === wanted);
  return states.find(isRefused) ?? byState('resting') ?? byState('probing') ?? byState('serving');
}

/** Returns what is known of the keys and targets of a provider. A target that several models have is listed once. */
export function healthOfProvider(
  report: HealthReport | undefined,
  provider: string,
): { keys: ReportedKey[]; targets: ReportedTarget[] } {
  const targets = (report?.models ?? [])
    .flatMap(model => model.targets)
    .filter(target => target.provider === provider);
  const byModel = new Map(targets.map(target => [target.model, target]));
  return {
    keys: (report?.keys ?? []).filter(key => key.provider === provider),
    targets: [...byModel.values()],
  };
}
