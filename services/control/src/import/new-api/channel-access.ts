import { optionMisfit } from '@model-gateway/catalog';
import type { Part } from '../account.ts';

/** The credential of a provider of a channel, and the options of its kind. */
interface ChannelAccess {
  options?: Record<string, string>;
  apiKey?: { value: string };
}

/**
 * Returns how a provider signs in with a key of a channel; undefined, and reported, if the kind cannot use it. new-api keeps
 * the settings of clouds in `other` and in the key (middleware/distributor.go, relay/channel/aws, relay/channel/vertex).
 */
export function accessOf(kind: string, key: string | undefined, row: Part): ChannelAccess | undefined {
  switch (kind) {
    case 'azure-openai':
      return { ...withKey(key), ...withOption(kind, 'apiVersion', row.get('other')) };
    case 'cloudflare':
      return { ...withKey(key), ...withOption(kind, 'account', row.get('other')) };
    case 'vertex':
      return { ...withKey(key), ...withOption(kind, 'location', row.get('other')) };
    case 'bedrock':
      return ofBedrock(key ?? '', row);
    default:
      return withKey(key);
  }
}

/** Reads `AccessKeyId|SecretAccessKey|Region`, or `BedrockApiKey|Region`. */
function ofBedrock(key: string, row: Part): ChannelAccess | undefined {
  const parts = key.split('|').map(part => part.trim());
  const [first = '', second = '', third = ''] = parts;
  if (parts.length === 3)
    return { apiKey: { value: second }, options: { region: third, accessKeyId: first } };
  if (parts.length === 2) return { apiKey: { value: first }, options: { region: second } };
  return row
    .get('key')
    .lose('It is not an access key, its secret and a region, nor an API key and a region.');
}

function withKey(value: string | undefined): ChannelAccess {
  return value === undefined ? {} : { apiKey: { value } };
}

/** Returns an option as it is in `other`, which may be a JSON object with the value for each model. */
function withOption(kind: string, name: string, part: Part): ChannelAccess {
  const text = part.text()?.trim() ?? '';
  if (text === '') return {};
  const value = text.startsWith('{') ? defaultIn(text) : text;
  if (value === undefined) return part.lose('It has no value for all models.') ?? {};
  const misfit = optionMisfit(kind, name, value);
  if (misfit) part.lose(`It ${misfit}.`);
  return misfit ? {} : { options: { [name]: value } };
}

/** Returns the value that JSON holds for models without one of their own. */
function defaultIn(text: string): string | undefined {
  try {
    const { default: value } = JSON.parse(text) as { default?: unknown };
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
