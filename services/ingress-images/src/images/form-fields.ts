import type { ReceivedForm } from '@model-gateway/ingress';

/** The fields that are no texts. */
const numbers = new Set(['n', 'output_compression', 'partial_images']);
const booleans = new Map([
  ['true', true],
  ['false', false],
]);

/** A form's fields as JSON would have them; an empty one is not set, and what is no number or boolean stays a text. */
export function fieldsOf({ fields }: Pick<ReceivedForm, 'fields'>): Record<string, unknown> {
  const set = fields.filter(([, value]) => value !== '');
  return Object.fromEntries(set.map(([name, value]) => [name, typed(name, value)]));
}

function typed(name: string, value: string): unknown {
  if (name === 'stream') return booleans.get(value.toLowerCase()) ?? value;
  return numbers.has(name) && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
}
