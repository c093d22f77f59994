import type { RunningChangeInfo, RunningInfo } from '@model-gateway/admin-api';
import type { RequestEnd, RunningChange, RunningRequest, Usage } from '@model-gateway/canonical';
import type { PricedAttempt } from '@model-gateway/catalog';
import type { PriceBook } from '../prices/price-book.ts';

/** Renders a request in flight for the API. */
export function showRunning(request: RunningRequest): RunningInfo {
  const { requestId, at, ms, state, endpoint, format, operation, model, stream } = request;
  const { tokenId, tokenName, project, owner, client, provider, upstreamModel, fallback } = request;
  const { attempts, failovers, firstMs, answerBytes, process } = request;
  return {
    ...{ requestId, at: new Date(at).toISOString(), ms, state, endpoint, format },
    ...{ operation: operation ?? null, model, stream, token: tokenId, tokenName, project },
    ...{ owner: owner ?? null, client: client ?? null },
    ...{ provider: provider ?? null, upstreamModel: upstreamModel ?? null, fallback: fallback ?? null },
    ...{ attempts, failovers, firstMs: firstMs ?? null, answerBytes, process },
  };
}

/** Renders a change; that of an end has what the request cost, as far as it is known. */
export function showChange({ request, end }: RunningChange, prices: PriceBook): RunningChangeInfo {
  return { request: showRunning(request), end: end ? showEnd(request, end, prices) : null };
}

function showEnd(request: RunningRequest, end: RequestEnd, prices: PriceBook): RunningChangeInfo['end'] {
  const { status, error = null, endedBy = null, usage, hostedTools, serviceTier } = end;
  return {
    ...{ status, error, endedBy },
    usage: usage && { input: usage.input, output: usage.output },
    cost: usage && costOf(request, { hostedTools, serviceTier: usage.tier ?? serviceTier }, usage, prices),
  };
}

function costOf(
  { project, model, fallback, provider, upstreamModel, operation, at }: RunningRequest,
  extras: Pick<PricedAttempt, 'hostedTools' | 'serviceTier'>,
  { units, ...tokens }: Usage,
  prices: PriceBook,
): number | null {
  if (provider === undefined || upstreamModel === undefined || operation === undefined) return null;
  const attempt = { project, model, fallback, provider, upstreamModel, operation, at: new Date(at) };
  const quantities = { images: 0, seconds: 0, characters: 0, searches: 0, ...tokens, ...units };
  return prices.costOf({ ...attempt, ...extras, ...quantities }) ?? null;
}
