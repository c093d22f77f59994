import type {
  FormatFields,
  GenerateRequest,
  OperationRequest,
  PlainBody,
  PlainField,
  PlainFields,
  RequestExtras,
} from '@model-gateway/canonical';

/** Re-encodes the server-sent events of one stream. */
export interface Framing {
  mediaType: string;
  /** `sse` may begin and end anywhere. */
  write(sse: string | Uint8Array): string;
  /** Returns the bytes after the last event. */
  end(): string;
}

/** The fields that the parsed requests of all operations have. `R`: the part that the endpoint's renderer reads. */
interface Parsed<R> {
  /** The model name that the client sent. */
  model: string;
  /** Client headers that are forwarded to an upstream of the same format. */
  headers?: Record<string, string>;
  rendering: R;
}

/** A parsed request to generate. */
export interface ParsedGenerate<R = unknown> extends Parsed<R> {
  type: 'generate';
  stream: boolean;
  /** The top-level members that `canonical` needs with numbers in their original notation; none where absent. */
  exact?: readonly string[];
  /**
   * Converts the request to the canonical form, for targets of another format. `exact` are the members named by the
   * field above, if they are parsed already. @throws GatewayError for features that no other format has
   */
  canonical(exact?: Record<string, unknown>): GenerateRequest;
  /** The field with -1 for no token limit. Only some targets accept it, and only in a verbatim request. */
  unlimited?: string;
  /** True if the history contains another vendor's items, or broken ones, which are mended for targets of the request's format. */
  foreign?: boolean;
  /** The encoding of a stream; server-sent events where absent. */
  framing?: () => Framing;
  /** The client's key for the provider's cache of prompts. */
  cacheKey?: string | undefined;
  /** The most output tokens that the client asked for, of all choices. */
  maxTokens?: number | undefined;
  /** The number of answers that the client asked for; one if absent. */
  choices?: number | undefined;
  /** The hosted tools and the service tier that the client asked for; absent if there are none beside the usual. */
  extras?: RequestExtras;
  /** Returns the content of the first turn of the user, which later turns of the conversation repeat. */
  firstTurn?(): unknown;
}

/** A parsed request to count tokens. The ingress estimates the count if no target can count. */
export interface ParsedCount<R = unknown> extends Parsed<R> {
  type: 'count-tokens';
  /** Same as in {@link ParsedGenerate}. */
  exact?: readonly string[];
  /** Same as in {@link ParsedGenerate}. */
  canonical(exact?: Record<string, unknown>): GenerateRequest;
  /** Same as in {@link ParsedGenerate}. */
  foreign?: boolean;
}

/** A parsed request of another operation. */
export interface ParsedOperation<R = unknown> extends Parsed<R> {
  type: 'embed' | 'rerank' | 'moderate' | 'image' | 'speech' | 'transcribe';
  stream: boolean;
  /** True if the response is bytes, which are forwarded as they arrive. */
  bytes?: boolean;
  /** Number of inputs, if upstreams limit it. */
  inputs?: number;
  /** Duration of the audio in the request in seconds, if it is known. */
  seconds?: number;
  /** Number of images that the client asked for. */
  images?: number;
  /** Same as in {@link ParsedGenerate}. */
  canonical(): OperationRequest | Promise<OperationRequest>;
}

/** A validated request of any operation, with the way to its canonical form. */
export type GatewayRequest<R = unknown> = ParsedGenerate<R> | ParsedCount<R> | ParsedOperation<R>;

/** Returns the most output tokens of a request, by the largest maximum for each choice; undefined if it sets none. */
export function mostTokens(
  ofChoice: number | null | undefined | readonly (number | null | undefined)[],
  choices: number | null = 1,
): number | undefined {
  const maxima = [ofChoice].flat().filter(each => each != null);
  // -1 stands for no maximum.
  if (maxima.length === 0 || maxima.some(each => each < 0)) return undefined;
  return Math.max(...maxima) * (choices ?? 1);
}

/** Returns the plain fields of a client's body that are set. */
export function readPlain<T extends PlainFields>(
  { plain }: Pick<FormatFields<T>, 'plain'>,
  body: PlainBody<T, null>,
): Pick<GenerateRequest, PlainField<T>> {
  const fields = body as Readonly<Record<string, unknown>>;
  const read: Record<string, unknown> = {};
  for (const canonical in plain) {
    const value = fields[plain[canonical] as string];
    if (value !== undefined && value !== null) read[canonical] = value;
  }
  return read as Pick<GenerateRequest, PlainField<T>>;
}

/** Fields that decide on an answer, and that some servers of these formats have and no other format. */
const fields: readonly string[] = [
  // OpenAI: CreateChatCompletionRequest.
  'moderation',
  // vLLM: "Structured Outputs" of its documents, and the names before 0.12.
  ...['structured_outputs', 'guided_json', 'guided_regex', 'guided_choice', 'guided_grammar'],
  // llama.cpp: README of its server. SGLang: "Structured Outputs".
  ...['grammar', 'json_schema', 'regex', 'ebnf'],
];

/** Returns the names of the fields of a request that upstreams of another format cannot honour; undefined if there are none. */
export function constraintsOf<F extends string>(
  format: F,
  body: Record<string, unknown>,
  own: readonly string[] = [],
): { format: F; names: string[] } | undefined {
  const names = [...own, ...fields].filter(name => body[name]);
  return names.length > 0 ? { format, names } : undefined;
}
