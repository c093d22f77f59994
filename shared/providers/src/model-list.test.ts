import { expect, test } from 'vitest';
import {
  anthropicModels,
  cohereModels,
  deepgramModels,
  geminiModels,
  openaiModels,
  teiModels,
} from './model-list.ts';

test.each([
  ['OpenAI', openaiModels, { object: 'list', data: [{ id: 'a' }, { id: 'b' }] }, { names: ['a', 'b'] }],
  ['a list alone', openaiModels, [{ id: 'a' }, { other: 1 }], { names: ['a'] }],
  [
    'Anthropic',
    anthropicModels,
    { data: [{ type: 'model', id: 'a' }], has_more: true, first_id: 'a', last_id: 'a' },
    { names: ['a'], next: { limit: '1000', after_id: 'a' } },
  ],
  ['the last page of Anthropic', anthropicModels, { data: [{ id: 'b' }], has_more: false }, { names: ['b'] }],
  [
    'Gemini',
    geminiModels,
    { models: [{ name: 'models/a' }], nextPageToken: 't' },
    { names: ['a'], next: { pageSize: '1000', pageToken: 't' } },
  ],
  ['an empty list of Gemini', geminiModels, {}, { names: [] }],
  [
    'Cohere',
    cohereModels,
    { models: [{ name: 'a' }], next_page_token: 't' },
    { names: ['a'], next: { page_size: '1000', page_token: 't' } },
  ],
  [
    'Deepgram',
    deepgramModels,
    {
      stt: [
        { name: 'general', canonical_name: 'nova-3-general', batch: true },
        { name: 'general', canonical_name: 'nova-3-general', languages: ['de'] },
        { name: 'flux', canonical_name: 'flux-general-en', batch: false },
      ],
      tts: [{ name: 'zeus', canonical_name: 'aura-zeus-en' }],
    },
    { names: ['nova-3-general'] },
  ],
  ['TEI', teiModels, { model_id: 'BAAI/bge', max_input_length: 512 }, { names: ['BAAI/bge'] }],
])('the page of %s is read', (_, list, page, read) => {
  expect(list.read(page)).toEqual(read);
});

test.each([openaiModels, anthropicModels, geminiModels, cohereModels, deepgramModels, teiModels])(
  'what is no list of models is not taken for an empty one: $path',
  list => {
    for (const page of ['text', null, 1, { error: 'no', models: 1 }]) expect(list.read(page)).toBeUndefined();
  },
);
