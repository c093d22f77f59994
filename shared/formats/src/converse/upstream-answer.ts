import { z } from 'zod';

/*
 * Responses of Bedrock's `Converse` and `ConverseStream`, as far as the gateway reads them: ConverseResponse and
 * ConverseStreamOutput of @aws-sdk/client-bedrock-runtime. Other fields pass. Bytes are base64.
 */

const tokenCount = z.number().nullish();
const optionalText = z.string().nullish();

/** Token counts. Tokens of the cache are not part of `inputTokens` but of `totalTokens`. */
export const converseUpstreamUsage = z.looseObject({
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
export const converseUpstreamBlock = z.looseObject({
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
export const converseUpstreamDelta = z.looseObject({
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
export type ConverseStreamEventType = keyof typeof converseStreamEvents;
export type ConverseStreamEvent = {
  [Type in ConverseStreamEventType]: { type: Type; value: z.infer<(typeof converseStreamEvents)[Type]> };
}[ConverseStreamEventType];
