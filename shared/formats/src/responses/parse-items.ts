import type {
  AssistantPart,
  Message,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
} from '@model-gateway/canonical';
import { callArguments } from '../client/client-tools.ts';
import { typeOfBytes } from '../values/media.ts';
import { readSignature, readSignedId } from '../values/signatures.ts';
import type { ResponsesInputItem } from './input.ts';
import { invalid, unsupported } from './invalid.ts';
import { parseAssistantContent, parseContent, parseTexts } from './parse-content.ts';
import { redactedPrefix } from './render-reasoning.ts';
import { flatName, searchName } from './tool-names.ts';
import { Turns } from './turns.ts';

type Of<T extends ResponsesInputItem['type']> = Extract<ResponsesInputItem, { type: T }>;

/**
 * Parses a conversation: the instructions, then the items in order.
 * @throws GatewayError of kind `invalid-request`
 */
export function parseItems(
  items: readonly ResponsesInputItem[],
  instructions: string | null | undefined,
): Message[] {
  const turns = new Turns();
  if (instructions) turns.addMessage({ role: 'system', content: [{ type: 'text', text: instructions }] });
  for (const [i, item] of items.entries()) addItem(turns, item, `input[${i}]`);
  return turns.end();
}

function addItem(turns: Turns, item: ResponsesInputItem, path: string): void {
  switch (item.type) {
    case 'message':
      return addMessage(turns, item, path);
    case 'function_call':
      return turns.add(functionCall(item, path));
    case 'custom_tool_call':
      return turns.add(customCall(item));
    case 'function_call_output':
    case 'custom_tool_call_output':
      return turns.addResult(result(readSignedId(item.call_id).id, item, path), path);
    case 'reasoning':
      return addReasoning(turns, item);
    case 'image_generation_call':
      return item.result ? turns.add(image(item.result)) : undefined;
    case 'tool_search_call':
      return turns.add(searchCall(item) ?? opaquePart(item));
    case 'tool_search_output':
      return addFound(turns, item, path);
    case 'compaction':
    case 'compaction_trigger':
      throw unsupported(path, 'only the vendor that compacted a conversation can read it');
    case 'item_reference':
      throw invalid(`${path}.id`, `Item with id '${item.id}' not found.`);
    case 'additional_tools':
    case 'configuration_update':
      return undefined;
    default:
      return isClientOutput(item.type)
        ? turns.addMessage({ role: 'user', content: [opaquePart(item)] })
        : turns.add(opaquePart(item));
  }
}

function addMessage(turns: Turns, { role, content }: Of<'message'>, path: string): void {
  switch (role) {
    case 'system':
    case 'developer':
      return turns.addMessage({ role: 'system', content: parseTexts(content, `${path}.content`) });
    case 'user':
      return turns.addMessage({ role, content: parseContent(content, `${path}.content`) });
    case 'assistant':
      return turns.add(...parseAssistantContent(content, `${path}.content`));
  }
}

function functionCall({ name, namespace, ...call }: Of<'function_call'>, path: string): ToolCallPart {
  const { id, signature: value } = readSignedId(call.call_id);
  const text = callArguments(call.arguments, `${path}.arguments`);
  const signature = value ? { signature: { format: 'generate-content' as const, value } } : {};
  return { type: 'tool-call', id, name: flatName(name, namespace), arguments: text, ...signature };
}

function customCall({ call_id, name, namespace, input }: Of<'custom_tool_call'>): ToolCallPart {
  const { id } = readSignedId(call_id);
  return { type: 'tool-call', id, name: flatName(name, namespace), arguments: input, custom: true };
}

/**
 * Parses a tool search that the client ran as an ordinary call. Returns undefined for the vendor's own
 * search.
 */
function searchCall({ call_id: id, execution, ...call }: Of<'tool_search_call'>): ToolCallPart | undefined {
  if (!id || execution === 'server') return undefined;
  const text = JSON.stringify(call.arguments ?? {});
  return { type: 'tool-call', id, name: searchName, arguments: text };
}

function addFound(turns: Turns, item: Of<'tool_search_output'>, path: string): void {
  const { call_id: callId, execution, tools } = item;
  if (!callId || execution === 'server') return turns.add(opaquePart(item));
  const found = tools.map(tool => ({ type: tool.type, name: 'name' in tool ? tool.name : undefined }));
  const content = [{ type: 'text' as const, text: JSON.stringify({ tools: found }) }];
  turns.addResult({ type: 'tool-result', callId, content }, path);
}

function result(
  callId: string,
  { output }: Pick<Of<'function_call_output'>, 'output'>,
  path: string,
): ToolResultPart {
  return { type: 'tool-result', callId, content: parseContent(output ?? [], `${path}.output`) };
}

/** Adds reasoning that has text or a signature. A signature alone moves to the part that it signs. */
function addReasoning(turns: Turns, item: Of<'reasoning'>): void {
  const part = reasoning(item);
  const { text, signature, redacted } = part;
  if (!text && !signature) return;
  if (!text && !redacted && signature?.format === 'generate-content' && turns.sign(signature)) return;
  turns.add(part);
}

/** Parses reasoning: the text of its content if there is any, else its summary. */
function reasoning({ content, summary, encrypted_content: encrypted }: Of<'reasoning'>): ReasoningPart {
  const fullText = content?.length ? content.map(({ text }) => text ?? '').join('') : undefined;
  const text = fullText ?? (summary ?? []).map(({ text }) => text ?? '').join('\n\n');
  const signature = readSignature(encrypted, 'responses');
  if (!signature) return { type: 'reasoning', text };
  const { format, value } = signature;
  return value.startsWith(redactedPrefix)
    ? {
        type: 'reasoning',
        text: '',
        redacted: true,
        signature: { format, value: value.slice(redactedPrefix.length) },
      }
    : { type: 'reasoning', text, signature };
}

function image(data: string): AssistantPart {
  return {
    type: 'media',
    kind: 'image',
    source: { type: 'base64', data },
    mediaType: typeOfBytes(data) ?? 'image/png',
  };
}

/** True for items in which the client returns the output of a vendor-defined tool or an approval. */
function isClientOutput(type: string): boolean {
  return type.endsWith('_output') || type === 'mcp_approval_response';
}

function opaquePart(value: Record<string, unknown>) {
  return { type: 'opaque' as const, format: 'responses' as const, value };
}
