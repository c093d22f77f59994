import {
  type Charged,
  type Counted,
  countedFor,
  type Decision,
  type Left,
  type Token,
} from '@model-gateway/access';
import { type ClientFormat, GatewayError } from '@model-gateway/canonical';
import type { FoundModel } from '@model-gateway/catalog';
import type { GatewayRequest } from '@model-gateway/formats/client';
import type { Endpoint } from '../answer/endpoint.ts';
import type { ResponseSink } from '../answer/response-sink.ts';
import { budgetsOf } from '../costs/request-budgets.ts';
import type { ClientBody } from '../form/received.ts';
import type { IngressDeps } from '../process/deps.ts';
import type { Admitted } from './admit.ts';
import { type CostDeps, reserveRequest } from './reserve-cost.ts';

type LimitDeps = Pick<IngressDeps, 'limiter'> & CostDeps;

/** A request that may be limited, and its response. */
interface Limited {
  admitted: Admitted;
  request: GatewayRequest;
  found: FoundModel;
  body: ClientBody;
  /** An estimate of the tokens of its input. */
  input: number;
  endpoint: Pick<Endpoint, 'format'>;
  sink: ResponseSink;
}

/**
 * Takes a request's place in the limits and budgets of its token, project and owner, and tells the client what is left of the limits.
 * Undefined if there are none. Work that is only stored needs no place before it runs.
 * @throws GatewayError of kind `rate-limited` if a limit is reached, `quota-exceeded` if a budget is spent
 */
export function limitRequest(deps: LimitDeps, limited: Limited): Promise<void> | undefined {
  const { admitted, request } = limited;
  const counted = countedOf(deps, admitted.token, request.model);
  const { token } = admitted;
  const hasBudget = token.budget !== undefined || deps.catalog.hasBudget(token);
  if (counted.length === 0 && !hasBudget) return undefined;
  const isCharged = hasBudget && request.type !== 'count-tokens';
  return takeSlot(deps, limited, counted, isCharged ? budgetsOf(deps, token) : []);
}

async function takeSlot(
  deps: LimitDeps,
  limited: Limited,
  counted: readonly Counted[],
  budgets: readonly Charged[],
): Promise<void> {
  const { clock, limiter, outputs } = deps;
  const { admitted, request, found, input, endpoint, sink } = limited;
  const countsTokens = counted.some(({ tokensPerMinute }) => tokensPerMinute !== undefined);
  const reserved = budgets.length > 0 ? await reserveRequest(deps, limited, found, budgets) : undefined;
  const isCounted = countsTokens && request.type !== 'count-tokens';
  const tokens = isCounted ? input + outputOf(request, outputs) : 0;
  const place = await limiter.take(counted, tokens, reserved?.costs, reserved?.onSpending);
  if (!sink.headersSent)
    for (const [name, value] of limitHeaders(endpoint.format, place.decision, clock.now()))
      sink.setHeader(name, value);
  if (place.refusal) throw place.refusal;
  if (admitted.over) {
    place.end(0, undefined, true);
    throw new GatewayError('cancelled', 'The client left.');
  }
  const cost = reserved?.run(place);
  admitted.place = {
    cost,
    end(usage, unserved) {
      if (usage && usage.output > 0) outputs.add(request.model, usage.output);
      const used = request.type === 'count-tokens' ? 0 : usage && usage.input + usage.output;
      place.end(used, cost?.settlement(usage), unserved);
    },
  };
}

const none: Counted[] = [];

/** Returns the limits that a request counts for. */
export function countedOf({ catalog }: Pick<LimitDeps, 'catalog'>, token: Token, model: string): Counted[] {
  const limits = catalog.limitsOf(token.project);
  if (!token.limits && !limits) return none;
  return countedFor(token, { name: token.project, limits }, model);
}

/** Returns an estimate of the output tokens of a request. */
function outputOf(request: GatewayRequest, outputs: IngressDeps['outputs']): number {
  return request.type === 'generate' ? (request.maxTokens ?? outputs.usual(request.model)) : 0;
}

/** Returns the headers by which the SDKs of a format know their limits. `now` is in milliseconds since 1970. */
function limitHeaders(
  format: ClientFormat,
  { requests, tokens }: Decision,
  now: number,
): [name: string, value: string][] {
  const headersOf = format === 'messages' ? messagesHeaders : chatHeaders;
  return [
    ...(requests ? headersOf('requests', requests, now) : []),
    ...(tokens ? headersOf('tokens', tokens, now) : []),
  ];
}

function messagesHeaders(kind: string, left: Left, now: number): [string, string][] {
  const reset = new Date(now + Math.ceil(left.resetMs / 1_000) * 1_000).toISOString();
  return [
    [`anthropic-ratelimit-${kind}-limit`, String(left.limit)],
    [`anthropic-ratelimit-${kind}-remaining`, String(Math.floor(left.remaining))],
    [`anthropic-ratelimit-${kind}-reset`, reset.replace(/\.\d+Z$/, 'Z')],
  ];
}

function chatHeaders(kind: string, left: Left): [string, string][] {
  return [
    [`x-ratelimit-limit-${kind}`, String(left.limit)],
    [`x-ratelimit-remaining-${kind}`, String(Math.floor(left.remaining))],
    [`x-ratelimit-reset-${kind}`, `${Math.ceil(left.resetMs / 1_000)}s`],
  ];
}
