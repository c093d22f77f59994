import type {
  AssistantPart,
  CacheHint,
  GenerateRequest,
  MediaPart,
  Message,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UserPart,
} from '@model-gateway/canonical';
import { digest } from '#bytes';
import { asHeld } from '../upstream/encode-media.ts';
import { opaqueText, refuse, unsupported } from '../upstream/request-body.ts';
import { toolInput, toolName } from '../upstream/tools.ts';
import { alternating, conversationOf } from '../upstream/turns.ts';
import type { ModelTraits } from './models.ts';
import type {
  ConverseAudioParam,
  ConverseBlockParam,
  ConverseCachePointParam,
  ConverseDocumentParam,
  ConverseImageParam,
  ConverseMediaParam,
  ConverseReasoningParam,
  ConverseRequestParams,
  ConverseSourceParam,
  ConverseTextParam,
  ConverseTurnParam,
} from './types.ts';

type System = NonNullable<ConverseRequestParams['system']>;

/** Encodes a conversation as alternating turns, with leading instructions separate. */
export function conversation(
  request: GenerateRequest,
  context: BlockContext,
): { system: System; turns: ConverseTurnParam[] } {
  const { instructions, turns } = conversationOf(request);
  const blocks = {
    of: (turn: Message) => blocksOf(turn, context),
    isResult: (block: ConverseBlockParam) => 'toolResult' in block,
    placeholder: { text: '.' },
  };
  return {
    system: textBlocks(instructions, context) as System,
    turns: alternating(turns, blocks, request.userFirst).map(withText),
  };
}

function blocksOf({ role, content }: Message, context: BlockContext): ConverseBlockParam[] {
  switch (role) {
    case 'system':
      return textBlocks(content, context);
    case 'user':
      return userBlocks(content, context);
    case 'tool':
      return content.flatMap(part => resultBlocks(part, context));
    case 'assistant':
      return assistantBlocks(content, context);
  }
}

/** Adds a text to a user's turn of documents alone, which Bedrock refuses. */
function withText({ role, content }: ConverseTurnParam): ConverseTurnParam {
  const needs = role === 'user' && content.some(block => 'document' in block);
  return {
    role,
    content: needs && !content.some(block => 'text' in block) ? [{ text: '.' }, ...content] : content,
  };
}

/** The largest number of cache breakpoints that Bedrock accepts. */
const maxBreakpoints = 4;

/** Removes the earliest cache breakpoints of a request if there are too many. */
export function limitBreakpoints(request: ConverseRequestParams): void {
  // In the order of the prompt.
  const lists: object[][] = [
    request.toolConfig?.tools ?? [],
    request.system ?? [],
    ...request.messages.map(({ content }) => content),
  ];
  const isPoint = (block: object): block is ConverseCachePointParam => 'cachePoint' in block;
  let extra = lists.flat().filter(isPoint).length - maxBreakpoints;
  for (const list of lists) {
    if (extra <= 0) return;
    const kept = list.filter(block => !isPoint(block) || extra-- <= 0);
    for (const [at, block] of kept.entries()) list[at] = block;
    list.length = kept.length;
  }
}

/** The facts on which the blocks of a request depend. */
interface BlockContext {
  traits: ModelTraits;
  names: DocumentNames;
  /** True if the request has tools: without, a history's calls and results are text, since Bedrock refuses their blocks. */
  hasTools: boolean;
}

/** Encodes texts. Blank ones are left out: Bedrock refuses them. */
export function textBlocks(parts: TextPart[], context: BlockContext): ConverseBlockParam[] {
  return parts.flatMap(part => [...textBlock(part.text), ...cachePoint(part.cache, context)]);
}

function textBlock(text: string): ConverseTextParam[] {
  return text.trim() === '' ? [] : [{ text }];
}

/** Returns the breakpoint after a block that is cached; none for models that refuse it. */
export function cachePoint(
  cache: CacheHint | undefined,
  { traits }: Pick<BlockContext, 'traits'>,
): Extract<ConverseBlockParam, { cachePoint: unknown }>[] {
  if (!cache || !traits.caches) return [];
  const ttl = traits.cacheTtl ? cache.ttl : undefined;
  return [{ cachePoint: { type: 'default', ...(ttl && { ttl }) } }];
}

export function userBlocks(parts: UserPart[], context: BlockContext): ConverseBlockParam[] {
  return parts.flatMap(part => userBlock(part, context));
}

function userBlock(part: UserPart, context: BlockContext): ConverseBlockParam[] {
  switch (part.type) {
    case 'text':
      return textBlocks([part], context);
    case 'media':
      return [mediaBlock(part, context.names), ...cachePoint(part.cache, context)];
    case 'opaque':
      return textBlock(opaqueText(part));
  }
}

export function assistantBlocks(parts: AssistantPart[], context: BlockContext): ConverseBlockParam[] {
  return parts.flatMap(part => assistantBlock(part, context));
}

function assistantBlock(part: AssistantPart, context: BlockContext): ConverseBlockParam[] {
  switch (part.type) {
    case 'refusal':
      return textBlock(part.text);
    case 'reasoning':
      return reasoningBlocks(part);
    case 'tool-call':
      return callBlocks(part, context);
    case 'text':
    case 'media':
    case 'opaque':
      return userBlock(part, context);
  }
}

/** Encodes reasoning that a model of Bedrock signed, unchanged; drops all other reasoning. */
function reasoningBlocks({ text, signature, redacted }: ReasoningPart): ConverseReasoningParam[] {
  if (signature?.format !== 'converse' || signature.value === '') return [];
  return redacted
    ? [{ reasoningContent: { redactedContent: signature.value } }]
    : [{ reasoningContent: { reasoningText: { text, signature: signature.value } } }];
}

function callBlocks(part: ToolCallPart, context: BlockContext): ConverseBlockParam[] {
  const { id, name, arguments: text, cache } = part;
  if (!context.hasTools) return textBlock(`[Called the tool ${name} with ${text || '{}'}]`);
  const toolUseId = callId(id, context.traits.shortIds);
  return [
    { toolUse: { toolUseId, name: toolName(name), input: toolInput(part) } },
    ...cachePoint(cache, context),
  ];
}

function resultBlocks(part: ToolResultPart, context: BlockContext): ConverseBlockParam[] {
  const content = userBlocks(part.content, context).filter(block => !('cachePoint' in block));
  if (!context.hasTools)
    return [...textBlock(`[The tool answered${part.error ? ' with an error' : ''}:]`), ...content];
  return [
    {
      toolResult: {
        toolUseId: callId(part.callId, context.traits.shortIds),
        // A result needs content, and text that is not blank.
        content: (content.length > 0 ? content : [{ text: '(empty)' }]) as ConverseResultContent,
        ...(part.error && { status: 'error' as const }),
      },
    },
    ...cachePoint(part.cache, context),
  ];
}

type ConverseResultContent = Extract<ConverseBlockParam, { toolResult: unknown }>['toolResult']['content'];

/** Formats of images by media type (`ImageFormat`). */
const imageFormats: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/jpg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

/** Formats of documents by media type (`DocumentFormat`). */
const documentFormats: Record<string, string> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'application/csv': 'csv',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/html': 'html',
  'text/markdown': 'md',
  'text/plain': 'txt',
};

/** Formats of audio by media type (`AudioFormat`). */
const audioFormats: Record<string, string> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mp3': 'mp3',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/opus': 'opus',
  'audio/flac': 'flac',
  'audio/aac': 'aac',
  'audio/mp4': 'mp4',
  'audio/webm': 'webm',
};

/** Encodes media. @throws GatewayError for media that this format cannot hold */
export function mediaBlock(media: MediaPart, names: DocumentNames): ConverseMediaParam {
  const part = asHeld(media);
  switch (part.kind) {
    case 'image':
      return imageBlock(part);
    case 'audio':
      return audioBlock(part);
    case 'document':
      return documentBlock(part, names);
  }
}

function imageBlock(part: MediaPart): ConverseImageParam {
  const mediaType = part.mediaType ?? typeByUrl(part);
  const format = mediaType && imageFormats[mediaType];
  if (!format) throw unsupported('messages', 'this model takes PNG, JPEG, GIF and WebP images');
  return { image: { format, source: sourceOf(part) } };
}

function documentBlock(part: MediaPart, names: DocumentNames): ConverseDocumentParam {
  const mediaType = part.mediaType ?? (part.source.type === 'text' ? 'text/plain' : typeByUrl(part));
  const format =
    mediaType && (documentFormats[mediaType] ?? (mediaType.startsWith('text/') ? 'txt' : undefined));
  if (!format)
    throw unsupported('messages', `this model does not take documents of the type ${mediaType ?? 'unknown'}`);
  return { document: { format, name: names.of(part.name), source: sourceOf(part) } };
}

function audioBlock(part: MediaPart): ConverseAudioParam {
  const format = audioFormats[part.mediaType ?? ''];
  if (!format) throw unsupported('messages', `this model does not take audio of the type ${part.mediaType}`);
  return { audio: { format, source: sourceOf(part) } };
}

function sourceOf({ source, kind }: MediaPart): ConverseSourceParam {
  switch (source.type) {
    case 'base64':
      return { bytes: source.data };
    case 'text':
      return { bytes: Buffer.from(source.text).toString('base64') };
    case 'url':
      if (source.url.startsWith('s3://')) return { s3Location: { uri: source.url } };
      throw unsupported('messages', `this model's provider does not take ${kind}s by URL, except s3://`);
    case 'file':
      return refuse('messages', `The file '${source.id}' is stored with another vendor than this model's.`);
  }
}

/** Types of the objects of S3 by their names. */
const types: Record<string, string> = {
  ...{ png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp' },
  ...{ pdf: 'application/pdf', csv: 'text/csv', html: 'text/html', md: 'text/markdown', txt: 'text/plain' },
};

function typeByUrl({ source }: MediaPart): string | undefined {
  if (source.type !== 'url') return undefined;
  const [, extension = ''] = /\.(\w+)$/.exec(source.url) ?? [];
  // Another URL is refused for what it is, and not for its type.
  return types[extension.toLowerCase()] ?? 'image/png';
}

const allowedId = /^[a-zA-Z0-9_.:-]{1,64}$/;
const shortId = /^[a-zA-Z0-9]{9}$/;

/** Returns a call id that the model takes: an id that it does not take is always replaced by the same hash. */
function callId(id: string, short: boolean): string {
  if (short) return shortId.test(id) ? id : digest(id, 9);
  return allowedId.test(id) ? id : `call_${digest(id, 32)}`;
}

/** The longest name of a document, in characters. */
const maxName = 200;

/** Makes names of documents that Converse takes, each unique within a request. */
export class DocumentNames {
  readonly #taken = new Set<string>();
  /** The number that the next document of the same name gets. */
  readonly #next = new Map<string, number>();

  /** Returns the name with only letters, digits, single spaces, hyphens, parentheses and brackets. */
  of(name: string | undefined): string {
    const base =
      (name ?? '')
        .replace(/\.\w{1,5}$/, '')
        .replace(/[^a-zA-Z0-9\s()[\]-]/g, ' ')
        .replace(/\s+/g, ' ')
        .trim()
        .slice(0, maxName)
        .trim() || 'document';
    let number = this.#next.get(base) ?? 1;
    while (this.#taken.has(numbered(base, number))) number++;
    const unique = numbered(base, number);
    this.#next.set(base, number + 1);
    this.#taken.add(unique);
    return unique;
  }
}

function numbered(name: string, number: number): string {
  return number === 1 ? name : `${name} ${number}`;
}
