import { plainHeaders } from '../accepted.ts';
import type { Part } from '../account.ts';
import type { ProvidersDraft } from '../providers-draft.ts';
import type { ModelDraft, TargetDraft } from '../result.ts';
import { accessOf } from './channel-access.ts';
import { addressOf, type ChannelAddress } from './channel-types.ts';

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

/** Returns a model for each name that the channels serve. The channels of the highest priority share its requests by weight. */
export function modelsOf(channels: readonly Channel[]): ModelDraft[] {
  const serving = channels.flatMap(channel => channel.models.map(model => ({ channel, model })));
  return [...Map.groupBy(serving, ({ model }) => model.name)].map(([name, members]) => {
    const sorted = members.toSorted((a, b) => b.channel.priority - a.channel.priority);
    const best = sorted[0]?.channel.priority;
    const shareOf = sharesOf(sorted.flatMap(({ channel }) => (channel.priority === best ? channel : [])));
    const targets = sorted.flatMap(({ channel, model }): TargetDraft[] => {
      const { providers } = channel;
      const share = channel.priority === best ? shareOf(channel) : 0;
      return providers.map(provider => ({
        ...{ provider, model: model.upstream },
        weight: share / providers.length,
      }));
    });
    noteLowerShares(sorted.map(({ channel }) => channel).filter(channel => channel.priority !== best));
    return {
      name,
      targets: targets.length > 1 ? targets : targets.map(({ weight: _, ...target }) => target),
    };
  });
}

function sharesOf(channels: readonly Channel[]): (channel: Channel) => number {
  const isWeighted = channels.some(({ weight }) => weight > 0);
  if (isWeighted)
    for (const { row, weight } of channels)
      if (weight === 0) row.get('weight').change('A target of weight 0 is for failover only.');
  return ({ weight }) => (isWeighted ? weight : 1);
}

function noteLowerShares(channels: readonly Channel[]): void {
  if (channels.length < 2) return;
  for (const { row } of channels)
    row.get('priority').change('Targets of lower priorities are tried in order, without shares.');
}
