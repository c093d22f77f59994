/** The formats that code is written in: those of conversations, and of other operations. */
const codeFormats = [
  'chat',
  'messages',
  'generate-content',
  'responses',
  'embeddings',
  'rerank',
  'moderations',
  'images',
  'speech',
  'transcriptions',
  'realtime',
] as const;
export type CodeFormat = (typeof codeFormats)[number];

/** A request to write code for, as it is sent. */
export interface CodeRequest {
  format: CodeFormat;
  /** The gateway's address without a path. */
  baseUrl: string;
  path: string;
  /** Headers beside the credential and the content type. */
  headers?: Record<string, string>;
  model: string;
  /**
   * The JSON body; for transcriptions the fields of the form, with the name of a file as `file`; for realtime the request for a client
   * secret, with the session.
   */
  body: Record<string, unknown>;
}

/** The languages in the order in which they are offered. */
export const languages = ['curl', 'python', 'typescript', 'go'] as const;
export type Language = (typeof languages)[number];

/** Code that makes a request. */
export interface Code {
  /** What the program prints the answer with, and all that it needs but the secret. */
  code: string;
  /** The line that installs the SDK; undefined if it needs none. */
  install: string | undefined;
  /** The names of the files that the code reads from the folder in which it runs. */
  files: CodeFile[];
}

/** An attachment that the code reads from a file; `data` is base64. */
export interface CodeFile {
  name: string;
  data: string;
}

/** True if the answer comes as a stream. */
export function isStreamed({ body, path }: CodeRequest): boolean {
  return body.stream === true || path.includes(':streamGenerateContent');
}

/** Returns the same request for an answer that comes whole. */
export function asWhole(request: CodeRequest): CodeRequest {
  const { stream, stream_options, ...body } = request.body;
  const path = request.path.replace(':streamGenerateContent?alt=sse', ':generateContent');
  return { ...request, body, path };
}

/** Returns the fields for an SDK: a chat SDK asks for the usage of a stream itself if a program needs it. */
export function sdkFields({ format, body }: CodeRequest): Record<string, unknown> {
  const { stream_options, ...others } = body;
  return format === 'chat' ? others : body;
}

/** The name of the file for the sound of a speech request. */
export function speechFile({ body }: CodeRequest): string {
  return `speech.${body.response_format ?? 'mp3'}`;
}

/** True if a transcription comes as text rather than JSON. */
export function hasPlainText({ body }: CodeRequest): boolean {
  return ['text', 'srt', 'vtt'].includes(String(body.response_format));
}

/**
 * The lines of a program that print an answer, whole and streamed. A line that begins with `?` is for a request with tools alone, one
 * that begins with `!` for one without.
 */
export interface Printing {
  whole: string | ((request: CodeRequest) => string);
  stream?: string;
}

/** Returns the lines that print the answer of a request, and the name of the variable that holds it. */
export function printing(request: CodeRequest, { whole, stream = '' }: Printing) {
  const streamed = isStreamed(request);
  const other = 'tools' in request.body ? '!' : '?';
  const lines = (streamed ? stream : typeof whole === 'string' ? whole : whole(request))
    .split('\n')
    .filter(line => !line.startsWith(other))
    .map(line => line.replace(/^[?!]/, ''));
  return { lines: lines.join('\n'), result: streamed ? 'stream' : 'response' };
}

/** Returns the names, such as those of packages, of which code uses something: `name.` or `name(`, outside of texts. */
export function usedIn(code: string, names: readonly string[]): string[] {
  const bare = code.replace(/"(?:\\.|[^"\\\n])*"|`[^`]*`/g, '""');
  return names.filter(name => new RegExp(`(?<![\\w.])${name}[.(]`).test(bare));
}

/** The events of a client that open a realtime session with its settings and say something. */
export function realtimeEvents({ body }: CodeRequest) {
  const { model, ...session } = body.session as Record<string, unknown>;
  const content = [{ type: 'input_text', text: 'Hello!' }];
  return { session, item: { type: 'message', role: 'user', content } };
}

/** Converts the body of generate-content to the arguments of an SDK: the contents, and all else in one configuration. */
export function flattened(body: Record<string, unknown>): {
  contents: unknown;
  config: Record<string, unknown>;
} {
  const { contents, generationConfig, systemInstruction, ...others } = body;
  const system = textOfParts(systemInstruction) ?? systemInstruction;
  return {
    contents,
    config: {
      ...(systemInstruction !== undefined && { systemInstruction: system }),
      ...(generationConfig as object | undefined),
      ...others,
    },
  };
}

/** Returns the text of contents that are one text of the user; undefined for others. */
export function simpleText(contents: unknown): string | undefined {
  if (!Array.isArray(contents) || contents.length !== 1) return undefined;
  const [{ role, ...content }] = contents as [{ role?: unknown }];
  return role === undefined || role === 'user' ? textOfParts(content) : undefined;
}

function textOfParts(content: unknown): string | undefined {
  const parts = (content as { parts?: unknown } | undefined)?.parts;
  if (!Array.isArray(parts) || parts.length !== 1) return undefined;
  const [part] = parts as [Record<string, unknown>];
  return Object.keys(part).length === 1 && typeof part.text === 'string' ? part.text : undefined;
}
