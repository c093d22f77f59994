import type { Operation, Usage } from '@model-gateway/canonical';
import type { SpanAttributes } from './span.ts';

/**
 * The values of `gen_ai.operation.name`. `chat` and `embeddings` are of OpenTelemetry's conventions for generative AI, which have
 * no name for the others:
 * https://opentelemetry.io/docs/specs/semconv/registry/attributes/gen-ai/#gen-ai-operation-name
 */
export const operationNames: Record<Operation, string> = {
  generate: 'chat',
  'count-tokens': 'count_tokens',
  embed: 'embeddings',
  rerank: 'rerank',
  moderate: 'moderation',
  image: 'generate_image',
  speech: 'speech',
  transcribe: 'transcribe',
  realtime: 'realtime',
};

/** Returns a usage in the attributes of these conventions. */
export function usageAttributes(usage: Usage | null): SpanAttributes {
  if (!usage) return {};
  return {
    'gen_ai.usage.input_tokens': usage.input,
    'gen_ai.usage.output_tokens': usage.output,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedInput || undefined,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWrite5m + usage.cacheWrite1h || undefined,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoning || undefined,
  };
}
