import type { PriceAmounts } from '@model-gateway/catalog';
import { exact } from '../accepted.ts';
import type { Part } from '../account.ts';

const million = 1_000_000;

interface Field {
  to: keyof PriceAmounts;
  times: number;
  /** The modes in which LiteLLM's field means the same; absent for all. */
  modes?: readonly string[];
}

/** LiteLLM's prices, each for one token, character, second, image or query. */
const fields: Readonly<Record<string, Field>> = {
  input_cost_per_token: { to: 'input', times: million },
  output_cost_per_token: { to: 'output', times: million },
  cache_read_input_token_cost: { to: 'cachedInput', times: million },
  cache_creation_input_token_cost: { to: 'cacheWrite', times: million },
  cache_creation_input_token_cost_above_1hr: { to: 'cacheWrite1h', times: million },
  input_cost_per_audio_token: { to: 'audioInput', times: million },
  input_cost_per_image_token: { to: 'imageInput', times: million },
  output_cost_per_reasoning_token: { to: 'reasoning', times: million },
  output_cost_per_audio_token: { to: 'audioOutput', times: million },
  input_cost_per_character: { to: 'characters', times: million, modes: ['audio_speech'] },
  input_cost_per_second: { to: 'second', times: 1, modes: ['audio_transcription'] },
  input_cost_per_image: { to: 'image', times: 1, modes: ['image_generation', 'image_edit'] },
  output_cost_per_image: { to: 'image', times: 1, modes: ['image_generation', 'image_edit'] },
  input_cost_per_query: { to: 'search', times: 1, modes: ['rerank'] },
};

/** Returns the price that these parts state; those that come first count. */
export function priceOf(parts: readonly Part[], mode: string | undefined): PriceAmounts | undefined {
  const price: PriceAmounts = {};
  for (const part of parts) {
    for (const [name, { to, times, modes }] of Object.entries(fields)) {
      const field = part.get(name);
      if (!field.isPresent) continue;
      const amount = field.number();
      if (modes && !modes.includes(mode ?? 'chat'))
        field.lose('The gateway has no such price for models of this mode.');
      else if (amount !== undefined && amount < 0) field.lose('A price must not be negative.');
      else if (amount !== undefined) {
        const stated = exact(amount * times);
        price[to] ??= stated;
        if (price[to] !== stated) field.lose('Another field states another price for the same.');
      }
    }
  }
  return Object.keys(price).length > 0 ? price : undefined;
}
