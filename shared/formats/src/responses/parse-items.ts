import type {
  AssistantPart,
  CacheHint,
  MediaPart,
  MediaSource,
  Message,
  ReasoningPart,
  Signature,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '@model-gateway/canonical';
import { callArguments } from '../client/client-tools.ts';
import { parseFileData, parseInputAudio, parseMediaUrl } from '../client/parse-openai-media.ts';
import { typeOfBytes } from '../values/media.ts';
import { readSignature, readSignedId } from '../values/signatures.ts';
import type { ResponsesInputItem, ResponsesOutputPart, ResponsesPart } from './input.ts';
import { invalid, unsupported } from './invalid.ts';
import { flatName, searchName } from './parse-tools.ts';
import { redactedPrefix } from './render-output.ts';

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

interface AssistantTurn {
  role: 'assistant';
  content: AssistantPart[];
  /** The ids of calls of which none has a result. */
  open: Set<string>;
  results: ToolResultPart[];
}
type Turn = Exclude<Message, { role: 'assistant' | 'tool' }> | AssistantTurn;

/**
 * Groups items into turns. Consecutive model output is one turn, followed directly by the results of its
 * calls.
 */
export class Turns {
  readonly #turns: Turn[] = [];
  /** The turns with a call that has no result, by the call's id, once for each call; the latest one last. */
  readonly #calling = new Map<string, AssistantTurn[]>();

  addMessage(message: Exclude<Message, { role: 'assistant' | 'tool' }>): void {
    if (message.content.length > 0) this.#turns.push(message);
  }

  add(...parts: AssistantPart[]): void {
    if (parts.length === 0) return;
    const turn = this.#assistant();
    turn.content.push(...parts);
    for (const part of parts) if (part.type === 'tool-call') this.#open(turn, part.id);
  }

  /** Adds a tool result. `path` is its position. @throws GatewayError if it has no matching call */
  addResult(result: ToolResultPart, path: string): void {
    const turn = this.#calling.get(result.callId)?.pop();
    if (!turn)
      throw invalid(
        `${path}.call_id`,
        `No tool call found for function call output with call_id ${result.callId}.`,
      );
    turn.open.delete(result.callId);
    turn.results.push(result);
  }

  /** Sets the signature of the last part. Returns false if that part has one already, or cannot have one. */
  sign(signature: Signature): boolean {
    const last = this.#turns.at(-1);
    const part = last?.role === 'assistant' ? last.content.at(-1) : undefined;
    if ((part?.type !== 'tool-call' && part?.type !== 'text') || part.signature) return false;
    part.signature = signature;
    return true;
  }

  /** Returns the messages. @throws GatewayError if a call has no result */
  end(): Message[] {
    return this.#turns.flatMap((turn): Message[] => {
      if (turn.role !== 'assistant') return [turn];
      const [unanswered] = turn.open;
      if (unanswered !== undefined)
        throw invalid('input', `No tool output found for function call ${unanswered}.`);
      const { role, content, results } = turn;
      return [
        { role, content },
        ...(results.length > 0 ? [{ role: 'tool' as const, content: results }] : []),
      ];
    });
  }

  #open(turn: AssistantTurn, id: string): void {
    turn.open.add(id);
    const calling = this.#calling.get(id);
    if (calling) calling.push(turn);
    else this.#calling.set(id, [turn]);
  }

  #assistant(): AssistantTurn {
    const last = this.#turns.at(-1);
    if (last?.role === 'assistant' && last.results.length === 0) return last;
    const turn: AssistantTurn = { role: 'assistant', content: [], open: new Set(), results: [] };
    this.#turns.push(turn);
    return turn;
  }
}

type PartOf<T extends ResponsesPart['type']> = Extract<ResponsesPart, { type: T }>;

/** Parses the content of a user message or of a tool result. `path` is the content's position, for errors. */
export function parseContent(
  parts: readonly (ResponsesPart | ResponsesOutputPart)[],
  path: string,
): (TextPart | MediaPart)[] {
  return parts.map((part, i) => parsePart(part, `${path}[${i}]`));
}

/** Parses content that may contain only text. */
function parseTexts(parts: readonly ResponsesPart[], path: string): TextPart[] {
  return parts.map((part, i) => {
    if (part.type === 'input_text' || part.type === 'output_text') return textPart(part);
    throw invalid(`${path}[${i}].type`, `Invalid value for '${path}[${i}].type': instructions must be text.`);
  });
}

/** Parses the content of an assistant message. Empty texts are dropped: some vendors reject them. */
function parseAssistantContent(parts: readonly ResponsesPart[], path: string): AssistantPart[] {
  return parts
    .map(
      (part, i): AssistantPart =>
        part.type === 'refusal' ? { type: 'refusal', text: part.refusal } : parsePart(part, `${path}[${i}]`),
    )
    .filter(part => !('text' in part) || part.text !== '');
}

function parsePart(part: ResponsesPart, path: string): TextPart | MediaPart {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
      return textPart(part);
    case 'refusal':
      return { type: 'text', text: part.refusal };
    case 'input_image':
      return imagePart(part, path);
    case 'input_file':
      return filePart(part, path);
    case 'input_audio':
      return parseInputAudio(part.input_audio);
  }
}

function textPart(part: PartOf<'input_text' | 'output_text'>): TextPart {
  return { type: 'text', text: part.text, ...cacheOf(part) };
}

/** Parses a cache breakpoint. Its lifetime cannot be translated for other vendors. */
function cacheOf({ prompt_cache_breakpoint: breakpoint }: Record<string, unknown>): { cache?: CacheHint } {
  return breakpoint ? { cache: {} } : {};
}

function imagePart(part: PartOf<'input_image'>, path: string): MediaPart {
  const { image_url: url, file_id: id } = part;
  if (id) return { type: 'media', kind: 'image', source: stored(id), ...cacheOf(part) };
  if (!url) throw missing(`${path}.image_url`, 'an image needs image_url or file_id');
  return { type: 'media', kind: 'image', ...parseMediaUrl(url, `${path}.image_url`), ...cacheOf(part) };
}

function filePart(part: PartOf<'input_file'>, path: string): MediaPart {
  const { file_id: id, file_url: url, file_data: data, filename } = part;
  const about = { ...(filename && { name: filename }), ...cacheOf(part) };
  if (id) return { type: 'media', kind: 'document', source: stored(id), ...about };
  if (url) return { type: 'media', kind: 'document', source: { type: 'url', url }, ...about };
  if (!data) throw missing(`${path}.file_data`, 'a file needs file_data, file_url or file_id');
  return { ...parseFileData(data, `${path}.file_data`), ...about };
}

function stored(id: string): MediaSource {
  return { type: 'file', id, format: 'responses' };
}

function missing(param: string, why: string) {
  return invalid(param, `Invalid '${param}': ${why}.`, 'missing_required_parameter');
}
