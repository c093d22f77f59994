import { hash } from 'node:crypto';
import type { GenerateRequest, Message, Part } from '@model-gateway/canonical';
import type { FormatEndpoint, GatewayRequest } from '@model-gateway/formats/client';
import { wantsSearch } from './answer.ts';
import { calledAs, type Effort, type Output, type Prompt, type Tools } from './prompt.ts';

/** Returns the prompt of a request whose vendor has checked it. @throws GatewayError of kind `invalid-request` */
export function readPrompt<R>({ parse }: Parser<R>, body: Fields, url = '') {
  const parsed = parse(body, {}, Buffer.alloc(0), url);
  if (parsed.type !== 'generate') throw new Error(`A request of the type ${parsed.type} has no prompt.`);
  const request = parsed.canonical({});
  const prompt = promptOf(parsed.model, request);
  const maySearch = prompt.toolChoice !== 'none' && request.tools?.some(({ type }) => type === 'web-search');
  const searches = maySearch === true && wantsSearch(prompt);
  return { prompt, searches, logprobs: request.logprobs, parsed };
}

type Fields = Record<string, unknown>;
/** An endpoint of a format, or its parser alone. */
type Parser<R> = { parse(...request: Parameters<FormatEndpoint['parse']>): GatewayRequest<R> };

function promptOf(model: string, request: GenerateRequest): Prompt {
  const { messages, tools = [] } = request;
  const parts = messages.flatMap(({ content }) => content as Part[]);
  const question = messages.findLast(message => message.role === 'user' && textOf(message) !== '');
  return {
    model,
    instructions: messages
      .filter(({ role }) => role === 'system')
      .map(textOf)
      .join('\n'),
    question: question ? textOf(question) : '',
    results: resultsOf(messages),
    ...toolsOf(request),
    output: outputOf(request.output),
    maxTokens: request.maxTokens === undefined || request.maxTokens < 0 ? null : request.maxTokens,
    stop: (request.stop ?? []).filter(Boolean),
    choices: request.n ?? 1,
    effort: effortOf(request.reasoning),
    context: [
      ...(tools.length > 0 ? [JSON.stringify(tools)] : []),
      ...messages.map(({ role, content }) => `${role}: ${(content as Part[]).map(lineOf).join('\n')}`),
    ].join('\n'),
    media: mediaOf(parts.flatMap(part => (part.type === 'tool-result' ? part.content : [part]))),
    cachePoints: null,
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

/** The results at the end of the conversation, each with its call. */
function resultsOf(messages: readonly Message[]): Prompt['results'] {
  const last = messages.findLastIndex(({ role }) => role !== 'tool');
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
