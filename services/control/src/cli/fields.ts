import { z } from 'zod/mini';
import { readYaml } from '../common/yaml-text.ts';
import { streamsGoOn } from './cells.ts';
import type { CompletedNames, Option } from './command.ts';
import { UsageError } from './exit-codes.ts';

/** The part of a JSON Schema that options are made from. */
export interface Schema {
  type?: string | readonly string[];
  description?: string;
  enum?: readonly string[];
  const?: unknown;
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: Schema | false;
  required?: readonly string[];
  anyOf?: readonly Schema[];
}

export function schemaOf(shape: z.core.$ZodType): Schema {
  return z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }) as Schema;
}

/** Returns the shapes of which a value has one, without null. */
function variantsOf(schema: Schema): readonly Schema[] {
  const variants = schema.anyOf?.flatMap(variantsOf) ?? [schema];
  return variants.filter(({ type }) => type !== 'null');
}

const isOf = (type: string) => (schema: Schema) => [schema.type].flat().includes(type);
const numeric = (schema: Schema) => isOf('number')(schema) || isOf('integer')(schema);

/** The values of an option for true and false. */
const answers: readonly string[] = ['yes', 'no'];

function choicesOf(schema: Schema): readonly string[] | undefined {
  const variants = variantsOf(schema);
  const values = variants.flatMap(
    ({ enum: each, const: only }) => each ?? (only === undefined ? [] : [String(only)]),
  );
  if (variants.every(isOf('boolean'))) return answers;
  return values.length > 0 && variants.every(each => isOf('string')(each) && (each.enum || each.const))
    ? values
    : undefined;
}

/** Writes `expiresAt` as `expires-at`. */
export function optionName(field: string): string {
  return field.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
}

/** Returns the option for a field of a body or a parameter of a query, with the field's description as its help. */
export function optionOf(field: string, schema: Schema, names: CompletedNames | undefined): Option {
  const variants = variantsOf(schema);
  const choices = choicesOf(schema);
  const isAnswer = choices === answers;
  const isTime = /(?:At|Before|^from|^to)$/.test(field);
  const notation = isTime ? 'such as 2030-01-31T12:00:00Z' : choices ? '' : notationOf(schema);
  const about = [sentence(schema.description, isAnswer), notation].filter(Boolean).join('; ');
  const last = field.match(/(?:^|[A-Z])[a-z\d]+$/)?.[0] ?? field;
  const value = isAnswer
    ? 'yes|no'
    : variants.every(numeric)
      ? 'NUMBER'
      : isTime
        ? 'TIME'
        : last.toUpperCase();
  const words = optionName(field).replaceAll('-', ' ');
  return { kind: 'text', value, choices, names, about: about || `The ${words}` };
}

/** Writes a description of the API as a line of help. */
function sentence(description = '', isAnswer: boolean): string {
  const text = description
    .replaceAll('`', '')
    .replace(/\.$/, '')
    .replace(/\bnull for\b/i, 'empty for');
  const words: Record<string, string> = { True: 'Yes', true: 'yes', False: 'No', false: 'no' };
  return isAnswer ? text.replace(/\b(?:true|false)\b/gi, word => words[word] ?? word) : text;
}

/** Says how an object or a list is written. */
function notationOf(schema: Schema): string {
  const variants = variantsOf(schema);
  const object = objectOf(variants);
  if (object && isBudget(object)) return `such as 100/month, or 100/month,${streamsGoOn}`;
  if (object) return `such as ${exampleOf(object)}`;
  const list = variants.find(isOf('array'));
  if (!list) return '';
  const values = list.items && choicesOf(list.items);
  return values ? `of ${values.join(', ')}, with commas` : 'with commas';
}

/** Returns the shape of an object that is written in pairs; undefined if a text may be meant. */
function objectOf(variants: readonly Schema[]): Schema | undefined {
  if (variants.some(each => isOf('string')(each) && each.const === undefined && !each.enum)) return undefined;
  return variants.find(isOf('object'));
}

const isBudget = ({ properties }: Schema) => properties?.period !== undefined;

/** Writes the pairs of an object: `sample=NUMBER,redact=email+phone`. */
function exampleOf({ properties, additionalProperties }: Schema): string {
  if (!properties) {
    const isPlain = !additionalProperties || variantsOf(additionalProperties).some(isOf('string'));
    return isPlain ? 'NAME=VALUE,…' : '{NAME: {…}}';
  }
  const pairs = Object.entries(properties).flatMap(([name, schema]) => {
    const variants = variantsOf(schema);
    if (variants.every(numeric)) return [`${name}=NUMBER`];
    if (variants.some(isOf('array'))) return [`${name}=A+B`];
    return variants.some(isOf('object')) ? [] : [`${name}=VALUE`];
  });
  return pairs.length > 4 ? `${pairs.slice(0, 4).join(',')},…` : pairs.join(',');
}

/**
 * Reads the value of an option in the notation of people, or as YAML in braces or brackets. Of objects `before`, the parts that pairs
 * cannot express stay. The empty text is null. @throws UsageError
 */
export function readValue(option: string, schema: Schema, text: string, before?: unknown): unknown {
  const variants = variantsOf(schema);
  if (text === '') return null;
  if (/^[[{]/.test(text)) return yamlOf(option, text);
  const object = objectOf(variants);
  if (object && isBudget(object)) return budgetOf(option, text);
  if (object && (text.includes('=') || variants.length === 1)) return pairsOf(option, object, text, before);
  const list = variants.find(isOf('array'));
  if (list) return text.split(',').map(item => itemOf(option, list.items ?? {}, item.trim(), text));
  return itemOf(option, schema, text, text);
}

function itemOf(option: string, schema: Schema, item: string, text: string): unknown {
  const variants = variantsOf(schema);
  if (variants.every(isOf('boolean'))) return item === 'yes' || item === 'true';
  const values = choicesOf(schema);
  if (values && !values.includes(item))
    throw new UsageError(`--${option} takes ${values.join(', ')}, but not '${item}'`);
  if (!variants.every(numeric)) return item;
  if (item === '' || Number.isNaN(Number(item)))
    throw new UsageError(`--${option} must hold numbers, but has '${item || text}'`);
  return Number(item);
}

function yamlOf(option: string, text: string): unknown {
  const read = readYaml(text);
  if (read.problems)
    throw new UsageError(`--${option}: ${read.problems.map(({ reason }) => reason).join(', ')}`);
  return read.value;
}

function pairsOf(option: string, object: Schema, text: string, before: unknown): object {
  const given = text.split(',').map((pair): [string, unknown] => {
    const at = pair.indexOf('=');
    if (at < 1) throw new UsageError(`--${option} must be such as ${exampleOf(object)}, but has '${pair}'`);
    const [name, value] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    const schema = object.properties?.[name] ?? (object.additionalProperties || {});
    const list = variantsOf(schema).find(isOf('array'));
    if (!list) return [name, itemOf(option, schema, value, text)];
    const items = value.split('+').filter(Boolean);
    // Of the shapes of an item, a text is meant.
    const one = { anyOf: variantsOf(list.items ?? {}).filter(isOf('string')) };
    return [name, items.map(item => itemOf(option, one, item, text))];
  });
  const merged: Record<string, unknown> = Object.fromEntries(given);
  for (const [name, value] of Object.entries(Object(before ?? {}))) {
    const items = Array.isArray(value) ? value.filter(isObject) : [];
    if (items.length > 0) merged[name] = [...((merged[name] as unknown[] | undefined) ?? []), ...items];
    else if (isObject(value) && !Array.isArray(value)) merged[name] ??= value;
  }
  return merged;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** The default, which may be stated. */
const endsStreams = 'ends-streams';

/** Reads `100/month` and `100/month,streams-go-on`. */
function budgetOf(option: string, text: string): object {
  const [most = '', streams] = text.split(',');
  const [amount = '', period, ...rest] = most.split('/');
  const isKnown = streams === undefined || streams === endsStreams || streams === streamsGoOn;
  if (period === undefined || rest.length > 0 || !isKnown)
    throw new UsageError(`--${option} must be such as 100/month or 100/month,${streamsGoOn}`);
  return {
    amount: itemOf(option, { type: 'number' }, amount, text),
    period,
    ...(streams && { endsStreams: streams === endsStreams }),
  };
}
