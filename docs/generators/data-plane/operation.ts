import type { z } from 'zod';
import type { ErrorFormat } from './errors.ts';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A parameter in the query or a header. */
export interface Parameter {
  name: string;
  in: 'query' | 'header';
  required?: boolean;
  description: string;
  schema: JsonSchema;
}

/** An endpoint of the data plane in the OpenAPI document. */
export interface DataPlaneOperation {
  id: string;
  method: 'get' | 'post' | 'delete';
  path: string;
  tag: DataPlaneTag;
  summary: string;
  description?: string;
  /** The schemas of the body by media type; those of zod are what the ingress validates with. */
  body?: Record<string, z.ZodType | JsonSchema>;
  /** True if a request without a body is valid. */
  bodyIsOptional?: boolean;
  /** An example of the body in JSON. */
  example?: object;
  parameters?: readonly Parameter[];
  /** The ways in which the client may send its token. */
  security: readonly SecurityScheme[];
  errors: ErrorFormat;
  /** The schemas of a successful response by media type. */
  answer: Record<string, z.ZodType | JsonSchema>;
  /** The status of success; 200 if absent. */
  status?: number;
}

export const tags = {
  Chat: 'Chat completions and legacy completions, as of OpenAI.',
  Messages: 'Messages, as of Anthropic.',
  Responses: 'Responses and conversations, as of OpenAI: stored, in the background, or neither.',
  'Generate content': 'Generate content, as of Google.',
  Embeddings: 'Embeddings of texts.',
  Rerank: 'Ranking of documents, as of Cohere and Jina.',
  Moderations: 'Moderations of texts and images, as of OpenAI.',
  Images: 'Images, as of OpenAI.',
  Audio: 'Speech, transcriptions and translations, as of OpenAI.',
  Realtime: 'Sessions over a WebSocket, as of OpenAI.',
  Models: 'The models that a token may use.',
} as const;
export type DataPlaneTag = keyof typeof tags;

export const securitySchemes = {
  client: { type: 'http', scheme: 'bearer', description: "A client's token." },
  clientApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: "A client's token, as clients of Anthropic send it.",
  },
  clientGoogleKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-goog-api-key',
    description: "A client's token, as clients of Google send it.",
  },
  clientQueryKey: {
    type: 'apiKey',
    in: 'query',
    name: 'key',
    description: "A client's token in the query, as older clients of Google send it. Proxies may log it.",
  },
} as const;
export type SecurityScheme = keyof typeof securitySchemes;

export const json = 'application/json';
export const form = 'multipart/form-data';
export const eventStream = 'text/event-stream';

/** Any JSON object, with these members if they are known. */
export function open(description: string, properties: Record<string, JsonSchema> = {}): JsonSchema {
  return { type: 'object', description, properties, additionalProperties: true };
}

/** The stream of a response: each event holds a JSON object. */
export function events(description: string): JsonSchema {
  return { type: 'string', description };
}

/** The bytes of a file. */
export const file: JsonSchema = { type: 'string', format: 'binary' };
