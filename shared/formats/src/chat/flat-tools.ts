import { type Edit, isJsonObject, omitNullish, parseExact, spliceTopLevel } from '@model-gateway/json';

type Fields = Record<string, unknown>;

/**
 * Nests the tools and the choice of clients that send them as in the responses or the messages format, as Cursor does: upstreams of
 * the chat format refuse them. Changes `body`, and returns its JSON text.
 */
export function nestTools(body: Fields, text: Buffer): Buffer {
  const { tools, tool_choice: choice } = body;
  const edits = new Map<string, Edit>();
  if (Array.isArray(tools) && tools.some(isFlat)) edits.set('tools', current => nested(current, nestAll));
  if (isFlatChoice(choice)) edits.set('tool_choice', current => nested(current, nestChoice));
  if (edits.size === 0) return text;
  if (edits.has('tools')) body.tools = nestAll(tools);
  if (edits.has('tool_choice')) body.tool_choice = nestChoice(choice);
  return spliceTopLevel(text, edits);
}

function nested(current: string | undefined, nest: (value: unknown) => unknown): string | null {
  return current === undefined ? null : JSON.stringify(nest(parseExact(current)));
}

function nestAll(tools: unknown): unknown {
  return (tools as unknown[]).map(tool => (isFlat(tool) ? nestTool(tool) : tool));
}

/** True for a tool that the client runs, whose name is a member of its own. */
function isFlat(tool: unknown): tool is Fields {
  if (!isJsonObject(tool) || typeof tool.name !== 'string' || tool.function || tool.custom) return false;
  const { type } = tool;
  return type === undefined || type === null || type === 'function' || type === 'custom';
}

function nestTool({ type, name, description, ...tool }: Fields): Fields {
  if (type === 'custom' && !tool.input_schema) {
    const { format, ...rest } = tool;
    return { ...rest, type, custom: omitNullish({ name, description, format: nestFormat(format) }) };
  }
  const { parameters, input_schema: schema, strict, ...rest } = tool;
  const fn = omitNullish({ name, description, parameters: parameters ?? schema, strict });
  return { ...rest, type: 'function', function: fn };
}

/** Nests the grammar of a custom tool. */
function nestFormat(format: unknown): unknown {
  if (!isJsonObject(format) || format.type !== 'grammar' || format.grammar) return format;
  const { syntax, definition } = format;
  return { type: 'grammar', grammar: { syntax, definition } };
}

/** The choices of the messages format without a name, and those of this format. */
const choices = new Map<unknown, string>([
  ['auto', 'auto'],
  ['any', 'required'],
  ['none', 'none'],
]);

function isFlatChoice(choice: unknown): boolean {
  if (!isJsonObject(choice)) return false;
  const { type, name } = choice;
  if (choices.has(type)) return true;
  const isNamed = type === 'tool' || type === 'function' || type === 'custom';
  return isNamed && typeof name === 'string' && !choice[type];
}

function nestChoice(choice: unknown): unknown {
  const { type, name } = choice as Fields;
  const kind = type === 'custom' ? 'custom' : 'function';
  return choices.get(type) ?? { type: kind, [kind]: { name } };
}
