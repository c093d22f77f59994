import { hash } from 'node:crypto';
import type { CacheHint, GenerateRequest, Message, Part } from '@model-gateway/canonical';
import type { FormatEndpoint, GatewayRequest } from '@model-gateway/formats/client';
import { wantsSearch } from './answer.ts';
import { type CachePoint, calledAs, type Effort, type Output, type Prompt, type Tools } from './prompt.ts';

/** Returns the prompt of a request whose vendor has checked it. @throws GatewayError of kind `invalid-request` */
export function readPrompt<R>({ parse }: Parser<R>, body: Fields, url = '') {
  const parsed = parse(body, {}, Buffer.alloc(0), url);
  if (parsed.type !== 'generate') throw new Error(`A request of the type ${parsed.type} has no prompt.`);
  const request = parsed.canonical({});
  const prompt = promptOf(parsed.model, request);
  const maySearch = prompt.toolChoice !== 'none' && request.tools?.some(({ type }) => type === 'web-search');
  const searches = maySearch === true && wantsSearch(prompt);
  return { prompt, searches, request, parsed };
}

type Fields = Record<string, unknown>;
/** An endpoint of a format, or its parser alone. */
type Parser<R> = { parse(...request: Parameters<FormatEndpoint['parse']>): GatewayRequest<R> };

/** Returns the prompt of a canonical request. Its prefixes are cached automatically. */
export function promptOf(model: string, request: GenerateRequest): Prompt {
  const { messages } = request;
  const parts = messages.flatMap(({ content }) => content as Part[]);
  const question = messages.findLast(message => message.role === 'user' && textOf(message) !== '');
  return {
    model,
    instructions: messages
      .filter(({ role }) => role === 'system')
      .map(textOf)
      .join('\n'),
    question: question ? textOf(question) : '',
    results: resultsOf(request),
    ...toolsOf(request),
    output: outputOf(request.output),
    maxTokens: request.maxTokens === undefined || request.maxTokens < 0 ? null : request.maxTokens,
    stop: (request.stop ?? []).filter(Boolean),
    choices: request.n ?? 1,
    effort: effortOf(request.reasoning),
    context: contextOf(request).context,
    cachePoints: null,
    media: mediaOf(parts.flatMap(part => (part.type === 'tool-result' ? part.content : [part]))),
  };
}

function textOf({ content }: Message): string {
  return (content as Part[]).flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function lineOf(part: Part): string {
  switch (part.type) {
    case 'text':
    case 'refusal':
    case 'reasoning':
      return part.text;
    case 'tool-call':
      return `${part.name}(${part.arguments})`;
    case 'tool-result':
      return resultOf(part);
    default:
      // Media is counted apart, but different media must differ in the context.
      return `[${part.type} ${hash('sha1', JSON.stringify(part)).slice(0, 8)}]`;
  }
}

function resultOf({ content, error }: Extract<Part, { type: 'tool-result' }>): string {
  return `${error ? 'the error ' : ''}${content.map(lineOf).join('\n')}`;
}

const lookBack = 20;

/** The whole prompt in the order of the cache: tools, system, messages. A client may end a cached prefix after any tool or part. */
export function contextOf({ tools = [], messages }: GenerateRequest) {
  const lines: string[] = [];
  const ends: number[] = [];
  const cachePoints: CachePoint[] = [];
  let length = -1;
  const add = (line: string, { cache, value }: Cacheable) => {
    lines.push(line);
    length += line.length + 1;
    const hint = cache ?? value?.cache_control;
    if (hint) cachePoints.push({ ends: [length, ...ends.slice(-lookBack).reverse()], ttl: hint.ttl ?? '5m' });
    ends.push(length);
  };
  for (const tool of tools) add(JSON.stringify({ ...tool, cache: undefined }), tool as Cacheable);
  for (const { role, content } of messages)
    for (const [at, part] of (content as Part[]).entries())
      add(`${at === 0 ? `${role}: ` : ''}${lineOf(part)}`, part as Cacheable);
  return { context: lines.join('\n'), cachePoints };
}

/** A tool or part with its breakpoint, which an opaque one has in the vendor's words. */
interface Cacheable {
  cache?: CacheHint;
  value?: { cache_control?: CacheHint | null };
}

/**
 * The results at the end of the conversation, each with its call. Where users and models take turns, more of the user's turn
 * may follow them.
 */
function resultsOf({ messages, userFirst = false }: GenerateRequest): Prompt['results'] {
  const trailing = ({ role }: Message) => role === 'tool' || (userFirst && role === 'user');
  const last = messages.findLastIndex(message => !trailing(message));
  const calls = (messages[last]?.content ?? []) as Part[];
  return messages.slice(last + 1).flatMap(({ content }) =>
    (content as Part[]).flatMap(part => {
      if (part.type !== 'tool-result') return [];
      const call = calls.find(each => each.type === 'tool-call' && each.id === part.callId);
      const called = call?.type === 'tool-call' ? calledAs(call.name, call.arguments) : calledAs();
      return [{ call: called, text: resultOf(part) }];
    }),
  );
}

function toolsOf({ tools = [], toolChoice, parallelToolCalls }: GenerateRequest): Tools {
  const names = toolChoice && 'names' in toolChoice ? toolChoice.names : undefined;
  return {
    tools: tools.flatMap(tool =>
      (tool.type === 'function' || tool.type === 'custom') && (names?.includes(tool.name) ?? true)
        ? [
            {
              kind: tool.type,
              name: tool.name,
              description: tool.description ?? '',
              parameters: tool.type === 'function' ? tool.parameters : undefined,
            },
          ]
        : [],
    ),
    toolChoice: toolChoice?.type === 'tool' ? { name: toolChoice.name } : (toolChoice?.type ?? 'auto'),
    parallel: parallelToolCalls ?? true,
  };
}

function outputOf(output: GenerateRequest['output']): Output {
  if (output?.type === 'schema') return { kind: 'schema', schema: output.schema };
  return { kind: output?.type ?? 'text' };
}

/** No effort turns reasoning off, which is the default. */
function effortOf({ effort, budget, adaptive, show }: GenerateRequest['reasoning'] = {}): Effort | null {
  if (effort) return effort === 'none' ? null : effort;
  if (budget === undefined || budget < 0) return adaptive ? 'high' : show || budget ? 'medium' : null;
  if (budget === 0) return null;
  if (budget < 4_096) return 'low';
  return budget < 16_384 ? 'medium' : 'high';
}

function mediaOf(parts: readonly Part[]): Prompt['media'] {
  const kinds = parts.flatMap(part => (part.type === 'media' ? [part.kind] : []));
  const count = (kind: (typeof kinds)[number]) => kinds.filter(each => each === kind).length;
  return { images: count('image'), audio: count('audio'), files: count('document') };
}
