import { isUtf8 } from 'node:buffer';
import { exceededBound, memberText } from '@model-gateway/canonical';
import { invalidRequest } from '@model-gateway/ingress';
import { responsesMetadata } from '@model-gateway/wire';
import { z } from 'zod';
import { invalid } from '../invalid.ts';
import { inner } from '../stored/turn.ts';

/** The most items that a conversation begins with, or that are added at once. */
export const maxItems = 20;
const text = z.string();
const item = z
  .looseObject({ type: text.nullish(), role: text.nullish(), id: text.nullish() })
  .refine(({ type, role }) => type != null || role != null, { message: 'an item with a type or a role' });
const items = z.array(item).refine(({ length }) => length <= maxItems, {
  params: { code: 'array_above_max_length', expected: `at most ${maxItems} items` },
});
const created = z.looseObject({ items: items.nullish(), metadata: responsesMetadata.nullish() });
const changed = z.looseObject({ metadata: responsesMetadata.nullable() });
const added = z.looseObject({ items });

/** What a conversation begins with; its items as they came, joined by commas. @throws GatewayError */
export function parseNew(text: Buffer): { items: string; metadata: Record<string, string> } {
  const { metadata } = text.length === 0 ? {} : read(text, created);
  return { items: itemsOf(text), metadata: metadata ?? {} };
}

/** The metadata that a conversation is to have from now on. @throws GatewayError */
export function parseChange(text: Buffer): Record<string, string> {
  return read(text, changed).metadata ?? {};
}

/** The items that are added, as they came, joined by commas. @throws GatewayError */
export function parseItems(text: Buffer): string {
  read(text, added);
  return itemsOf(text);
}

function itemsOf(text: Buffer): string {
  const given = text.length === 0 ? undefined : memberText(text, 'items');
  return given?.startsWith('[') ? inner(given) : '';
}

function read<T extends z.ZodType>(text: Buffer, schema: T): z.output<T> {
  const body = readJson(text);
  const { success, data, error } = schema.safeParse(body);
  if (!success) throw invalidRequest(error, body);
  return data;
}

function readJson(text: Buffer): unknown {
  const wrong = () => invalid(null, 'The request body is not valid JSON.', 'invalid_json');
  const json = text.toString();
  if (!isUtf8(text)) throw wrong();
  const exceeded = exceededBound(json);
  if (exceeded) throw invalid(null, `The request body ${exceeded}.`);
  try {
    return JSON.parse(json);
  } catch {
    throw wrong();
  }
}

/** The id of the conversation, and of one of its items. */
export function parsePlace(url: string): { id: string; item: string } {
  const [, id = '', item = ''] = /^\/v1\/conversations\/([^/?]+)(?:\/items\/([^/?]+))?/.exec(url) ?? [];
  return { id: decoded(id), item: decoded(item) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
