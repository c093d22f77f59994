import type {
  AssistantPart,
  GenerateRequest,
  Message,
  ReasoningPart,
  Signature,
  Tool,
  ToolChoice,
  ToolResultPart,
  UserPart,
} from '@model-gateway/canonical';
import { omitNullish } from '@model-gateway/json';
import type { RealtimeContent, RealtimeItemObject } from './events.ts';
import type { RealtimeSettings, RealtimeTool, RealtimeToolChoice } from './session.ts';

/** Data of a model's item that is not sent to clients, but back to the model with the item. */
export interface Hidden {
  /** Reasoning before the item. */
  reasoning?: ReasoningPart[];
  signature?: Signature;
}

/** A sentence of a spoken answer, with the length of its audio. */
interface Spoken {
  text: string;
  ms: number;
}

/** An item of a conversation, with data that is not sent to clients. */
export interface ConversationItem {
  /** The item as it is sent to clients, without audio. */
  object: RealtimeItemObject;
  /** Sentences of a spoken answer, in order. */
  spoken?: Spoken[];
  /** Milliseconds of {@link spoken} that the user heard before it was truncated. */
  heardMs?: number;
  hidden?: Hidden;
}

/** Texts for the model in place of audio without a transcript, and of a call's missing output. */
const inaudible = '(inaudible)';
const pending = '(The result is not there yet.)';

type Call = Extract<RealtimeItemObject, { type: 'function_call' }>;

/** The settings of a response that its model is told. */
export interface ModelSettings {
  instructions: string;
  tools: RealtimeTool[];
  tool_choice: RealtimeToolChoice;
  parallel_tool_calls: boolean;
  max_output_tokens: number | 'inf';
  reasoning?: RealtimeSettings['reasoning'];
}

/** Returns the canonical request of a response to a conversation's items. */
export function requestOf(items: readonly ConversationItem[], settings: ModelSettings): GenerateRequest {
  const { instructions, tools, tool_choice, parallel_tool_calls, max_output_tokens, reasoning } = settings;
  const system: Message[] = instructions
    ? [{ role: 'system', content: [{ type: 'text', text: instructions }] }]
    : [];
  const withTools = tools.length > 0 && {
    tools: tools.map(parseTool),
    toolChoice: parseChoice(tool_choice),
    ...(!parallel_tool_calls && { parallelToolCalls: false }),
  };
  return {
    messages: [...system, ...messagesOf(items)],
    ...withTools,
    ...(max_output_tokens !== 'inf' && { maxTokens: max_output_tokens }),
    ...(reasoning?.effort && { reasoning: { effort: reasoning.effort } }),
  };
}

function parseTool({ name, description, parameters }: RealtimeTool): Tool {
  return { type: 'function', name, ...omitNullish({ description, parameters }) };
}

function parseChoice(choice: RealtimeToolChoice): ToolChoice {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', name: choice.name };
}

function messagesOf(items: readonly ConversationItem[]): Message[] {
  const outputs = outputsOf(items);
  const messages: Message[] = [];
  let calls: Call[] = [];
  /** Adds the outputs of calls right after the calls, as upstreams require. */
  const answerCalls = () => {
    if (calls.length > 0)
      messages.push({ role: 'tool', content: calls.map(call => resultOf(call, outputs)) });
    calls = [];
  };
  for (const item of items) {
    const { object } = item;
    if (object.type === 'message' && object.role !== 'assistant') {
      answerCalls();
      const message = messageOf(object.role, object.content);
      if (message) messages.push(message);
    } else if (object.type === 'function_call_output') {
      answerCalls();
    } else {
      const parts = answerParts(item);
      if (parts.length === 0) continue;
      const last = messages.at(-1);
      if (last?.role === 'assistant') last.content.push(...parts);
      else messages.push({ role: 'assistant', content: parts });
      if (object.type === 'function_call') calls.push(object);
    }
  }
  answerCalls();
  return messages;
}

function outputsOf(items: readonly ConversationItem[]): Map<string, string> {
  return new Map(
    items.flatMap(({ object }) =>
      object.type === 'function_call_output' ? [[object.call_id, object.output] as const] : [],
    ),
  );
}

function resultOf({ call_id: callId }: Call, outputs: Map<string, string>): ToolResultPart {
  return { type: 'tool-result', callId, content: [{ type: 'text', text: outputs.get(callId) ?? pending }] };
}

function messageOf(role: 'user' | 'system', content: RealtimeContent[]): Message | undefined {
  const parts = content.map(userPart).filter(part => part.type !== 'text' || part.text !== '');
  if (parts.length === 0) return undefined;
  if (role === 'user') return { role, content: parts };
  return { role, content: parts.filter(part => part.type === 'text') };
}

function userPart(part: RealtimeContent): UserPart {
  switch (part.type) {
    case 'input_image':
      return imagePart(part.image_url);
    case 'input_audio':
      return { type: 'text', text: part.transcript || inaudible };
    case 'output_audio':
      return { type: 'text', text: part.transcript ?? '' };
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: part.text };
  }
}

function imagePart(url: string): UserPart {
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return mediaType && data !== undefined
    ? { type: 'media', kind: 'image', source: { type: 'base64', data }, mediaType }
    : { type: 'media', kind: 'image', source: { type: 'url', url } };
}

/** Returns an item's output with the reasoning before it; an incomplete call is left out. */
function answerParts(item: ConversationItem): AssistantPart[] {
  const { object, hidden } = item;
  const signature = hidden?.signature && { signature: hidden.signature };
  const reasoning = hidden?.reasoning ?? [];
  if (object.type === 'function_call') {
    if (object.status === 'incomplete') return [];
    const { call_id: id, name, arguments: text } = object;
    return [...reasoning, { type: 'tool-call', id, name, arguments: text, ...signature }];
  }
  if (object.type !== 'message') return [];
  const text = item.heardMs === undefined ? textOf(object.content) : heardText(item);
  return text === '' ? [] : [...reasoning, { type: 'text', text, ...signature }];
}

function textOf(content: RealtimeContent[]): string {
  const texts = content.map(part => {
    if (part.type === 'output_text') return part.text;
    return part.type === 'output_audio' ? (part.transcript ?? '') : '';
  });
  return texts.join('');
}

/** Returns the text of an answer that the user heard. */
function heardText({ spoken = [], heardMs = 0 }: ConversationItem): string {
  let left = heardMs;
  const heard = spoken.map(({ text, ms }) => {
    const share = ms > 0 ? Math.min(1, Math.max(0, left / ms)) : 0;
    left -= ms;
    return share < 1 ? text.slice(0, Math.floor(text.length * share)).replace(/\S+$/, '') : text;
  });
  return heard.join('').trimEnd();
}
