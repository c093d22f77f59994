import type {
  AssistantPart,
  CacheHint,
  MediaPart,
  Message,
  OpaquePart,
  Signature,
  TextPart,
  ToolResultPart,
  UserPart,
} from '../index.ts';

type Format = Signature['format'];
type Part<Type> = Extract<AssistantPart, { type: Type }>;

/** The parts and messages of tests. */
export const text = (value: string, more: Partial<TextPart> = {}): TextPart => ({
  type: 'text',
  text: value,
  ...more,
});
export const cached = (value: string, cache: CacheHint = {}) => text(value, { cache });
export const signed = (value: string, format: Format = 'messages') => ({ signature: { format, value } });
export const thought = (value: string, more: Partial<Part<'reasoning'>> = {}): Part<'reasoning'> => ({
  type: 'reasoning',
  text: value,
  ...more,
});
export const redacted = (value: string, format: Format = 'messages') =>
  thought('', { redacted: true, ...signed(value, format) });
/** A call of the tool `f`. */
export const call = (id: string, args = '{}', more: Partial<Part<'tool-call'>> = {}): Part<'tool-call'> => ({
  type: 'tool-call',
  id,
  name: 'f',
  arguments: args,
  ...more,
});
export const opaque = (value: Record<string, unknown>, format: Format = 'messages'): OpaquePart => ({
  type: 'opaque',
  format,
  value,
});

export const bytes = (data: string) => ({ type: 'base64', data }) as const;
export const link = (url: string) => ({ type: 'url', url }) as const;
export const file = (id: string, format: Format) => ({ type: 'file', id, format }) as const;
export const media = (
  kind: MediaPart['kind'],
  source: MediaPart['source'],
  more: Partial<MediaPart> = {},
): MediaPart => ({ type: 'media', kind, source, ...more });
export const png = media('image', bytes('iVBO'), { mediaType: 'image/png' });

/** The result of a call. */
export const result = (callId: string, ...content: (string | UserPart)[]): ToolResultPart => ({
  type: 'tool-result',
  callId,
  content: content.map(asText),
});
export const failed = (part: ToolResultPart): ToolResultPart => ({ ...part, error: true });

export const system = (...content: (string | TextPart)[]): Message => ({
  role: 'system',
  content: content.map(asText),
});
export const user = (...content: (string | UserPart)[]): Message => ({
  role: 'user',
  content: content.map(asText),
});
export const says = (...content: (string | AssistantPart)[]): Message => ({
  role: 'assistant',
  content: content.map(asText),
});
export const tells = (...content: ToolResultPart[]): Message => ({ role: 'tool', content });

function asText<T extends object>(part: string | T): T | TextPart {
  return typeof part === 'string' ? text(part) : part;
}
