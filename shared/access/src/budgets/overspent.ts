import { GatewayError } from '@model-gateway/canonical';
import { budgetOwner, type Period } from './budget.ts';
import type { Overspent } from './messages.ts';

/** Time after which a client should retry while running requests have reserved the rest of a budget, in milliseconds. */
const retryAfterMs = 1_000;

/** The error of a request that does not fit in what is left of a budget. */
export function overspentError(over: Overspent): GatewayError {
  if (over.spent >= over.amount - 1e-9) return spentError(over);
  const message = over.ofOthers
    ? `While requests of other tokens run, those of this one may reserve a quarter of ${named(over)}, and this request may cost more. Retry once they have ended, or ask for fewer output tokens.`
    : `This request may cost more than running requests have left of ${named(over)}. Retry once they have ended.`;
  return new GatewayError('rate-limited', message, { retryAfterMs, share: true });
}

/** The error of a request whose budget is spent. */
export function spentError(over: Overspent): GatewayError {
  const resets =
    over.to === null ? '' : ` It resets at ${new Date(over.to).toISOString().replace('.000', '')}.`;
  return new GatewayError('quota-exceeded', `${capital(named(over))}, is spent.${resets}`);
}

function named(over: Overspent): string {
  const [kind] = budgetOwner(over.key);
  return `the budget of this ${kind === 'user' ? "token's owner" : kind}, ${budgetName(over.amount, over)}`;
}

/** Names a budget: `$5 per day`. */
export function budgetName(amount: number, { from, to }: Period): string {
  if (to === null) return `$${amount}`;
  const days = Math.round((to - from) / 86_400_000);
  return `$${amount} per ${days === 1 ? 'day' : days === 7 ? 'week' : 'month'}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
