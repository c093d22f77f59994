import { parseExact } from '@model-gateway/json';

/** An item of a conversation as the client sent it. Its numbers keep their spelling. */
export type Item = Record<string, unknown>;

/** Parses items that are joined by commas. */
export function readItems(items: string): Item[] {
  return parseExact(`[${items}]`) as Item[];
}

export function writeItems(items: readonly Item[]): string {
  return items.map(item => JSON.stringify(item)).join(',');
}

const prefixes: Record<string, string> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
};

/** Returns the item's type, which messages and references may omit. */
export function typeOf({ type, role }: Item): string {
  if (typeof type === 'string') return type;
  return role == null ? 'item_reference' : 'message';
}

/**
 * Adds an id to each item without one, made of `name`, which has 24 hexadecimal digits, and the item's index.
 */
export function named(items: readonly Item[], name: string): Item[] {
  return items.map((item, i) => {
    const { id, ...rest } = item;
    if (typeof id === 'string') return item;
    return { id: `${prefixes[typeOf(item)] ?? 'item'}_${name}_in${i}`, ...rest };
  });
}

/** Removes the ids that {@link named} added, since upstreams do not know them. */
export function unnamed(items: string): string {
  return items.replace(/\{"id":"[a-z]+_[0-9a-f]{24}_in\d+",/g, '{');
}

/** Returns the key of a stored object: the project, encoded for NATS subjects, and the id. */
export function keyOf(project: string, id: string): string {
  return `${ownerOf(project)}.${id}`;
}

/** Returns the subject token by which a project's stored bytes are counted. */
export function ownerOf(project: string): string {
  return Buffer.from(project).toString('base64url');
}

/** True if a text can be part of a key. */
export function isId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,200}$/.test(id);
}

export function isResponse(id: string): boolean {
  return id.startsWith('resp_') && isId(id);
}

export function isConversation(id: string): boolean {
  return id.startsWith('conv_') && isId(id);
}

/** True for the id of an entry. Entries are keyed below their conversation, and are deleted with it. */
export function isEntry(id: string): boolean {
  const [conversation = '', entry = ''] = id.split('.');
  return isConversation(conversation) && isId(entry);
}
