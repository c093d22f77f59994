import { expect, test } from 'vitest';
import { parseWhole } from './parse.ts';

function extrasOf(fields: object) {
  const body = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], ...fields };
  const text = Buffer.from(JSON.stringify(body));
  const parsed = parseWhole(body, {}, text, '/v1beta/models/m:generateContent');
  return 'extras' in parsed ? parsed.extras : undefined;
}

test.each([
  [{}],
  [{ tools: [{ functionDeclarations: [{ name: 'f' }] }, { computerUse: {} }, { googleSearch: null }] }],
  [{ serviceTier: 'standard' }],
])('%j asks for nothing beside tokens', fields => {
  expect(extrasOf(fields)).toBeUndefined();
});

test.each([
  [{ tools: [{ googleSearch: {} }] }, { name: 'web_search', field: 'tools' }],
  [{ tools: [{ google_search: {} }] }, { name: 'web_search', field: 'tools' }],
  [{ tools: [{ codeExecution: {} }] }, { name: 'code_execution', field: 'tools', own: true }],
  [{ tools: [{ urlContext: {} }] }, { name: 'url_context', field: 'tools', own: true }],
])('%j asks for a hosted tool', (fields, expected) => {
  expect(extrasOf(fields)).toEqual({ format: 'generate-content', tools: [expected] });
});

test.each(['priority', 'flex', 'PRIORITY'])('the service tier %s is not the usual one', serviceTier => {
  expect(extrasOf({ serviceTier })).toEqual({ format: 'generate-content', tier: serviceTier.toLowerCase() });
});
