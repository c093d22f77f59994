import { z } from 'zod';

/** A request to Cohere's `POST /v2/chat`, as in the types of its SDK (`V2ChatStreamRequest`). Undefined fields are not sent. */
export interface CohereChatParams {
  model: string;
  messages: CohereMessageParam[];
  tools?: CohereToolParam[] | undefined;
  /** If absent, the model decides. */
  tool_choice?: 'REQUIRED' | 'NONE' | undefined;
  response_format?: { type: 'json_object'; json_schema?: Record<string, unknown> } | undefined;
  thinking?: { type: 'enabled' | 'disabled'; token_budget?: number } | undefined;
  max_tokens?: number | undefined;
  stop_sequences?: string[] | undefined;
  temperature?: number | undefined;
  /** From 0.01 to 0.99. */
  p?: number | undefined;
  /** From 0 to 500. */
  k?: number | undefined;
  seed?: number | undefined;
  frequency_penalty?: number | undefined;
  presence_penalty?: number | undefined;
  stream: true;
}

export type CohereMessageParam =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | CohereContentParam[] }
  | {
      role: 'assistant';
      content?:
        | string
        | ({ type: 'text'; text: string } | { type: 'thinking'; thinking: string })[]
        | undefined;
      tool_plan?: string | undefined;
      tool_calls?: CohereToolCallParam[] | undefined;
    }
  | { role: 'tool'; tool_call_id: string; content: string };

export type CohereContentParam =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } };

interface CohereToolCallParam {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

export interface CohereToolParam {
  type: 'function';
  function: { name: string; description?: string | undefined; parameters: Record<string, unknown> };
}

const text = z.string().nullish();
const count = z.number().nullish();

const source = z.looseObject({
  type: text,
  document: z.looseObject({ url: text, title: text }).nullish().catch(undefined),
  tool_output: z.looseObject({ url: text, title: text }).nullish().catch(undefined),
});
const citation = z.looseObject({
  /** Offsets in the text of the content, in characters. */
  start: count,
  end: count,
  sources: z.array(source).nullish(),
});
export type CohereCitation = z.infer<typeof citation>;

const toolCall = z.looseObject({
  id: text,
  function: z.looseObject({ name: text, arguments: text }).nullish(),
});

const usage = z.looseObject({
  billed_units: z.looseObject({ input_tokens: count, output_tokens: count, search_units: count }).nullish(),
  tokens: z.looseObject({ input_tokens: count, output_tokens: count }).nullish(),
  cached_tokens: count,
});
export type CohereUsage = z.infer<typeof usage>;

const contentPiece = z.looseObject({ type: text, text, thinking: text });

/** An event of a stream (`V2ChatStreamResponse` in the SDK), as far as the gateway reads it. */
export const cohereChatEvent = z.looseObject({
  type: z.string(),
  id: text,
  index: count,
  delta: z
    .looseObject({
      message: z
        .looseObject({
          content: contentPiece.nullish().catch(undefined),
          tool_plan: text,
          tool_calls: toolCall.nullish().catch(undefined),
          citations: citation.nullish().catch(undefined),
        })
        .nullish(),
      finish_reason: text,
      usage: usage.nullish(),
      error: text,
    })
    .nullish(),
});
export type CohereChatEvent = z.infer<typeof cohereChatEvent>;

/** A whole answer (`V2ChatResponse` in the SDK). */
export const cohereChatAnswer = z.looseObject({
  id: text,
  finish_reason: text,
  message: z.looseObject({
    content: z.array(contentPiece).nullish(),
    tool_plan: text,
    tool_calls: z.array(toolCall).nullish(),
    citations: z.array(citation).nullish(),
  }),
  usage: usage.nullish(),
});
