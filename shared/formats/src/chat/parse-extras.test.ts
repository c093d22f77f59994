import { expect, test } from 'vitest';
import { parse } from './parse.ts';

const extrasOf = (fields: object) =>
  parse({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...fields }).extras;

test.each([
  [{}],
  [
    {
      tools: [
        { type: 'function', function: { name: 'f' } },
        { type: 'custom', custom: { name: 'c' } },
      ],
    },
  ],
  [{ web_search_options: null, plugins: [], search_parameters: { mode: 'off' } }],
  [{ service_tier: 'auto' }],
  [{ service_tier: 'default' }],
  [{ service_tier: null }],
])('%j asks for nothing beside tokens', fields => {
  expect(extrasOf(fields)).toBeUndefined();
});

test.each([
  [{ web_search_options: {} }, [{ name: 'web_search', field: 'web_search_options' }]],
  [{ search_parameters: { mode: 'auto' } }, [{ name: 'web_search', field: 'search_parameters', own: true }]],
  [{ plugins: [{ id: 'web' }, { id: 'file-parser' }] }, [{ name: 'web_search' }, { name: 'file-parser' }]],
  [{ tools: [{ type: 'browser_search' }] }, [{ name: 'browser_search', field: 'tools', own: true }]],
])('%j asks for hosted tools', (fields, tools) => {
  expect(extrasOf(fields)).toMatchObject({ format: 'chat', tools });
});

test.each(['priority', 'flex', 'scale'])('the service tier %s is not the usual one', tier => {
  expect(extrasOf({ service_tier: tier })).toEqual({ format: 'chat', tier });
});
