import type { Sent } from '../conversation/history.ts';
import { noSettings, type Settings } from '../conversation/settings.ts';
import type { Ask } from '../formats/format.ts';

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

/** Settings with a value for each parameter. */
const everySetting: Settings = {
  ...noSettings,
  system: 'Be kind.',
  temperature: 0.5,
  topP: 0.9,
  topK: 5,
  maxTokens: 100,
  stop: ['END'],
  seed: 7,
  presencePenalty: 1,
  frequencyPenalty: -1,
  effort: 'low',
  tools: [{ name: 'weather', description: 'The weather', schema: JSON.stringify(schema) }],
  toolChoice: 'tool:weather',
  parallelToolCalls: false,
  output: 'schema',
  outputSchema: '{"type": "object"}',
  outputName: 'answer',
};

/** A conversation with a file, reasoning that each format signed, a call, its failed result and a text. */
const everyPart: Sent[] = [
  {
    role: 'user',
    parts: [
      { type: 'text', text: 'Look' },
      { type: 'media', kind: 'image', name: 'a.png', mediaType: 'image/png', data: 'aW1n' },
      { type: 'media', kind: 'document', name: 'a.txt', mediaType: 'text/plain', data: 'dGV4dA==' },
    ],
  },
  {
    role: 'assistant',
    parts: [
      { type: 'reasoning', text: 'c', seal: { format: 'chat', value: null } },
      {
        type: 'reasoning',
        text: 'm',
        seal: { format: 'messages', value: { type: 'thinking', thinking: 'm', signature: 's' } },
      },
      {
        type: 'reasoning',
        text: 'r',
        seal: {
          format: 'responses',
          value: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'e' },
        },
      },
      {
        type: 'tool-call',
        id: 'c1',
        name: 'weather',
        arguments: '{"city":"Oslo"}',
        seal: { format: 'generate-content', value: 'sig' },
      },
    ],
  },
  {
    role: 'user',
    parts: [
      { type: 'tool-result', callId: 'c1', name: 'weather', text: 'offline', isError: true },
      { type: 'text', text: 'So?' },
    ],
  },
];

export const everything: Ask = { model: 'a/b', turns: everyPart, settings: everySetting };
/** A question without any setting. */
export const plain: Ask = {
  model: 'm',
  turns: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
  settings: noSettings,
};
