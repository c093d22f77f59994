import { GatewayError, type WireFormat } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { inClientTerms } from './client-terms.ts';

test.each<[string, WireFormat, string]>([
  ['stop', 'messages', 'stop_sequences'],
  ['stop_sequences', 'chat', 'stop'],
  ['max_tokens', 'chat', 'max_completion_tokens'],
  ['max_completion_tokens', 'messages', 'max_tokens'],
  ['response_format', 'messages', 'output_config.format'],
  ['response_format.json_schema', 'messages', 'output_config.format.json_schema'],
  ['messages[0].role', 'messages', 'messages[0].role'],
  ['messages', 'generate-content', 'contents'],
  ['stopped', 'messages', 'stopped'],
  ['tools', 'messages', 'tools'],
  ['input[3]', 'embed-content', 'requests[3]'],
  ['dimensions', 'embed-content', 'outputDimensionality'],
  ['output_dimension', 'embeddings', 'dimensions'],
  ['requests[3].content.parts[0]', 'embeddings', 'input[3]'],
  ['requests[0].outputDimensionality', 'embeddings', 'dimensions'],
  ['requests[0].content', 'embed-content', 'requests[0].content'],
  ['texts[1]', 'rerank', 'documents[1]'],
])('the error field %s becomes, for a client of %s, %s', (param, format, expected) => {
  const error = new GatewayError('invalid-request', `Invalid '${param}': no.`, { param });
  expect(inClientTerms(error, format)).toMatchObject({
    message: `Invalid '${expected}': no.`,
    details: { param: expected },
  });
});

test('an error about a long prompt starts with "prompt is too long" for clients of messages', () => {
  const error = (message: string) =>
    new GatewayError('invalid-request', message, { code: 'context_length_exceeded' });
  const upstream = "This model's maximum context length is 10 tokens.";
  expect(inClientTerms(error(upstream), 'messages').message).toBe(`prompt is too long: ${upstream}`);
  expect(inClientTerms(error(upstream), 'chat').message).toBe(upstream);
  const prefixed = 'prompt is too long: 11 tokens > 10 maximum';
  expect(inClientTerms(error(prefixed), 'messages').message).toBe(prefixed);
});
