import { formatFields } from '@model-gateway/canonical';

/** The members of `generationConfig` that are read as they are. */
export const generateContentConfig = {
  maxTokens: 'maxOutputTokens',
  temperature: 'temperature',
  topP: 'topP',
  topK: 'topK',
  stop: 'stopSequences',
  n: 'candidateCount',
  seed: 'seed',
  presencePenalty: 'presencePenalty',
  frequencyPenalty: 'frequencyPenalty',
} as const;

/** The fields that requests and errors name, by the canonical ones. */
export const generateContentFields = formatFields({
  messages: ['contents', 'systemInstruction'],
  tools: 'tools',
  toolChoice: 'toolConfig',
  ...Object.fromEntries(
    Object.entries(generateContentConfig).map(([path, name]) => [path, `generationConfig.${name}`]),
  ),
  reasoning: 'generationConfig.thinkingConfig',
  output: ['generationConfig.responseJsonSchema', 'generationConfig.responseMimeType'],
  logprobs: 'generationConfig.responseLogprobs',
  modalities: 'generationConfig.responseModalities',
});
