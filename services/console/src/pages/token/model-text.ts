import { formatCount, formatMoney } from '../layout/format.ts';
import type { ShownModel } from './check-token.ts';

/** Describes a model in a line: `openai · 128K context · $1.25 in, $10 out per million tokens`. */
export function modelText(model: ShownModel): string {
  const { providers = [], context } = model;
  return [providers.join(', '), context && `${formatCount(context)} context`, priceText(model)]
    .filter(Boolean)
    .join(' · ');
}

/** Describes the price of a model for a million tokens, or for what else it is billed by; an empty text if it is unknown. */
export function priceText({ price }: Pick<ShownModel, 'price'>): string {
  if (!price) return '';
  const { input, output, image, second, characters, search } = price;
  const tokens = [
    input !== undefined && `${formatMoney(input)} in`,
    output !== undefined && `${formatMoney(output)} out`,
  ].filter(Boolean);
  return [
    tokens.length > 0 && `${tokens.join(', ')} per million tokens`,
    image !== undefined && `${formatMoney(image)} per image`,
    second !== undefined && `${formatMoney(second)} per second`,
    characters !== undefined && `${formatMoney(characters)} per million characters`,
    search !== undefined && `${formatMoney(search)} per search`,
  ]
    .filter(Boolean)
    .join(', ');
}
