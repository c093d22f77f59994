import { parseExact } from '@model-gateway/canonical';

/** An item of a conversation, as it came; its numbers are exact. */
export type Item = Record<string, unknown>;

/** `items` are joined by commas. */
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

/** The item's type, which a message and a reference may leave out. */
export function typeOf({ type, role }: Item): string {
  if (typeof type === 'string') return type;
  return role == null ? 'item_reference' : 'message';
}

/** Gives each item that has none an id, made of a name of 24 hexadecimal digits and its place. */
export function named(items: readonly Item[], name: string): Item[] {
  return items.map((item, i) => {
    const { id, ...rest } = item;
    if (typeof id === 'string') return item;
    return { id: `${prefixes[typeOf(item)] ?? 'item'}_${name}_in${i}`, ...rest };
  });
}

/** Takes out the ids that {@link named} made: upstreams know the items without them. */
export function unnamed(items: string): string {
  return items.replace(/\{"id":"[a-z]+_[0-9a-f]{24}_in\d+",/g, '{');
}

/** A project's name as a subject can hold it, and the id. */
export function keyOf(project: string, id: string): string {
  return `${ownerOf(project)}.${id}`;
}

/** The token of a subject for whom what a project keeps is counted. */
export function ownerOf(project: string): string {
  return Buffer.from(project).toString('base64url');
}

/** Whether a text can be a part of a key. */
export function isId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,200}$/.test(id);
}

export function isResponse(id: string): boolean {
  return id.startsWith('resp_') && isId(id);
}

export function isConversation(id: string): boolean {
  return id.startsWith('conv_') && isId(id);
}

/** Entries lie under their conversation, and go with it. */
export function isEntry(id: string): boolean {
  const [conversation = '', entry = ''] = id.split('.');
  return isConversation(conversation) && isId(entry);
}
