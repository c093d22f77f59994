import { expect, test } from 'vitest';
import type { EmbedContentRequestParams } from './embed-content.ts';
import type { EmbeddingsRequestParams } from './embeddings.ts';
import type {
  ChatMessageParam,
  ChatRequestParams,
  CompletionRequestParams,
  ConverseBlockParam,
  ConverseRequestParams,
  GenerateContentConfigParam,
  GenerateContentPartParam,
  ImageRequestParams,
  MessagesBlockParam,
  MessagesRequestParams,
  ResponsesItemParam,
  ResponsesRequestParams,
} from './index.ts';
import type { CohereRerankRequestParams } from './rerank.ts';

const id = 'a';

/** Each line after a comment fails to compile without it, which `tsc` checks. */
test('a misspelt or misplaced field of a request is a compile error', () => {
  const wrong = [
    // @ts-expect-error misspelt
    { type: 'text', text: id, cache_controls: { type: 'ephemeral' } } satisfies MessagesBlockParam,
    // @ts-expect-error of a tool result
    { type: 'tool_use', id, name: id, input: {}, is_error: true } satisfies MessagesBlockParam,
    // @ts-expect-error misspelt
    { thinking: { type: 'enabled', budget_token: 1 } } satisfies Partial<MessagesRequestParams>,
    // @ts-expect-error of another format
    { temperature: 1, max_output_tokens: 1 } satisfies Partial<ChatRequestParams>,
    // @ts-expect-error of an assistant's message
    { role: 'user', content: id, tool_calls: [] } satisfies ChatMessageParam,
    // @ts-expect-error of a request
    { type: 'message', role: 'user', content: [], instructions: id } satisfies ResponsesItemParam,
    // @ts-expect-error nested as in chat
    { text: { format: { type: 'json_schema', json_schema: {} } } } satisfies Partial<ResponsesRequestParams>,
    // @ts-expect-error misspelt
    { functionCall: { name: id, arguments: {} } } satisfies GenerateContentPartParam,
    // @ts-expect-error of `thinkingConfig`
    { temperature: 1, thinkingBudget: 1 } satisfies GenerateContentConfigParam,
    // @ts-expect-error of chat
    { model: id, prompt: id, max_completion_tokens: 1 } satisfies CompletionRequestParams,
    // @ts-expect-error of another format
    { model: id, input: [id], output_dimension: 1 } satisfies EmbeddingsRequestParams,
    // @ts-expect-error of a batch's content
    { content: { parts: [] }, parts: [] } satisfies EmbedContentRequestParams,
    // @ts-expect-error misspelt
    { model: id, prompt: id, outputFormat: id } satisfies ImageRequestParams,
    // @ts-expect-error of another server
    { model: id, query: id, documents: [], texts: [] } satisfies CohereRerankRequestParams,
    // @ts-expect-error of another format
    { toolUse: { toolUseId: id, name: id, input: {}, arguments: id } } satisfies ConverseBlockParam,
    // @ts-expect-error of `inferenceConfig`
    { messages: [], maxTokens: 1 } satisfies ConverseRequestParams,
  ];
  expect(wrong).toHaveLength(16);
});
