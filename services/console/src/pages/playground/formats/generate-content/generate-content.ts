import type { WireFormat } from '../format.ts';
import { buildGenerateContent } from './build.ts';
import { GenerateContentReader } from './read.ts';

/** `POST /v1beta/models/<model>:streamGenerateContent`. */
export const generateContent: WireFormat = {
  name: 'generate-content',
  label: 'Generate content',
  build: ask => buildGenerateContent(generateContent, ask),
  reader: () => new GenerateContentReader(),
  parameters: {
    temperature: { min: 0, max: 2, step: 0.1 },
    topP: { min: 0, max: 1, step: 0.05 },
    topK: { min: 1 },
    maxTokens: { min: 1 },
    stop: { most: 5 },
    seed: {},
    presencePenalty: { min: -2, max: 2, step: 0.1 },
    frequencyPenalty: { min: -2, max: 2, step: 0.1 },
    effort: { values: ['none', 'minimal', 'low', 'medium', 'high'] },
    reasoningBudget: { min: 0 },
  },
  refuses: () => undefined,
};
