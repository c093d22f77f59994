import { channelTypes, lackingTypes, namedAddresses } from './channel-types.ts';

export interface ChannelAddress {
  /** The name of the type. */
  type: string;
  kind: string;
  /** The kind's if absent. */
  baseUrl?: string;
  change?: string;
}

/** Type 8, whose address is that of chat completions itself. */
const custom = 8;

/** Returns the kind and the base URL of a channel, or the reason why the gateway has none. `stated` is `base_url`. */
export function addressOf(type: number, stated: string): ChannelAddress | { lost: string } {
  const named = namedAddresses[stated];
  if (named) return { type: stated, kind: 'openai-compatible', baseUrl: named };
  if (stated !== '' && !/^https?:\/\/[^?#\s]+$/.test(stated)) return { lost: 'Its base_url is no http URL.' };
  if (type === custom) return customAddress(stated);
  const known = channelTypes.get(type);
  if (!known) {
    const name = lackingTypes.get(type);
    return { lost: `The gateway has no provider for ${name ?? `channels of type ${type}`}.` };
  }
  const { name, kind, address, path, change } = known;
  const base = stated.replace(/\/+$/, '');
  if (path === undefined) return { type: name, kind, ...(base !== '' && { baseUrl: base }) };
  const isVendor = kind === 'openai' && (base === '' || base === 'https://api.openai.com');
  if (isVendor) return { type: name, kind };
  const root = base || address;
  if (root === undefined) return { lost: 'It has no base_url.' };
  return {
    ...{ type: name, kind: kind === 'openai' ? 'openai-compatible' : kind },
    baseUrl: path === '' || root.endsWith(path) ? root : root + path,
    ...(change && { change }),
  };
}

function customAddress(stated: string): ChannelAddress | { lost: string } {
  const [, baseUrl] = /^(https?:\/\/[^{}]+)\/chat\/completions\/?$/.exec(stated) ?? [];
  if (baseUrl) return { type: 'custom', kind: 'openai-compatible', baseUrl };
  return { lost: 'Its base_url is not one that ends with /chat/completions.' };
}
