import type { Part } from '../account.ts';
import type { Limits } from '../limits.ts';

const limitNames = {
  model_rpm_limit: 'requestsPerMinute',
  model_tpm_limit: 'tokensPerMinute',
} as const;
/** Fields of the metadata that are settings of LiteLLM, and no notes of people. */
const settings =
  /^(tags|guardrails|logging|.*_limit|.*_limits|.*_budget|.*_type|prompts|policies|service_account_id|disable_.*)$/;
const mostTags = 50;
const longestTag = 200;

/** Returns the limits of models in the metadata of a key. */
export function modelLimitsOf(metadata: Part): NonNullable<Limits['models']> | undefined {
  const models: NonNullable<Limits['models']> = {};
  for (const [field, limit] of Object.entries(limitNames))
    for (const entry of metadata.get(field).mapping()) {
      const value = entry.number();
      if (value === undefined) continue;
      if (!Number.isInteger(value) || value <= 0) entry.lose('It must be a whole number greater than zero.');
      else if (entry.key.split('*').length > 2) entry.lose('A name may hold one * at most.');
      else models[entry.key] = { ...models[entry.key], [limit]: value };
    }
  return Object.keys(models).length > 0 ? models : undefined;
}

/** Returns the texts in the metadata of a key as tags. */
export function tagsOf(metadata: Part): Record<string, string> {
  const tags: Record<string, string> = {};
  if (typeof metadata.value === 'string') return tags;
  for (const field of metadata.mapping()) {
    const isText = ['string', 'number', 'boolean'].includes(typeof field.value);
    if (!isText || settings.test(field.key)) continue;
    const text = field.text() ?? '';
    if (text.length > longestTag || /\p{Cc}/u.test(text + field.key) || Object.keys(tags).length >= mostTags)
      field.lose('It is too long for a tag, or there are too many.');
    else tags[field.key] = text;
  }
  return tags;
}
