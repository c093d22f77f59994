import type { EmbedInput } from '@model-gateway/canonical';
import { unsupported } from './unsupported.ts';

/** The texts of inputs, for upstreams that take nothing else. @throws GatewayError for one that is tokens */
export function inputTexts(inputs: readonly EmbedInput[]): string[] {
  return inputs.map((input, i) => {
    if (typeof input === 'string') return input;
    const param = inputs.length === 1 ? 'input' : `input[${i}]`;
    throw unsupported(param, "this model's provider embeds texts, not tokens");
  });
}
