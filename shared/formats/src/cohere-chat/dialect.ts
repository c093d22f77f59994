import {
  type AssistantPart,
  type GenerateRequest,
  type Message,
  type Output,
  type Reasoning,
  renamePath,
  type Tool,
  type ToolResultPart,
  type UserPart,
} from '@model-gateway/canonical';
import { paired } from '../upstream/call-ids.ts';
import { decodeFailure } from '../upstream/decode-openai-failure.ts';
import type { CanonicalInput, Dialect, UpstreamFields, UpstreamRequest } from '../upstream/dialect.ts';
import { budgetOf } from '../upstream/effort.ts';
import { documentText, encodeMedia } from '../upstream/encode-media.ts';
import {
  checkToolChoice,
  opaqueText,
  refuseVendorFields,
  unsupported,
  writtenBody,
} from '../upstream/request-body.ts';
import { callId, chosenNames, clientNames, toolName } from '../upstream/tools.ts';
import { type AnswerNames, decodeBody, decodeStream } from './decode.ts';
import type { CohereChatParams, CohereContentParam, CohereMessageParam, CohereToolParam } from './types.ts';

/** The canonical fields of the fields that upstreams name in errors. */
const fields: UpstreamFields = {
  messages: 'messages',
  tools: 'tools',
  tool_choice: 'toolChoice',
  response_format: 'output',
  thinking: 'reasoning',
  max_tokens: 'maxTokens',
  stop_sequences: 'stop',
  temperature: 'temperature',
  p: 'topP',
  k: 'topK',
  seed: 'seed',
  frequency_penalty: 'frequencyPenalty',
  presence_penalty: 'presencePenalty',
};

/** Cohere's chat API, version 2. The gateway has no clients of it, so every request is translated. */
export const cohereChatDialect: Dialect<CanonicalInput> = {
  format: 'cohere-chat',
  bodies: ['canonical'],
  choices: 'one',
  encode,
  decodeStream: input => decodeStream(namesIn(input)),
  decodeWhole: input => decodeStream(namesIn(input)),
  decodeBody: (body, input) => decodeBody(body, namesIn(input)),
  decodeFailure,
  pathOf: param => renamePath(param, fields),
};

function namesIn({ request, envelope, model }: CanonicalInput): AnswerNames {
  const { messages: history, tools } = request;
  return { model, seed: envelope.requestId, history, toolName: clientNames(tools) };
}

export function encode(input: CanonicalInput): UpstreamRequest {
  return { path: '/v2/chat', body: writtenBody(input, translate(input)) };
}

function translate({ request, model, limits }: CanonicalInput): CohereChatParams {
  refuseUnsupported(request);
  const { maxTokens, stop = [], topP, topK, output, reasoning } = request;
  const sequences = stop.filter(sequence => sequence !== '');
  return {
    model,
    messages: encodeMessages(paired(request.messages)),
    ...encodeTools(request),
    response_format: output && encodeOutput(output),
    thinking: reasoning && encodeReasoning(reasoning),
    max_tokens: maxTokens === undefined ? undefined : Math.min(maxTokens, limits.maxOutput ?? maxTokens),
    stop_sequences: sequences.length > 0 ? sequences : undefined,
    temperature: request.temperature,
    p: topP === undefined ? undefined : Math.min(Math.max(topP, 0.01), 0.99),
    k: topK,
    seed: request.seed,
    frequency_penalty: request.frequencyPenalty,
    presence_penalty: request.presencePenalty,
    stream: true,
  };
}

/** @throws GatewayError for what the format cannot express. Hints that it lacks are left out. */
function refuseUnsupported(request: GenerateRequest): void {
  const { continuesLastTurn, logprobs, logitBias = {}, modalities = [] } = request;
  refuseVendorFields(request, 'cohere-chat');
  checkToolChoice(request);
  if (continuesLastTurn)
    throw unsupported('messages', 'this model cannot continue a final assistant message');
  if (logprobs) throw unsupported('logprobs', 'log probabilities are not available for a translated request');
  if (Object.keys(logitBias).length > 0)
    throw unsupported('logitBias', "this model's provider does not support it");
  const other = modalities.find(modality => modality !== 'text');
  if (other) throw unsupported('modalities', `this model outputs only text, not ${other}`);
}

function encodeOutput(output: Output): CohereChatParams['response_format'] {
  switch (output.type) {
    case 'text':
      return undefined;
    case 'json':
      return { type: 'json_object' };
    case 'schema':
      return { type: 'json_object', json_schema: output.schema };
  }
}

function encodeReasoning(reasoning: Reasoning): CohereChatParams['thinking'] {
  const tokens = budgetOf(reasoning);
  if (reasoning.effort === 'none' || tokens === 0) return { type: 'disabled' };
  if (tokens !== undefined && tokens > 0) return { type: 'enabled', token_budget: tokens };
  return reasoning.adaptive || tokens !== undefined ? { type: 'enabled' } : undefined;
}

/** Encodes the tools. A choice of some of them offers only these; a choice of one requires it. */
function encodeTools({
  tools = [],
  toolChoice,
}: GenerateRequest): Pick<CohereChatParams, 'tools' | 'tool_choice'> {
  const chosen = toolChoice?.type === 'tool' ? new Set([toolChoice.name]) : chosenNames(toolChoice);
  const offered = chosen ? tools.filter(tool => 'name' in tool && chosen.has(tool.name)) : tools;
  if (offered.length === 0) return {};
  return { tools: offered.map(encodeTool), tool_choice: toolChoice && choices[toolChoice.type] };
}

/** The format has no value for the model's own decision. */
const choices = { auto: undefined, none: 'NONE', required: 'REQUIRED', tool: 'REQUIRED' } as const;

function encodeTool(tool: Tool): CohereToolParam {
  if (tool.type === 'custom')
    throw unsupported('tools', "this model's provider has no tools that take free text");
  if (tool.type !== 'function')
    throw unsupported('tools', "this model's provider does not run tools of other vendors");
  const { name, description, parameters = { type: 'object', properties: {} } } = tool;
  return { type: 'function', function: { name: toolName(name), description, parameters } };
}

export function encodeMessages(messages: readonly Message[]): CohereMessageParam[] {
  return messages.flatMap(encodeMessage);
}

function encodeMessage(message: Message): CohereMessageParam[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content.map(({ text }) => text).join('\n\n') }];
    case 'user':
      return [{ role: 'user', content: encodeContent(message.content) }];
    case 'assistant':
      return [encodeTurn(message.content)];
    case 'tool':
      return message.content.map(encodeResult);
  }
}

/** Returns a single text as a string. */
function encodeContent(parts: readonly UserPart[]): string | CohereContentParam[] {
  const encoded = parts.map(encodePart);
  const [only, ...more] = encoded;
  if (!only) return '';
  return only.type === 'text' && more.length === 0 ? only.text : encoded;
}

function encodePart(part: UserPart): CohereContentParam {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'opaque') return { type: 'text', text: opaqueText(part) };
  const encoded = encodeMedia(part);
  if (encoded.type === 'text') return { type: 'text', text: encoded.text };
  if (encoded.type === 'image_url') return { type: 'image_url', image_url: { url: encoded.image_url.url } };
  throw unsupported('messages', `this model's provider does not take ${part.kind} content`);
}

/** Encodes a turn. Reasoning before tool calls is their plan: the format has it in a field of its own. */
function encodeTurn(parts: readonly AssistantPart[]): CohereMessageParam {
  const texts = parts.flatMap(textsOf);
  const thoughts = parts.flatMap(part => (part.type === 'reasoning' && part.text !== '' ? [part.text] : []));
  const calls = parts.flatMap(part => (part.type === 'tool-call' ? [part] : []));
  const text = texts.join('');
  if (calls.length === 0) {
    const thinking = thoughts.map(thought => ({ type: 'thinking' as const, thinking: thought }));
    return {
      role: 'assistant',
      content: thinking.length > 0 ? [...thinking, ...(text ? [{ type: 'text' as const, text }] : [])] : text,
    };
  }
  return {
    role: 'assistant',
    content: text || undefined,
    tool_plan: thoughts.join('\n') || undefined,
    tool_calls: calls.map(({ id, name, arguments: json }) => ({
      id: callId(id),
      type: 'function',
      function: { name: toolName(name), arguments: json.trim() === '' ? '{}' : json },
    })),
  };
}

function textsOf(part: AssistantPart): string[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return [part.text];
    case 'opaque':
      return [opaqueText(part)];
    case 'media':
      return [part.source.type === 'text' ? documentText(part, part.source.text) : `(${part.kind})`];
    default:
      return [];
  }
}

/** Encodes all content of a result as text: the format's results hold no media. */
function encodeResult({ callId: id, content, error }: ToolResultPart): CohereMessageParam {
  const texts = content.map(part => {
    if (part.type === 'text') return part.text;
    if (part.type === 'opaque') return opaqueText(part);
    if (part.source.type === 'text') return documentText(part, part.source.text);
    throw unsupported('messages', `this model's provider does not take ${part.kind} content in tool results`);
  });
  const text = texts.join('\n');
  return { role: 'tool', tool_call_id: callId(id), content: error ? `Error: ${text}` : text };
}
