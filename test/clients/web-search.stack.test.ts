import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FourUpstreams, startFourUpstreams } from './four-upstreams.ts';

let gateway: FourUpstreams;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  gateway = await startFourUpstreams();
  const { url, token: apiKey } = gateway.stack;
  openai = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: url, apiKey, maxRetries: 0 });
});
afterAll(() => gateway?.stop());

const messages = [{ role: 'user' as const, content: 'Search the web for the gateway' }];
const place = { city: 'Oslo', country: 'NO', timezone: 'Europe/Oslo' };
const page = { url: 'https://gateway.example/docs', title: 'The gateway' };

test('a chat request returns the web search of messages, with annotations on the cited text', async () => {
  const request = {
    model: 'messages/sim-fast',
    messages,
    web_search_options: {
      search_context_size: 'low' as const,
      user_location: { type: 'approximate' as const, approximate: place },
    },
  };
  const { choices } = await openai.chat.completions.create(request);
  const location = { type: 'approximate', ...place };
  const tool = { type: 'web_search_20250305', name: 'web_search', user_location: location };
  expect(gateway.received()).toMatchObject({ tools: [tool] });
  const { content, annotations } = choices[0]?.message ?? {};
  const cited = { ...page, start_index: 0, end_index: content?.length };
  expect(annotations).toEqual([{ type: 'url_citation', url_citation: cited }]);
  const chunks = await Array.fromAsync(await openai.chat.completions.create({ ...request, stream: true }));
  const streamed = chunks.flatMap(chunk => {
    const delta = chunk.choices[0]?.delta as { annotations?: unknown[] } | undefined;
    return delta?.annotations ?? [];
  });
  expect(streamed).toEqual(annotations);
});

test('a messages request returns the web search of chat, with citations that can be sent back', async () => {
  const tool: Anthropic.WebSearchTool20250305 = {
    type: 'web_search_20250305',
    name: 'web_search',
    max_uses: 3,
    user_location: { type: 'approximate', ...place },
  };
  const request = { model: 'chat/sim-fast', max_tokens: 500, messages, tools: [tool] };
  const whole = await anthropic.messages.create(request);
  expect(gateway.received().web_search_options).toEqual({
    user_location: { type: 'approximate', approximate: place },
  });
  const citation = { type: 'web_search_result_location', ...page };
  expect(whole.content).toMatchObject([{ type: 'text', citations: [citation] }]);
  const streamed = await anthropic.messages.stream(request).finalMessage();
  expect(streamed.content).toEqual(whole.content);
  const history: Anthropic.MessageParam[] = [
    ...messages,
    { role: 'assistant', content: whole.content as Anthropic.ContentBlockParam[] },
    { role: 'user', content: 'Go on' },
  ];
  await anthropic.messages.create({ ...request, model: 'messages/sim-fast', messages: history });
  // Without the vendor's encrypted index, its own citations would be refused.
  expect(JSON.stringify(gateway.received().messages)).not.toContain('citations');
});

test("a messages search with a list of sites is refused by the field's name in chat", async () => {
  const tool: Anthropic.WebSearchTool20250305 = {
    type: 'web_search_20250305',
    name: 'web_search',
    allowed_domains: ['gateway.example'],
  };
  const request = { model: 'chat/sim-fast', max_tokens: 500, messages, tools: [tool] };
  const refused = anthropic.messages.create(request);
  await expect(refused).rejects.toThrow(/400 .*allowed_domains/);
  const { content } = await anthropic.messages.create({ ...request, model: 'messages/sim-fast' });
  expect(content.length).toBeGreaterThan(0);
});
