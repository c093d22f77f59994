import { hash } from 'node:crypto';
import type { ParsedRequest } from '../format.ts';
import {
  type CachePoint,
  calledAs,
  type Effort,
  efforts,
  functionTool,
  type Output,
  type Prompt,
  type ToolResult,
  type Tools,
} from '../responder/prompt.ts';
import { checkTurns } from './converse-checks.ts';
import {
  type ConverseBlock,
  type ConverseRequest,
  type ConverseTurn,
  converseRequest,
} from './converse-request.ts';
import { invalid, modelIn } from './errors.ts';

export interface ParsedConverse extends ParsedRequest {
  redacts: boolean;
  /** True if the answer names the policies that its guardrail applied. */
  traces: boolean;
}

/** @throws ApiError as the vendor would */
export function parse(body: unknown, url: string): ParsedConverse {
  const { success, data: request, error } = converseRequest.safeParse(body);
  if (!success) {
    const [issue] = error.issues;
    throw invalid(`The value at ${issue?.path.join('.')} is invalid: ${issue?.message}`);
  }
  checkTurns(request);
  const { messages, system = [], inferenceConfig = {} } = request;
  const question = textOf(messages.findLast(({ role, content }) => role === 'user' && content.some(isText)));
  const prompt: Prompt = {
    model: modelIn(url),
    instructions: system.flatMap(block => ('text' in block ? [block.text] : [])).join('\n'),
    question,
    results: resultsOf(messages),
    ...toolsOf(request),
    ...contextOf(request),
    media: mediaOf(messages),
    output: outputOf(request),
    maxTokens: inferenceConfig.maxTokens ?? null,
    stop: inferenceConfig.stopSequences ?? [],
    choices: 1,
    effort: effortOf(request),
  };
  const stream = url.includes('/converse-stream');
  const redacts = /\bredact\b/i.test(question.slice(0, 4_000));
  const traces = ['enabled', 'enabled_full'].includes(request.guardrailConfig?.trace ?? '');
  return { prompt, stream, streamType: 'application/vnd.amazon.eventstream', redacts, traces };
}

function isText(block: ConverseBlock): block is Extract<ConverseBlock, { text: string }> {
  return 'text' in block;
}

function textOf(turn: ConverseTurn | undefined): string {
  return (turn?.content ?? [])
    .filter(isText)
    .map(({ text }) => text)
    .join('\n');
}

/** The results in the last turn, each with the call that it answers. */
function resultsOf(turns: ConverseTurn[]): ToolResult[] {
  const [before, last] = turns.slice(-2);
  const uses = (before?.content ?? []).flatMap(block => ('toolUse' in block ? [block.toolUse] : []));
  return (last?.content ?? []).flatMap(block => {
    if (!('toolResult' in block)) return [];
    const { toolUseId, content, status } = block.toolResult;
    const use = uses.find(each => each.toolUseId === toolUseId);
    const text = content.map(part => ('text' in part ? part.text : '')).join('\n');
    return [
      {
        call: calledAs(use?.name, use && JSON.stringify(use.input)),
        text: `${status === 'error' ? 'the error ' : ''}${text}`,
      },
    ];
  });
}

function toolsOf({ toolConfig }: ConverseRequest): Tools {
  const tools = (toolConfig?.tools ?? []).flatMap(tool =>
    'toolSpec' in tool
      ? [functionTool(tool.toolSpec.name, tool.toolSpec.description, tool.toolSpec.inputSchema.json)]
      : [],
  );
  const choice = toolConfig?.toolChoice ?? { auto: {} };
  const toolChoice = 'tool' in choice ? { name: choice.tool.name } : 'any' in choice ? 'required' : 'auto';
  return { tools, toolChoice, parallel: true };
}

/** The whole prompt as text in the order of the cache: tools, system, messages. */
function contextOf({
  toolConfig,
  system = [],
  messages,
}: ConverseRequest): Pick<Prompt, 'context' | 'cachePoints'> {
  const blocks: object[] = [
    ...(toolConfig?.tools ?? []),
    ...system,
    ...messages.flatMap(({ content }) => content),
  ];
  const cachePoints: CachePoint[] = [];
  const ends: number[] = [];
  let context = '';
  for (const block of blocks) {
    if ('cachePoint' in block) {
      const { ttl = '5m' } = block.cachePoint as { ttl?: '5m' | '1h' };
      cachePoints.push({ ends: [context.length, ...ends.slice(-20).reverse()], ttl });
      continue;
    }
    ends.push(context.length);
    context += `${wordsOf(block)}\n`;
  }
  return { context, cachePoints };
}

/** A digest stands for media, which is counted apart. */
function wordsOf(block: object): string {
  if ('text' in block) return String(block.text);
  const json = JSON.stringify(block);
  const isMedia = 'image' in block || 'document' in block || 'audio' in block;
  return isMedia ? `[media ${hash('sha1', json).slice(0, 8)}]` : json;
}

function mediaOf(turns: ConverseTurn[]): Prompt['media'] {
  const blocks = turns.flatMap(({ content }) => content);
  const all = blocks.flatMap((block): object[] =>
    'toolResult' in block ? block.toolResult.content : [block],
  );
  const count = (field: string) => all.filter(block => field in block).length;
  return { images: count('image'), audio: count('audio'), files: count('document') };
}

function outputOf({ outputConfig }: ConverseRequest): Output {
  if (!outputConfig) return { kind: 'text' };
  return { kind: 'schema', schema: JSON.parse(outputConfig.textFormat.structure.jsonSchema.schema) };
}

/** The effort of reasoning, in the field of the model's family. */
function effortOf({ additionalModelRequestFields: fields = {} }: ConverseRequest): Effort | null {
  const { reasoning_effort: level, reasoningConfig: config } = fields;
  const { maxReasoningEffort } = Object(config) as { maxReasoningEffort?: unknown };
  return efforts.find(effort => effort === level || effort === maxReasoningEffort) ?? null;
}
