import { responsesMetadata } from '@model-gateway/formats';
import { invalidRequest, knownFields } from '@model-gateway/formats/client';
import { parseObject } from '@model-gateway/ingress';
import { memberText } from '@model-gateway/json';
import { z } from 'zod';
import { inner } from '../store/turn.ts';

/** The maximum number of items in one request that creates a conversation or adds to it. */
export const maxItems = 20;
const text = z.string();
const item = z
  .looseObject({ type: text.nullish(), role: text.nullish(), id: text.nullish() })
  .refine(({ type, role }) => type != null || role != null, { message: 'an item with a type or a role' });
const items = z
  .array(item)
  .refine(({ length }) => length <= maxItems, {
    params: { code: 'array_above_max_length', expected: `at most ${maxItems} items` },
  })
  .meta({ maxItems });
/** The body of a new conversation. */
export const newConversation = z.looseObject({
  items: items.nullish(),
  metadata: responsesMetadata.nullish(),
});
/** The body of a change of a conversation. */
export const changedConversation = z.looseObject({ metadata: responsesMetadata.nullable() });
/** The body of a request that adds items. */
export const addedItems = z.looseObject({ items });

/** Parses a new conversation. `items` is the client's JSON, joined by commas. @throws GatewayError */
export async function parseNew(text: Buffer): Promise<{ items: string; metadata: Record<string, string> }> {
  const { metadata } = text.length === 0 ? {} : await read(text, newConversation);
  return { items: itemsOf(text), metadata: metadata ?? {} };
}

/** Parses the new metadata of a conversation. @throws GatewayError */
export async function parseChange(text: Buffer): Promise<Record<string, string>> {
  return (await read(text, changedConversation)).metadata ?? {};
}

/** Parses the items to add. Returns the client's JSON, joined by commas. @throws GatewayError */
export async function parseItems(text: Buffer): Promise<string> {
  await read(text, addedItems);
  return itemsOf(text);
}

function itemsOf(text: Buffer): string {
  const list = text.length === 0 ? undefined : memberText(text, 'items');
  return list?.startsWith('[') ? inner(list) : '';
}

async function read<T extends z.ZodObject>(text: Buffer, schema: T): Promise<z.output<T>> {
  const body = await parseObject(text, knownFields(schema));
  const { success, data, error } = schema.safeParse(body);
  if (!success) throw invalidRequest(error, body);
  return data;
}

/** Parses the ids of the conversation and of the item in a URL. An absent id is empty. */
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
