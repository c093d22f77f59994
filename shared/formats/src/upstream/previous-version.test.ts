import type { GenerateRequest, Message, Tool } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { completeRequest } from './previous-version.ts';

const user: Message = { role: 'user', content: [{ type: 'text', text: 'Hi' }] };
const assistant: Message = { role: 'assistant', content: [{ type: 'text', text: 'So' }] };
const request: GenerateRequest = { messages: [user] };

test("a request of a messages client gets its format's traits", () => {
  expect(completeRequest(request, 'messages')).toEqual({
    ...request,
    userFirst: true,
    signaturesBefore: true,
  });
  const prefilled = completeRequest({ messages: [user, assistant] }, 'messages');
  expect(prefilled.continuesLastTurn).toBe(true);
});

test('requests of formats without such traits stay as they are', () => {
  for (const format of ['chat', 'responses', 'completions', 'realtime'] as const) {
    expect(completeRequest(request, format)).toEqual(request);
    expect(completeRequest({ messages: [user, assistant] }, format).continuesLastTurn).toBeUndefined();
  }
  expect(completeRequest(request, 'generate-content')).toEqual({ ...request, userFirst: true });
});

test('what is only in the fields of a format becomes canonical', () => {
  const chat = { chat: { prompt_cache_key: 'k' } };
  expect(completeRequest({ ...request, extensions: chat }, 'chat').cacheKey).toBe('k');
  const messages = { messages: { mcp_servers: [{}], container: null, thinking: [] } };
  expect(completeRequest({ ...request, extensions: messages }, 'messages').vendorFields).toEqual({
    format: 'messages',
    names: ['mcp_servers'],
  });
});

test.each<[Tool, object]>([
  [
    { type: 'web-search', own: { format: 'messages', value: { name: 'find', allowed_domains: ['a.b'] } } },
    { choiceName: 'find', allowedDomains: ['a.b'] },
  ],
  [
    { type: 'web-search', own: { format: 'responses', value: { filters: { blocked_domains: ['a.b'] } } } },
    { blockedDomains: ['a.b'] },
  ],
  [
    { type: 'web-search', own: { format: 'chat', value: { search_context_size: 'low' } } },
    { contextSize: 'low' },
  ],
  [{ type: 'web-search', own: { format: 'messages', value: { allowed_domains: [] } } }, {}],
])('a web search keeps its bounds: %j', (tool, bounds) => {
  const { tools } = completeRequest({ ...request, tools: [tool] }, 'chat');
  expect(tools).toEqual([{ ...tool, ...bounds }]);
});
