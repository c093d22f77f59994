import type {
  AssistantPart,
  GenerateRequest,
  Message,
  Tool,
  ToolChoice,
  ToolResultPart,
  UserPart,
} from '@model-gateway/canonical';
import type {
  RealtimeContent,
  RealtimeItemObject,
  RealtimeTool,
  RealtimeToolChoice,
} from '@model-gateway/formats';
import { omitNullish } from '@model-gateway/json';
import { heardText, type Item } from './item.ts';
import type { ResponseSettings } from './settings.ts';

/** Texts for the model in place of audio without a transcript, and of a call's missing output. */
const inaudible = '(inaudible)';
const pending = '(The result is not there yet.)';
/** A placeholder for the user's turn where the client requests a response without one. */
const nothing: Message = { role: 'user', content: [{ type: 'text', text: '.' }] };

type Call = Extract<RealtimeItemObject, { type: 'function_call' }>;

/** Encodes a conversation's items as a generate request. */
export function encodeRequest(items: readonly Item[], settings: ResponseSettings): GenerateRequest {
  const { instructions, tools, tool_choice, parallel_tool_calls, max_output_tokens, reasoning } = settings;
  const system: Message[] = instructions
    ? [{ role: 'system', content: [{ type: 'text', text: instructions }] }]
    : [];
  const withTools = tools.length > 0 && {
    tools: tools.map(encodeTool),
    toolChoice: encodeChoice(tool_choice),
    ...(!parallel_tool_calls && { parallelToolCalls: false }),
  };
  return {
    messages: inTurns([...system, ...encodeItems(items)]),
    ...withTools,
    ...(max_output_tokens !== 'inf' && { maxTokens: max_output_tokens }),
    ...(reasoning?.effort && { reasoning: { effort: reasoning.effort } }),
  };
}

function encodeTool({ name, description, parameters }: RealtimeTool): Tool {
  return { type: 'function', name, ...omitNullish({ description, parameters }) };
}

function encodeChoice(choice: RealtimeToolChoice): ToolChoice {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', name: choice.name };
}

function encodeItems(items: readonly Item[]): Message[] {
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
      const message = encodeMessage(object.role, object.content);
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

/**
 * Adds user turns at the beginning and the end where they are missing. Upstreams require the user to begin,
 * and would continue an answer at the end.
 */
function inTurns(messages: Message[]): Message[] {
  const first = messages.findIndex(({ role }) => role !== 'system');
  const begun = first >= 0 && messages[first]?.role === 'user';
  const answered = messages.at(-1)?.role === 'assistant';
  const at = first < 0 ? messages.length : first;
  return [
    ...messages.slice(0, at),
    ...(begun ? [] : [nothing]),
    ...messages.slice(at),
    ...(answered ? [nothing] : []),
  ];
}

function outputsOf(items: readonly Item[]): Map<string, string> {
  return new Map(
    items.flatMap(({ object }) =>
      object.type === 'function_call_output' ? [[object.call_id, object.output] as const] : [],
    ),
  );
}

function resultOf({ call_id: callId }: Call, outputs: Map<string, string>): ToolResultPart {
  return { type: 'tool-result', callId, content: [{ type: 'text', text: outputs.get(callId) ?? pending }] };
}

function encodeMessage(role: 'user' | 'system', content: RealtimeContent[]): Message | undefined {
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
function answerParts(item: Item): AssistantPart[] {
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
