import { askedForTier, type WireFormat } from './wire-format.ts';

/** The name of the tools that search the web, in every format. */
export const webSearchTool = 'web_search';

/** A tool that the upstream runs, as a request offers it. */
export interface HostedTool {
  /** Such as `web_search` or `code_interpreter`. */
  name: string;
  /** The field of the request that holds it. */
  field: string;
  /** True if only a target of the request's own format gets it. */
  own?: true;
}

/** The hosted tools and the service tier of a request: upstreams bill hosted tools apart, and other service tiers at other prices. */
export interface RequestExtras {
  format: WireFormat;
  tools?: readonly HostedTool[];
  /** A service tier other than the usual one. */
  tier?: string;
}

/** A route, as far as it decides which of them an upstream gets. */
interface ServingRoute {
  /** `verbatim` for the client's own text. */
  body: string;
  /** Format of the upstream. */
  format: WireFormat;
  /** Fields that it is not sent. */
  drop: readonly string[];
}

/** The hosted tools and the service tier that an attempt is billed for. */
export interface BilledExtras {
  /** The names of the hosted tools. */
  hostedTools?: string[];
  serviceTier?: string;
}

/** The names of the tier that every request has unless it asks for another. */
const usualTiers: ReadonlySet<string> = new Set([
  'auto',
  'default',
  'standard',
  'standard_only',
  'on_demand',
]);

export function isUsualTier(tier: string): boolean {
  return usualTiers.has(tier.toLowerCase());
}

/** Returns what a parsed request asks for beside tokens, to be spread into it; nothing if it is only usual. */
export function extrasOf(
  format: WireFormat,
  tools: readonly HostedTool[],
  tier: unknown,
): { extras?: RequestExtras } {
  const isTier = typeof tier === 'string' && tier !== '' && !isUsualTier(tier);
  if (tools.length === 0 && !isTier) return {};
  return { extras: { format, ...(tools.length > 0 && { tools }), ...(isTier && { tier }) } };
}

/** Returns a tier that translated requests ask for, by the same name in each format that has it; undefined for any other. */
export function translatedTier(tier: string | undefined): 'flex' | 'priority' | undefined {
  return tier === 'flex' || tier === 'priority' ? tier : undefined;
}

/** Returns what an attempt over a route is billed for: what the route drops, or no target of its format gets, is not. */
export function billedExtras(
  { tools = [], tier }: RequestExtras,
  { body, format, drop }: ServingRoute,
): BilledExtras {
  const isOwn = body === 'verbatim';
  const isDropped = ({ name, field }: HostedTool) =>
    drop.includes(field) || (name === webSearchTool && drop.includes('web_search_options'));
  const names = tools.filter(tool => (isOwn || !tool.own) && !isDropped(tool)).map(({ name }) => name);
  const isSent =
    tier !== undefined && (isOwn || (translatedTier(tier) !== undefined && askedForTier(format) !== 'none'));
  const hasTier = isSent && !drop.includes('service_tier') && !drop.includes('serviceTier');
  return {
    ...(names.length > 0 && { hostedTools: [...new Set(names)] }),
    ...(hasTier && { serviceTier: tier }),
  };
}
