import { expect, test } from 'vitest';
import { billedExtras, extrasOf, type RequestExtras } from './envelope.ts';

const tools = [
  { name: 'web_search', field: 'tools' },
  { name: 'mcp', field: 'tools', own: true as const },
];
const extras: RequestExtras = { format: 'responses', tools, tier: 'priority' };
const own = { body: 'verbatim', format: 'responses', drop: [] } as const;

test("a target of the request's format gets all tools and the tier", () => {
  expect(billedExtras(extras, own)).toEqual({ hostedTools: ['web_search', 'mcp'], serviceTier: 'priority' });
});

test('a target of another format gets what is translated', () => {
  const other = { body: 'canonical', format: 'chat', drop: [] } as const;
  expect(billedExtras(extras, other)).toEqual({ hostedTools: ['web_search'], serviceTier: 'priority' });
  expect(billedExtras({ ...extras, tier: 'scale' }, other)).toEqual({ hostedTools: ['web_search'] });
  expect(billedExtras(extras, { ...other, format: 'messages' })).toEqual({ hostedTools: ['web_search'] });
});

test('what is dropped is not billed', () => {
  expect(billedExtras(extras, { ...own, drop: ['tools', 'service_tier'] })).toEqual({});
  expect(billedExtras(extras, { ...own, drop: ['web_search_options'] })).toMatchObject({
    hostedTools: ['mcp'],
  });
});

test('a request with the usual tier and no hosted tool has no extras', () => {
  expect([extrasOf('chat', [], 'auto'), extrasOf('chat', [], undefined), extrasOf('chat', [], 7)]).toEqual([
    {},
    {},
    {},
  ]);
});
