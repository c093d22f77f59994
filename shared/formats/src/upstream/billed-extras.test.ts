import { readAll } from '@model-gateway/canonical/testing/events';
import { expect, test } from 'vitest';
import { WholeDecoder as ChatDecoder } from '../chat/decode.ts';
import { WholeDecoder as GenerateContentDecoder } from '../generate-content/decode.ts';
import { WholeDecoder as MessagesDecoder } from '../messages/decode.ts';
import { WholeDecoder as ResponsesDecoder } from '../responses/decode.ts';
import type { Decoder } from './dialect.ts';

function usageIn(decoder: Decoder, answer: object) {
  const last = readAll(decoder, JSON.stringify(answer), 1e9).at(-1);
  return last?.type === 'finish' ? last.usage : last;
}

test('the searches and the service tier of a response are read', () => {
  const search = { type: 'web_search_call', id: 'ws', status: 'completed' };
  const answer = {
    ...{ object: 'response', id: 'r', model: 'm', status: 'completed', service_tier: 'priority' },
    output: [
      { ...search, action: { type: 'search', query: 'a' } },
      { ...search, action: { type: 'open_page', url: 'https://a.com' } },
      search,
    ],
    usage: { input_tokens: 1, output_tokens: 2 },
  };
  expect(usageIn(new ResponsesDecoder(), answer)).toMatchObject({
    ...{ input: 1, output: 2, tier: 'priority', units: { webSearches: 2 } },
  });
});

test('the searches and the service tier of a message are read', () => {
  const usage = {
    ...{ input_tokens: 1, output_tokens: 2, service_tier: 'standard' },
    server_tool_use: { web_search_requests: 3 },
  };
  const answer = { type: 'message', id: 'm', model: 'm', content: [], stop_reason: 'end_turn', usage };
  expect(usageIn(new MessagesDecoder(), answer)).toMatchObject({
    ...{ input: 1, tier: 'standard', units: { webSearches: 3 } },
  });
});

test('the searches of generate content are read', () => {
  const answer = {
    candidates: [
      {
        content: { role: 'model', parts: [{ text: 'Hi' }] },
        finishReason: 'STOP',
        groundingMetadata: { webSearchQueries: ['a', 'b'] },
      },
    ],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2 },
  };
  expect(usageIn(new GenerateContentDecoder(), answer)).toMatchObject({ units: { webSearches: 2 } });
});

test('the service tier of a chat completion is read', () => {
  const answer = {
    service_tier: 'flex',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 2 },
  };
  expect(usageIn(new ChatDecoder(), answer)).toMatchObject({ input: 1, tier: 'flex' });
  expect(usageIn(new ChatDecoder(), { ...answer, service_tier: null })).not.toHaveProperty('tier');
});
