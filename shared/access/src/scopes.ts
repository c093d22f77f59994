import { BlockList, isIPv6 } from 'node:net';
import { type ClientFormat, GatewayError, matchesPattern } from '@model-gateway/canonical';

/** The requests that a token may make. An absent field allows everything. */
export interface Scopes {
  /** Names of models, each with at most one `*`. */
  models?: readonly string[];
  /** Wire formats of endpoints. */
  endpoints?: readonly ClientFormat[];
  /** IP addresses and ranges such as `10.0.0.0/8`. */
  allowedAddresses?: readonly string[];
}

/** A use of a token. */
export interface TokenUse {
  /** Absent for the list of models, which every token may use. */
  endpoint?: ClientFormat;
  /** The client's address; absent for work without a client, and for clients that may be anywhere. */
  client?: string | undefined;
}

function assertEndpoint({ endpoints }: Scopes, endpoint: ClientFormat): void {
  if (!endpoints || endpoints.includes(endpoint)) return;
  throw new GatewayError('forbidden', `This API key may not use the endpoint '${endpoint}'.`, {
    code: 'endpoint_not_allowed',
  });
}

/** Checks that a token may use an endpoint from an address. @throws GatewayError of kind `forbidden` */
export function assertUse(scopes: Scopes, { endpoint, client }: TokenUse): void {
  if (endpoint) assertEndpoint(scopes, endpoint);
  const { allowedAddresses } = scopes;
  if (client !== undefined && allowedAddresses && !rangesOf(allowedAddresses).check(...withFamily(client)))
    throw new GatewayError('forbidden', 'This API key may not be used from this address.', {
      code: 'address_not_allowed',
    });
}

/** Checks that a token may use a model. @throws GatewayError of kind `forbidden` */
export function assertModel({ models }: Scopes, name: string, param = 'model'): void {
  if (!models || models.some(pattern => matchesPattern(name, pattern))) return;
  throw new GatewayError('forbidden', `This API key may not use the model '${name}'.`, {
    param,
    code: 'model_not_allowed',
  });
}

/**
 * Returns the models that a token may use, of those whose names may hold a `*`: where such a name stands for more models than
 * the token may use, the token's own names take its slot.
 */
export function allowedModels<Model extends { name: string }>(
  all: readonly Model[],
  { models }: Scopes,
): Model[] {
  if (!models) return [...all];
  const named = new Set(all.map(({ name }) => name));
  const patterns = all.filter(({ name }) => name.includes('*'));
  const byOwner = Map.groupBy(
    models.filter(name => !named.has(name)),
    name => owner(patterns, name),
  );
  return all.flatMap(model => {
    if (models.some(pattern => matchesPattern(model.name, pattern))) return model;
    return byOwner.get(model)?.map(name => ({ ...model, name })) ?? [];
  });
}

/** Returns the model that serves a name: the one with the longest pattern. */
function owner<Model extends { name: string }>(all: readonly Model[], name: string): Model | undefined {
  return all
    .filter(model => matchesPattern(name, model.name))
    .toSorted((a, b) => b.name.length - a.name.length)[0];
}

const ranges = new WeakMap<readonly string[], BlockList>();

function rangesOf(addresses: readonly string[]): BlockList {
  let list = ranges.get(addresses);
  if (!list) {
    list = new BlockList();
    for (const range of addresses) addRange(list, range);
    ranges.set(addresses, list);
  }
  return list;
}

/** @throws Error if the text is neither an address nor a range */
function addRange(list: BlockList, range: string): void {
  const [text = '', bits] = range.split('/');
  const [address, family] = withFamily(text);
  // The range is one of IPv6 addresses, whose first 96 bits say that they hold one of IPv4.
  const mappedBits = address === text ? 0 : 96;
  if (bits === undefined) list.addAddress(address, family);
  else list.addSubnet(address, Number(bits) - mappedBits, family);
}

/** True if a text is an IP address or a range such as `10.0.0.0/8`. */
export function isAddressRange(range: string): boolean {
  if (!/^[0-9a-f.:]+(\/\d{1,3})?$/i.test(range)) return false;
  try {
    addRange(new BlockList(), range);
    return true;
  } catch {
    return false;
  }
}

function withFamily(address: string): [string, 'ipv4' | 'ipv6'] {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped) return [mapped, 'ipv4'];
  return [address, isIPv6(address) ? 'ipv6' : 'ipv4'];
}
