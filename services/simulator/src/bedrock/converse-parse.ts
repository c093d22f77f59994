import type { CacheHint, GenerateRequest, Message, Part } from '@model-gateway/canonical';
import { validatedBy } from '../common/api-error.ts';
import type { ParsedRequest } from '../common/format.ts';
import { efforts } from '../responder/prompt.ts';
import { contextOf, promptOf } from '../responder/read-prompt.ts';
import { unsealed } from '../responder/seal.ts';
import {
  type ConverseBlock,
  type ConverseRequest,
  type ConverseTurn,
  converseRequest,
} from './converse-request.ts';
import { checkGuardrail, invalid, modelIn } from './errors.ts';

export interface ParsedConverse extends ParsedRequest {
  redacts: boolean;
  /** True if the answer names the policies that its guardrail applied. */
  traces: boolean;
}

const validated = validatedBy(({ issues: [{ path, message }] }) =>
  invalid(`The value at ${path.join('.')} is invalid: ${message}`),
);

/** @throws ApiError as the vendor would */
export function parse(body: unknown, url: string): ParsedConverse {
  const request = validated(converseRequest, body);
  checkTurns(request);
  const canonical = canonicalOf(request);
  const prompt = { ...promptOf(modelIn(url), canonical), cachePoints: contextOf(canonical).cachePoints };
  const stream = url.includes('/converse-stream');
  const redacts = /\bredact\b/i.test(prompt.question.slice(0, 4_000));
  const traces = ['enabled', 'enabled_full'].includes(request.guardrailConfig?.trace ?? '');
  return { prompt, stream, streamType: 'application/vnd.amazon.eventstream', redacts, traces };
}

function canonicalOf(request: ConverseRequest): GenerateRequest {
  const { messages, system = [], toolConfig, inferenceConfig, outputConfig } = request;
  const choice = toolConfig?.toolChoice ?? { auto: {} };
  return {
    userFirst: true,
    messages: [
      ...(system.length > 0 ? [{ role: 'system', content: partsOf(system) } as Message] : []),
      ...messages.flatMap(turnOf),
    ],
    tools: withPoints(toolConfig?.tools ?? [], ({ toolSpec: { name, description = '', inputSchema } }) => ({
      ...{ type: 'function' as const, name, description, parameters: inputSchema.json },
    })),
    toolChoice:
      'tool' in choice ? { type: 'tool', ...choice.tool } : { type: 'any' in choice ? 'required' : 'auto' },
    ...(inferenceConfig?.maxTokens && { maxTokens: inferenceConfig.maxTokens }),
    stop: inferenceConfig?.stopSequences ?? [],
    ...(outputConfig && {
      output: { type: 'schema', schema: JSON.parse(outputConfig.textFormat.structure.jsonSchema.schema) },
    }),
    reasoning: { effort: effortOf(request) },
  };
}

/** Results come before the other parts of a turn. */
function turnOf({ role, content }: ConverseTurn): Message[] {
  const parts = partsOf(content);
  const results = parts.filter(({ type }) => type === 'tool-result');
  const others = parts.filter(({ type }) => type !== 'tool-result');
  return [
    ...(results.length > 0 ? [{ role: 'tool', content: results } as Message] : []),
    ...(others.length > 0 ? [{ role, content: others } as Message] : []),
  ];
}

type CachePoint = Extract<ConverseBlock, { cachePoint: unknown }>;

/** Converts blocks. A cache point becomes the hint of the one before it. */
function withPoints<B extends object, T extends object>(
  blocks: readonly (B | CachePoint)[],
  convert: (block: B) => T,
): T[] {
  const all: T[] = [];
  for (const block of blocks) {
    const last = all.at(-1);
    if (!('cachePoint' in block)) all.push(convert(block));
    else if (last) Object.assign<T, { cache: CacheHint }>(last, { cache: hintOf(block) });
  }
  return all;
}

function hintOf({ cachePoint: { ttl } }: CachePoint): CacheHint {
  return ttl ? { ttl } : {};
}

function partsOf(blocks: readonly ConverseBlock[]): Part[] {
  return withPoints<Exclude<ConverseBlock, CachePoint>, Part>(blocks, partOf);
}

function partOf(block: Exclude<ConverseBlock, CachePoint>): Part {
  if ('text' in block) return { type: 'text', text: block.text };
  if ('toolUse' in block) {
    const { toolUseId: id, name, input } = block.toolUse;
    return { type: 'tool-call', id, name, arguments: JSON.stringify(input) };
  }
  if ('toolResult' in block) {
    const { toolUseId: callId, content, status } = block.toolResult;
    const parts = partsOf(content) as Extract<Part, { type: 'tool-result' }>['content'];
    return { type: 'tool-result', callId, content: parts, ...(status === 'error' && { error: true }) };
  }
  if ('reasoningContent' in block) return { type: 'reasoning', text: JSON.stringify(block.reasoningContent) };
  const kind = 'image' in block ? 'image' : 'audio' in block ? 'audio' : 'document';
  return { type: 'media', kind, source: { type: 'base64', data: JSON.stringify(block) } };
}

/** The effort of reasoning, in the field of the model's family. */
function effortOf({ additionalModelRequestFields: fields = {} }: ConverseRequest) {
  const { reasoning_effort: level, reasoningConfig: config } = fields;
  const { maxReasoningEffort } = Object(config) as { maxReasoningEffort?: unknown };
  return efforts.find(effort => effort === level || effort === maxReasoningEffort) ?? 'none';
}

/** The beginning of the signatures that the simulator makes for Bedrock. */
export const signaturePrefix = 'Q29u';

/** Checks what Bedrock checks of a conversation. @throws ApiError */
function checkTurns({ messages, toolConfig, guardrailConfig }: ConverseRequest): void {
  if (guardrailConfig) checkGuardrail(guardrailConfig.guardrailIdentifier);
  if (messages[0]?.role !== 'user')
    throw invalid(
      'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
    );
  for (const [at, turn] of messages.entries()) {
    if (turn.role === messages[at - 1]?.role)
      throw invalid(
        'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.',
      );
    checkResults(turn, messages[at - 1], at);
    for (const block of turn.content) checkBlock(turn, block, at);
  }
  const usesTools = messages.some(({ content }) =>
    content.some(block => 'toolUse' in block || 'toolResult' in block),
  );
  if (usesTools && !toolConfig)
    throw invalid('The toolConfig field must be defined when using toolUse and toolResult content blocks.');
}

function checkResults({ content }: ConverseTurn, before: ConverseTurn | undefined, at: number): void {
  const used = (before?.content ?? []).flatMap(block =>
    'toolUse' in block ? [block.toolUse.toolUseId] : [],
  );
  const answered = content.flatMap(block => ('toolResult' in block ? [block.toolResult.toolUseId] : []));
  if (answered.some(id => !used.includes(id)))
    throw invalid(
      `The number of toolResult blocks at messages.${at}.content exceeds the number of toolUse blocks of previous turn.`,
    );
  const missing = used.filter(id => !answered.includes(id));
  if (missing.length > 0)
    throw invalid(
      `Expected toolResult blocks at messages.${at}.content for the following Ids: ${missing.join(', ')}`,
    );
}

function checkBlock({ role, content }: ConverseTurn, block: ConverseBlock, at: number): void {
  if ('text' in block && block.text.trim() === '')
    throw invalid(
      `The text field in the ContentBlock object at messages.${at}.content is blank. Add text to the text field, and try again.`,
    );
  if ('document' in block && !content.some(other => 'text' in other))
    throw invalid('A text block is required when a document is in the message.');
  if ('reasoningContent' in block) checkReasoning(role, block.reasoningContent, at);
}

type Reasoning = Extract<ConverseBlock, { reasoningContent: unknown }>['reasoningContent'];

function checkReasoning(role: ConverseTurn['role'], reasoning: Reasoning, at: number): void {
  const signature =
    'redactedContent' in reasoning ? reasoning.redactedContent : reasoning.reasoningText.signature;
  if (role !== 'assistant' || signature === undefined || unsealed(signaturePrefix, signature) === null)
    throw invalid(`messages.${at}.content: Invalid signature in the reasoning content.`);
}
