import type { Operation, WireFormat } from '@model-gateway/canonical';
import { profileOf } from '@model-gateway/providers';
import type { Api, Provider } from './schema.ts';

type Speaker = Pick<Provider, 'kind' | 'api' | 'batch'>;

/** The properties of a request that decide in which format it is forwarded. */
export interface RouteQuery {
  operation: Operation;
  format: WireFormat;
  /** Number of inputs, where there may be too many for one request. */
  inputs?: number | undefined;
}

/**
 * Returns the formats in which a provider serves an operation, the preferred one first; empty if it does not.
 */
export function providerFormats(
  { kind, api }: Pick<Provider, 'kind' | 'api'>,
  operation: Operation,
): readonly WireFormat[] {
  // Tokens are counted in the formats of generate.
  const served = operation === 'count-tokens' ? 'generate' : operation;
  if (served !== 'generate' || api === undefined) return profileOf(kind).formats[served] ?? [];
  return typeof api === 'string' ? [api] : (api as [Api, ...Api[]]);
}

/**
 * Returns the format of a request to a provider: the client's if it serves that, else its preferred one;
 * undefined if it serves none.
 */
export function formatFor(provider: Speaker, { operation, format }: RouteQuery): WireFormat | undefined {
  const formatsOfProvider = providerFormats(provider, operation);
  return formatsOfProvider.includes(format) ? format : formatsOfProvider[0];
}

/** Returns the most inputs of one request to a provider. Its `batch` applies only if its kind has a limit. */
export function batchOf({ kind, batch }: Speaker, operation: Operation): number {
  const limit = profileOf(kind).maxInputs?.[operation];
  return limit === undefined ? Number.POSITIVE_INFINITY : (batch ?? limit);
}

/** True if a provider accepts -1 for no token limit. */
export function takesNoLimit({ kind }: Pick<Provider, 'kind'>): boolean {
  return profileOf(kind).acceptsMinusOne === true;
}

/** True if a provider is sent the client's own text: it serves the format, and all inputs at once. */
export function takesText(provider: Speaker, asking: RouteQuery): boolean {
  const { inputs = 1 } = asking;
  return formatFor(provider, asking) === asking.format && inputs <= batchOf(provider, asking.operation);
}
