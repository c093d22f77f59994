import type { WireFormat } from '../format.ts';
import { buildMessages } from './build.ts';
import { MessagesReader } from './read.ts';

/** `POST /v1/messages`. */
export const messages: WireFormat = {
  name: 'messages',
  label: 'Messages',
  build: ask => buildMessages(messages, ask),
  reader: () => new MessagesReader(),
  parameters: {
    temperature: { min: 0, max: 1, step: 0.1 },
    topP: { min: 0, max: 1, step: 0.05 },
    topK: { min: 1 },
    maxTokens: { min: 1 },
    stop: {},
    effort: { values: ['none', 'low', 'medium', 'high', 'xhigh', 'max'] },
    reasoningBudget: { min: 1_024 },
    parallelToolCalls: {},
  },
  refuses: ({ kind }) => (kind === 'audio' ? 'The messages format takes no audio.' : undefined),
};
