import { formatFields } from '@model-gateway/canonical';

/** The fields that requests and errors name, by the canonical ones. */
export const generateContentFields = formatFields({
  messages: ['contents', 'systemInstruction'],
  tools: 'tools',
  toolChoice: 'toolConfig',
  maxTokens: 'generationConfig.maxOutputTokens',
  temperature: 'generationConfig.temperature',
  topP: 'generationConfig.topP',
  topK: 'generationConfig.topK',
  stop: 'generationConfig.stopSequences',
  reasoning: 'generationConfig.thinkingConfig',
  output: ['generationConfig.responseJsonSchema', 'generationConfig.responseMimeType'],
  n: 'generationConfig.candidateCount',
  seed: 'generationConfig.seed',
  presencePenalty: 'generationConfig.presencePenalty',
  frequencyPenalty: 'generationConfig.frequencyPenalty',
  logprobs: 'generationConfig.responseLogprobs',
  modalities: 'generationConfig.responseModalities',
});
