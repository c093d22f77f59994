import type { Dice } from '../dice.ts';
import { numberOr, type Schema } from './schema.ts';

const formats = new Map([
  ['date-time', '2026-01-15T09:30:00Z'],
  ['date', '2026-01-15'],
  ['time', '09:30:00Z'],
  ['duration', 'PT15M'],
  ['email', 'ada@example.com'],
  ['hostname', 'example.com'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['uri', 'https://example.com/'],
  ['url', 'https://example.com/'],
  ['uuid', '3f2b8c1e-5d4a-4e6f-9b7c-0a1d2e3f4b5c'],
]);

const examples = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'harbour'] as const;
const question = /quer|question|search|prompt|input|code|sql|expression|^q$/i;
const sentence = /answer|summary|description|explanation|reason|message|text|content/i;
const mostPadding = 100_000;

/** What strings are made from. */
export interface Material {
  /** The whole of what was asked. */
  question: string;
  /** A sentence that answers it. */
  sentence: string;
  /** What it is about, in order. */
  things: string[];
  numbers: number[];
}

/** A string that a schema allows, for the property `name`; `taken` counts the things already used. */
export function stringFor(
  schema: Schema,
  name: string,
  material: Material,
  taken: number,
  dice: Dice,
): string {
  const format = formats.get(String(schema.format));
  if (format) return format;
  const least = Math.min(numberOr(schema.minLength, 0), mostPadding);
  const most = Math.max(numberOr(schema.maxLength, Infinity), 0);
  return words(name, material, taken, dice).padEnd(least, ' and so on').slice(0, most).toWellFormed();
}

function words(name: string, material: Material, taken: number, dice: Dice): string {
  if (question.test(name)) return material.question || dice.pick(examples);
  if (sentence.test(name)) return material.sentence;
  return material.things[taken % Math.max(material.things.length, 1)] ?? dice.pick(examples);
}
