import type { Format } from '../format.ts';
import { Refusal } from '../refusal.ts';

/** Codes as the chat format names them. */
const codes: Record<number, string> = {
  401: 'invalid_api_key',
  404: 'model_not_found',
  429: 'rate_limit_exceeded',
  503: 'server_is_overloaded',
  529: 'server_is_overloaded',
};

/** The refusal of a request that asks to fail with a status; 529 is what the format has in its place. */
export function failure(
  { overloaded }: Pick<Format<never>, 'overloaded'>,
  asked: number,
  retryAfterS: number | null = null,
): Refusal {
  const status = asked === 529 ? overloaded : asked;
  const message = `The model's name asks for a failure with status ${status}.`;
  return new Refusal(status, message, codes[status] ?? null, null, retryAfterS);
}
