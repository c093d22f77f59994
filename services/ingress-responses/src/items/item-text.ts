import { listSpans, spliceTopLevel, topLevelSpans } from '@model-gateway/json';

/** An item of a conversation as JSON text, with the fields that tell items apart. */
export interface ItemText {
  text: string;
  /** Its own id; undefined if it has none. */
  id: string | undefined;
  type: string;
  role: string | undefined;
  /** The id of the call that it is, or answers. */
  callId: string | undefined;
}

/** Splits items that are joined by commas, without parsing what is in them. */
export function splitItems(items: string): ItemText[] {
  return listSpans(items).map(({ start, end }) => itemText(items.slice(start, end)));
}

export function itemText(text: string): ItemText {
  const fields = new Map<string, string>();
  if (text.startsWith('{'))
    for (const { key, valueStart, valueEnd } of topLevelSpans(text))
      if (telling.has(key)) fields.set(key, text.slice(valueStart, valueEnd));
  const hasRole = (fields.get('role') ?? 'null') !== 'null';
  const type = stringIn(fields.get('type')) ?? (hasRole ? 'message' : 'item_reference');
  const [id, role, callId] = ['id', 'role', 'call_id'].map(key => stringIn(fields.get(key)));
  return { text, id, type, role, callId };
}

/** The fields that tell items apart. */
const telling: ReadonlySet<string> = new Set(['id', 'type', 'role', 'call_id']);

/** Returns the text of a JSON string; undefined for any other value. */
function stringIn(json: string | undefined): string | undefined {
  return json?.startsWith('"') ? JSON.parse(json) : undefined;
}

const prefixes: Record<string, string> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
};

/**
 * Returns an item's own id, else one made of `name`, which has 24 hexadecimal digits, and the item's place in its list.
 */
export function nameOf({ id, type }: ItemText, name: string, place: number): string {
  return id ?? `${prefixes[type] ?? 'item'}_${name}_in${place}`;
}

/** Returns an item with an id. One without an id of its own gets that of {@link nameOf}. */
export function named(item: ItemText, name: string, place: number): ItemText {
  if (item.id !== undefined) return item;
  const id = nameOf(item, name, place);
  const text = /"id"/.test(item.text) ? withoutId(item.text) : item.text;
  return { ...item, id, text: `{"id":${JSON.stringify(id)},${text.slice(1)}` };
}

/** Removes an id that is no string. */
function withoutId(text: string): string {
  return spliceTopLevel(Buffer.from(text), new Map([['id', null]])).toString();
}

/** Removes the ids that {@link named} added, since upstreams do not know them. */
export function unnamed(items: string): string {
  return items.replace(/\{"id":"[a-z]+_[0-9a-f]{24}_in\d+",/g, '{');
}

export function joinItems(items: readonly ItemText[]): string {
  return items.map(({ text }) => text).join(',');
}

/** Completes an item for a list: adds its type, and turns a message's text into a part. Returns its JSON. */
export function listedItem({ text, type, role }: ItemText): string {
  const edits = new Map<string, string | ((current: string | undefined) => string | null)>([
    ['type', JSON.stringify(type)],
  ]);
  if (type === 'message') {
    const [kind, more] = role === 'assistant' ? ['output_text', ',"annotations":[]'] : ['input_text', ''];
    edits.set('status', current => current ?? '"completed"');
    edits.set('content', current =>
      current?.startsWith('"') ? `[{"type":"${kind}","text":${current}${more}}]` : (current ?? null),
    );
  }
  return spliceTopLevel(Buffer.from(text), edits).toString();
}
