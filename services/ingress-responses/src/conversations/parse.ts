import { isUtf8 } from 'node:buffer';
import { memberText, nestsTooDeep } from '@model-gateway/canonical';
import { invalidRequest } from '@model-gateway/ingress';
import { z } from 'zod';
import { invalid } from '../invalid.ts';
import { inner } from '../stored/turn.ts';

const metadata = z
  .record(z.string().max(64), z.string().max(512))
  .refine(pairs => Object.keys(pairs).length <= 16, { message: 'at most 16 pairs' });
const items = z.array(z.looseObject({ type: z.string().nullish() }));
const created = z.looseObject({ items: items.nullish(), metadata: metadata.nullish() });

/** What a body says of a conversation; its items as they came, joined by commas. @throws GatewayError */
export function parseConversation(text: Buffer): {
  items: string;
  metadata: Record<string, string> | undefined;
} {
  const body = text.length === 0 ? {} : readJson(text);
  const { success, data, error } = created.safeParse(body);
  if (!success) throw invalidRequest(error, body);
  const given = data.items ? memberText(text, 'items') : undefined;
  return { items: given ? inner(given) : '', metadata: data.metadata ?? undefined };
}

function readJson(text: Buffer): unknown {
  const wrong = () => invalid('', 'The request body is not valid JSON.', 'invalid_json');
  const json = text.toString();
  if (!isUtf8(text) || nestsTooDeep(json)) throw wrong();
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
