import { memberText } from '@model-gateway/canonical';
import { invalidRequest, knownFields, parseObject } from '@model-gateway/ingress';
import { responsesMetadata } from '@model-gateway/wire';
import { z } from 'zod';
import { inner } from '../store/turn.ts';

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
export async function parseNew(text: Buffer): Promise<{ items: string; metadata: Record<string, string> }> {
  const { metadata } = text.length === 0 ? {} : await read(text, created);
  return { items: itemsOf(text), metadata: metadata ?? {} };
}

/** The metadata that a conversation is to have from now on. @throws GatewayError */
export async function parseChange(text: Buffer): Promise<Record<string, string>> {
  return (await read(text, changed)).metadata ?? {};
}

/** The items that are added, as they came, joined by commas. @throws GatewayError */
export async function parseItems(text: Buffer): Promise<string> {
  await read(text, added);
  return itemsOf(text);
}

function itemsOf(text: Buffer): string {
  const given = text.length === 0 ? undefined : memberText(text, 'items');
  return given?.startsWith('[') ? inner(given) : '';
}

async function read<T extends z.ZodObject>(text: Buffer, schema: T): Promise<z.output<T>> {
  const body = await parseObject(text, knownFields(schema));
  const { success, data, error } = schema.safeParse(body);
  if (!success) throw invalidRequest(error, body);
  return data;
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
