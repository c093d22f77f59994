/** The formats that code is written in: those of conversations, and of other operations. */
export const codeFormats = [
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
