import type { ParameterName } from '../conversation/settings.ts';

/** The labels of the parameters, in the order in which they are shown. */
export const parameterLabels: Record<ParameterName, string> = {
  temperature: 'Temperature',
  topP: 'Top p',
  topK: 'Top k',
  maxTokens: 'Maximum output tokens',
  stop: 'Stop sequences',
  seed: 'Seed',
  presencePenalty: 'Presence penalty',
  frequencyPenalty: 'Frequency penalty',
  effort: 'Reasoning effort',
  reasoningBudget: 'Reasoning budget, in tokens',
  parallelToolCalls: 'Parallel tool calls',
};

/** The parameters that are numbers. */
export const numberNames = [
  'temperature',
  'topP',
  'topK',
  'maxTokens',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'reasoningBudget',
] as const satisfies ParameterName[];
export type NumberName = (typeof numberNames)[number];
