import { z } from 'zod';

/*
 * Requests of Bedrock's `Converse` and `ConverseStream` as the gateway writes them: ConverseRequest of
 * @aws-sdk/client-bedrock-runtime and the types it refers to, with only the fields that a translation sets. Bytes are base64.
 */

/** A cache breakpoint after the blocks before it (`CachePointBlock`). */
export interface ConverseCachePointParam {
  cachePoint: { type: 'default'; ttl?: '5m' | '1h' };
}

export interface ConverseTextParam {
  text: string;
}

/** Bytes in base64, or an object of S3. */
export type ConverseSourceParam = { bytes: string } | { s3Location: { uri: string } };

export interface ConverseImageParam {
  image: { format: string; source: ConverseSourceParam };
}

/** A document. Its name is unique within a request. */
export interface ConverseDocumentParam {
  document: { format: string; name: string; source: ConverseSourceParam };
}

export interface ConverseAudioParam {
  audio: { format: string; source: ConverseSourceParam };
}

export type ConverseMediaParam = ConverseImageParam | ConverseDocumentParam | ConverseAudioParam;

/** Reasoning as the model signed it; bytes that only its vendor can read if it is redacted. */
export interface ConverseReasoningParam {
  reasoningContent: { reasoningText: { text: string; signature: string } } | { redactedContent: string };
}

interface ConverseToolUseParam {
  toolUse: { toolUseId: string; name: string; input: Record<string, unknown> };
}

interface ConverseToolResultParam {
  toolResult: {
    toolUseId: string;
    content: (ConverseTextParam | ConverseImageParam | ConverseDocumentParam)[];
    status?: 'error';
  };
}

export type ConverseBlockParam =
  | ConverseTextParam
  | ConverseMediaParam
  | ConverseReasoningParam
  | ConverseToolUseParam
  | ConverseToolResultParam
  | ConverseCachePointParam;

export interface ConverseTurnParam {
  role: 'user' | 'assistant';
  content: ConverseBlockParam[];
}

export type ConverseToolParam =
  | {
      toolSpec: {
        name: string;
        description?: string | undefined;
        inputSchema: { json: Record<string, unknown> };
        strict?: true | undefined;
      };
    }
  | ConverseCachePointParam;

/** The choice among the tools; a model calls none of them only if it has none. */
export type ConverseToolChoiceParam =
  | { auto: Record<string, never> }
  | { any: Record<string, never> }
  | { tool: { name: string } };

export interface ConverseRequestParams {
  messages: ConverseTurnParam[];
  system?: (ConverseTextParam | ConverseCachePointParam)[] | undefined;
  inferenceConfig?:
    | {
        maxTokens?: number | undefined;
        temperature?: number | undefined;
        topP?: number | undefined;
        stopSequences?: string[] | undefined;
      }
    | undefined;
  toolConfig?: { tools: ConverseToolParam[]; toolChoice?: ConverseToolChoiceParam | undefined } | undefined;
  /** Fields that only some models have. */
  additionalModelRequestFields?: Record<string, unknown> | undefined;
  serviceTier?: { type: 'default' | 'flex' | 'priority' } | undefined;
  outputConfig?:
    | {
        textFormat: {
          type: 'json_schema';
          /** The schema is JSON text. */
          structure: { jsonSchema: { schema: string; name?: string | undefined } };
        };
      }
    | undefined;
}

/*
 * Responses of Bedrock's `Converse` and `ConverseStream`, as far as the gateway reads them: ConverseResponse and
 * ConverseStreamOutput of @aws-sdk/client-bedrock-runtime. Other fields pass. Bytes are base64.
 */

const tokenCount = z.number().nullish();
const optionalText = z.string().nullish();

/** Token counts. Tokens of the cache are not part of `inputTokens` but of `totalTokens`. */
const converseUpstreamUsage = z.looseObject({
  inputTokens: tokenCount,
  outputTokens: tokenCount,
  totalTokens: tokenCount,
  cacheReadInputTokens: tokenCount,
  cacheWriteInputTokens: tokenCount,
  /** The tokens written to the cache, by the time for which they stay. */
  cacheDetails: z.array(z.looseObject({ ttl: optionalText, inputTokens: tokenCount })).nullish(),
});
export type ConverseUpstreamUsage = z.infer<typeof converseUpstreamUsage>;

/** A source that the model cites. */
export const converseCitation = z.looseObject({
  title: optionalText,
  location: z.looseObject({ web: z.looseObject({ url: optionalText }).nullish() }).nullish(),
});

/** A block of a whole answer: exactly one field is set. */
const converseUpstreamBlock = z.looseObject({
  text: optionalText,
  toolUse: z
    .looseObject({ toolUseId: optionalText, name: optionalText, input: z.unknown().optional() })
    .nullish(),
  reasoningContent: z
    .looseObject({
      reasoningText: z.looseObject({ text: optionalText, signature: optionalText }).nullish(),
      redactedContent: optionalText,
    })
    .nullish(),
  /** Text whose sources are cited. */
  citationsContent: z
    .looseObject({
      content: z.array(z.looseObject({ text: optionalText })).nullish(),
      citations: z.array(converseCitation).nullish(),
    })
    .nullish(),
});
export type ConverseUpstreamBlock = z.infer<typeof converseUpstreamBlock>;

/** A whole answer. */
export const converseUpstreamAnswer = z.looseObject({
  output: z.looseObject({ message: z.looseObject({ content: z.array(converseUpstreamBlock).nullable() }) }),
  stopReason: optionalText,
  usage: converseUpstreamUsage.nullish(),
  /** The policies that a guardrail applied. */
  trace: z.unknown().optional(),
});

/** A piece of a block: exactly one field is set. */
const converseUpstreamDelta = z.looseObject({
  text: optionalText,
  toolUse: z.looseObject({ input: optionalText }).nullish(),
  reasoningContent: z
    .looseObject({ text: optionalText, signature: optionalText, redactedContent: optionalText })
    .nullish(),
  citation: converseCitation.nullish(),
});
export type ConverseUpstreamDelta = z.infer<typeof converseUpstreamDelta>;

const contentBlockIndex = z.int().nonnegative();

/** The events of a stream by the header `:event-type` of their frames. Blocks of text have no `contentBlockStart`. */
export const converseStreamEvents = {
  messageStart: z.looseObject({ role: optionalText }),
  contentBlockStart: z.looseObject({
    contentBlockIndex,
    start: z.looseObject({
      toolUse: z.looseObject({ toolUseId: optionalText, name: optionalText }).nullish(),
    }),
  }),
  contentBlockDelta: z.looseObject({ contentBlockIndex, delta: converseUpstreamDelta }),
  contentBlockStop: z.looseObject({ contentBlockIndex }),
  messageStop: z.looseObject({ stopReason: optionalText }),
  /** The last event. */
  metadata: z.looseObject({ usage: converseUpstreamUsage.nullish(), trace: z.unknown().optional() }),
};
type ConverseStreamEventType = keyof typeof converseStreamEvents;
export type ConverseStreamEvent = {
  [Type in ConverseStreamEventType]: { type: Type; value: z.infer<(typeof converseStreamEvents)[Type]> };
}[ConverseStreamEventType];
