import type { GenerateRequest, Output, Reasoning, Tool } from '@model-gateway/canonical';
import { paired } from '../upstream/call-ids.ts';
import type { CanonicalInput, UpstreamRequest } from '../upstream/dialect.ts';
import { budgetOf } from '../upstream/effort.ts';
import { writtenBody } from '../upstream/request-body.ts';
import { chosenNames, toolName } from '../upstream/tools.ts';
import { checkToolChoice, refuseVendorFields, unsupported } from '../upstream/unsupported.ts';
import { encodeMessages } from './encode-messages.ts';
import type { CohereChatParams, CohereToolParam } from './types.ts';

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
