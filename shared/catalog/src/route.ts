import {
  type Api,
  askedForTier,
  type Operation,
  type Route,
  type TargetRef,
  type Timeouts,
  type WireFormat,
} from '@model-gateway/canonical';
import { type ProviderProfile, profileOf } from '@model-gateway/providers';
import type { ProviderRecord } from './record.ts';
import type { Model, Provider, Target } from './schema.ts';

/** Returns the base URL of a provider: its own, or that of its kind with the provider's options. */
export function urlOf({
  kind,
  baseUrl,
  options = {},
}: Pick<Provider, 'kind' | 'baseUrl' | 'options'>): string | undefined {
  return baseUrl ?? profileOf(kind).baseUrl?.replace(/\{(\w+)\}/g, (_, name) => options[name] ?? '');
}

/** An API key of a provider, by its name, and its share of requests. */
export interface KeyShare {
  name: string;
  weight: number;
}

/** Returns the API keys of a provider, in their order; none if it needs none. */
export function keysOf({
  apiKey,
  apiKeys,
}: Pick<ProviderRecord | Provider, 'apiKey' | 'apiKeys'>): KeyShare[] {
  if (apiKeys) return apiKeys.map(({ name, weight = 1 }, at) => ({ name: name ?? String(at + 1), weight }));
  return apiKey ? [{ name: 'default', weight: 1 }] : [];
}

/** Returns the name of a provider's first credential; undefined if it needs none. */
function keyName({ apiKey, apiKeys }: Pick<ProviderRecord, 'apiKey' | 'apiKeys'>): string | undefined {
  if (apiKeys) return apiKeys[0]?.name ?? '1';
  return apiKey && 'default';
}

/** The target of a route that may rest, or its key if the model is absent. */
interface Resting {
  provider: string;
  key?: string | undefined;
  model?: string | undefined;
}

/** Returns the id of the rest of a target or a key. */
export function restId({ provider, key = '', model }: Resting): string {
  return JSON.stringify(model === undefined ? [provider, key] : [provider, key, model]);
}

/** The fields of a model that its routes repeat. */
type RouteModel = Pick<Model, 'timeouts' | 'drop' | 'limits'>;

/** Returns the route of a request to a target; undefined if the provider does not support the operation. */
export function routeTo(
  provider: ProviderRecord,
  target: TargetRef,
  model: RouteModel,
  query: RouteQuery & { form?: boolean },
): Route | undefined {
  const asked = { ...query, model: target.model };
  const format = formatFor(provider, asked);
  if (!format) return undefined;
  const ownBody = query.form ? 'form' : 'verbatim';
  const body = takesText(provider, asked) ? ownBody : 'canonical';
  const key = keyName(provider);
  return {
    provider: target.provider,
    model: target.model,
    pool: provider.pool ?? 'default',
    ...(key && { key }),
    format,
    body,
    version: provider.version,
    timeouts: timeoutsFor(model, query.operation, profileOf(provider.kind)),
    drop: droppedFields(model, provider, { format, body }),
    limits: model.limits,
  };
}

/** Returns the fields that a route leaves out: those of its model, and a service tier of which a compatible server is not asked. */
export function droppedFields(
  { drop }: Pick<Model, 'drop'>,
  { kind }: Pick<Provider, 'kind'>,
  { format, body }: Pick<Route, 'format' | 'body'>,
): readonly string[] {
  const isUnasked = body === 'canonical' && askedForTier(format) === 'original' && !profileOf(kind).original;
  return isUnasked ? [...drop, 'service_tier'] : drop;
}

/** Defaults by operation. An image may send nothing before it is complete, nor between two partial images. */
const defaults: Partial<Record<Operation, Omit<Timeouts, 'total'>>> = {
  image: { firstToken: 300_000, idle: 300_000 },
};
const usual = { firstToken: 60_000, idle: 60_000 };

/** Returns the timeouts of a model for an operation at a provider of a kind. */
export function timeoutsFor(
  { timeouts }: Pick<Model, 'timeouts'>,
  operation: Operation,
  { firstTokenMs: firstToken = usual.firstToken }: Pick<ProviderProfile, 'firstTokenMs'> = {},
): Timeouts {
  return { ...(defaults[operation] ?? { ...usual, firstToken }), ...timeouts };
}

type Speaker = Pick<Provider, 'kind' | 'api' | 'batch'>;

/** The properties of a request that decide in which format it is forwarded. */
interface RouteQuery {
  operation: Operation;
  format: WireFormat;
  /** Number of inputs, where there may be too many for one request. */
  inputs?: number | undefined;
  /** The model's name at the upstream, whose formats may differ from those of other models. */
  model?: string | undefined;
}

/**
 * Returns the formats in which a provider serves an operation, the preferred one first; empty if it does not. With the
 * upstream's name of a model, the formats of that model.
 */
export function providerFormats(
  { kind, api }: Pick<Provider, 'kind' | 'api'>,
  operation: Operation,
  model?: string,
): readonly WireFormat[] {
  // Tokens are counted in the formats of generate, unless a kind says otherwise.
  const served = operation === 'count-tokens' ? 'generate' : operation;
  if (served !== 'generate' || api === undefined) {
    const profile = profileOf(kind);
    const formats = model === undefined ? profile.formats : (profile.formatsOf?.(model) ?? profile.formats);
    return formats[operation] ?? formats[served] ?? [];
  }
  return typeof api === 'string' ? [api] : (api as [Api, ...Api[]]);
}

/**
 * Returns the format of a request to a provider: the client's if it serves that, else its preferred one;
 * undefined if it serves none.
 */
function formatFor(provider: Speaker, { operation, format, model }: RouteQuery): WireFormat | undefined {
  const formatsOfProvider = providerFormats(provider, operation, model);
  return formatsOfProvider.includes(format) ? format : formatsOfProvider[0];
}

/** Returns the most inputs of one request to a model of a provider. Its `batch` applies if its kind has a limit, up to that of the model. */
export function batchOf({ kind, batch }: Speaker, operation: Operation, model?: string): number {
  const { maxInputs, maxInputsOf } = profileOf(kind);
  const ofModel = model === undefined ? undefined : maxInputsOf?.(model)[operation];
  if (ofModel !== undefined) return Math.min(batch ?? ofModel, ofModel);
  const limit = maxInputs?.[operation];
  return limit === undefined ? Number.POSITIVE_INFINITY : (batch ?? limit);
}

/** True if a provider accepts -1 for no token limit. */
export function takesNoLimit({ kind }: Pick<Provider, 'kind'>): boolean {
  return profileOf(kind).acceptsMinusOne === true;
}

/** True if a provider is sent the client's own text: it serves the format, and all inputs at once. */
function takesText(provider: Speaker, asking: RouteQuery): boolean {
  const { inputs = 1 } = asking;
  return (
    formatFor(provider, asking) === asking.format &&
    inputs <= batchOf(provider, asking.operation, asking.model)
  );
}

/** True if sessions of a model are held by this provider's realtime API, and not by the gateway itself. */
export function isBridged(
  { realtime }: Pick<Model, 'realtime'>,
  { kind }: Pick<Provider, 'kind'>,
  upstreamModel: string,
): boolean {
  return realtime === undefined
    ? profileOf(kind).hasRealtime?.(upstreamModel) === true
    : realtime === 'upstream';
}

/** Returns a model's targets. `match` is the text that the model's `*` matched. */
export function targetsOf({ targets }: Pick<Model, 'targets'>, match: string): Target[] {
  return match === '' ? targets : targets.map(target => fill(target, match));
}

function fill(target: Target, match: string): Target {
  // A function, so that `$&` and the like in a name have no special meaning.
  return { ...target, model: target.model.replace('*', () => match) };
}
