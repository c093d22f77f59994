import type { Part } from '../account.ts';
import { plainHeaders } from '../headers.ts';
import type { ProvidersDraft } from '../providers-draft.ts';
import { accessOf } from './channel-access.ts';
import { addressOf, type ChannelAddress } from './channel-address.ts';

/** A channel that is carried over. */
export interface Channel {
  row: Part;
  /** The names of its providers, one for each of its keys. */
  providers: string[];
  /** Its models: the names that clients use, and those at the provider. */
  models: { name: string; upstream: string }[];
  groups: string[];
  priority: number;
  weight: number;
}

const enabled = 1;

/** Reads the channels that are enabled. The others are reported. */
export function channelsOf(rows: readonly Part[], providers: ProvidersDraft): Channel[] {
  return rows.flatMap(row => channelOf(row, providers) ?? []);
}

function channelOf(row: Part, providers: ProvidersDraft): Channel | undefined {
  const name = row.get('name').text() || `channel ${row.key}`;
  const status = row.get('status').number() ?? enabled;
  if (status !== enabled)
    return row.lose(`${name}: it is disabled${status === 3 ? ', by new-api itself after errors' : ''}.`);
  const address = addressOf(row.get('type').number() ?? 0, row.get('base_url').text()?.trim() ?? '');
  if ('lost' in address) return row.lose(`${name}: ${address.lost}`);
  const names = listOf(row.get('models').text());
  if (names.length === 0) return row.lose(`${name}: it has no models.`);
  if (address.change) row.get('type').change(address.change);
  const keys = keysOf(row, address.kind);
  if (keys.length === 0 && row.get('key').text()?.trim())
    return row.lose(`${name}: all its keys are disabled.`);
  const mapping = mappingOf(row.get('model_mapping'), names);
  const models = names.map(each => ({ name: each, upstream: mapping.get(each) ?? each }));
  const shared = { headers: headersOf(row), keys, name, row };
  return {
    ...{ row, models },
    providers: providersOf(providers, address, shared),
    groups: listOf(row.get('group').text()),
    priority: row.get('priority').number() ?? 0,
    weight: Math.max(0, row.get('weight').number() ?? 0),
  };
}

interface Shared {
  headers: Record<string, string>;
  keys: string[];
  name: string;
  row: Part;
}

function providersOf(
  providers: ProvidersDraft,
  address: ChannelAddress,
  { headers, keys, name, row }: Shared,
): string[] {
  const { kind, baseUrl } = address;
  const all = keys.length > 0 ? keys : [undefined];
  return all.flatMap(key => {
    const access = accessOf(kind, key, row);
    return access ? [providers.add({ name, kind, baseUrl, headers, ...access }, row.where)] : [];
  });
}

/** Reads the keys of a channel: one, or several in lines. */
function keysOf(row: Part, kind: string): string[] {
  const [info, text] = [row.get('channel_info'), row.get('key').text()?.trim() ?? ''];
  if (!info.get('is_multi_key').flag())
    // The key of a service account is JSON in several lines.
    return kind === 'vertex' && text !== '' ? [text] : linesOf(text);
  info.get('multi_key_size').number();
  info.get('multi_key_polling_index').number();
  if (info.get('multi_key_mode').text() === 'polling')
    info.get('multi_key_mode').change('The keys share the requests by chance, and do not take turns.');
  const disabled = new Set(
    info
      .get('multi_key_status_list')
      .mapping()
      .flatMap(status => (status.number() === enabled ? [] : status.key)),
  );
  for (const status of info.get('multi_key_status_list').mapping())
    if (disabled.has(status.key)) status.lose('The key is disabled.');
  return linesOf(text, disabled);
}

function linesOf(text: string, without: ReadonlySet<string> = new Set()): string[] {
  const lines = text.split('\n').map(line => line.trim());
  return lines.filter((line, at) => line !== '' && !without.has(String(at)));
}

function headersOf(row: Part): Record<string, string> {
  const organization = row.get('open_ai_organization').text();
  const headers = plainHeaders(row.get('header_override'), part => {
    const value = part.text();
    return value?.includes('{') ? part.lose('The gateway has no placeholders in headers.') : value;
  });
  return { ...headers, ...(organization && { 'OpenAI-Organization': organization }) };
}

/** Returns the names at the provider by those of clients. A name may be mapped to one that is mapped, too. */
function mappingOf(part: Part, names: readonly string[]): Map<string, string> {
  const steps = new Map(part.mapping().map(each => [each.key, each.text() ?? each.key]));
  for (const each of part.mapping())
    if (!names.includes(each.key) && ![...steps.values()].includes(each.key))
      each.lose('The channel has no model of this name.');
  return new Map(
    [...steps.keys()].map(name => {
      const seen = new Set([name]);
      let at = steps.get(name) as string;
      while (steps.has(at) && !seen.has(at)) {
        seen.add(at);
        at = steps.get(at) as string;
      }
      return [name, at];
    }),
  );
}

export function listOf(text: string | undefined): string[] {
  const entries = (text ?? '').split(',').map(entry => entry.trim());
  return [...new Set(entries.filter(entry => entry !== ''))];
}
