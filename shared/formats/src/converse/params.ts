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

export interface ConverseToolUseParam {
  toolUse: { toolUseId: string; name: string; input: Record<string, unknown> };
}

export interface ConverseToolResultParam {
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
