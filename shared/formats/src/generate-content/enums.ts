import type { Effort, ToolChoice } from '@model-gateway/canonical';
import { z } from 'zod';
import type { ValueTable } from '../values/value-table.ts';

/*
 * Enums of a generate-content request, indexed by the numbers in Google's published protocol buffers
 * (google.ai.generativelanguage.v1beta). JSON of protocol buffers holds a value's name or its number; clients
 * that send `$alt=json;enum-encoding=int` write numbers.
 */

export const generateContentSchemaTypes = names(
  'TYPE_UNSPECIFIED STRING NUMBER INTEGER BOOLEAN ARRAY OBJECT NULL',
);
export const generateContentCallingModes = ['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'] as const;
/** The modes of tool choices. A function that must be called is the one name of `ANY`; `VALIDATED` is `AUTO` with names. */
export const callingModes = {
  auto: 'AUTO',
  required: 'ANY',
  none: 'NONE',
} as const satisfies ValueTable<Exclude<ToolChoice['type'], 'tool'>>;
export const generateContentModalities = names('MODALITY_UNSPECIFIED TEXT IMAGE AUDIO');
export const generateContentMediaResolutions = names(
  'MEDIA_RESOLUTION_UNSPECIFIED MEDIA_RESOLUTION_LOW MEDIA_RESOLUTION_MEDIUM MEDIA_RESOLUTION_HIGH',
);
/** `MINIMAL` is newer than the published numbers. */
export const generateContentLevels = names('THINKING_LEVEL_UNSPECIFIED LOW MEDIUM HIGH');
/** The levels of thinking, the least first. Each model accepts some of them. */
export const thinkingLevels = {
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
} as const satisfies Partial<Record<Effort, string>>;
export type ThinkingLevel = keyof typeof thinkingLevels;
export const generateContentHarmCategories = names(
  'HARM_CATEGORY_UNSPECIFIED HARM_CATEGORY_DEROGATORY HARM_CATEGORY_TOXICITY HARM_CATEGORY_VIOLENCE ' +
    'HARM_CATEGORY_SEXUAL HARM_CATEGORY_MEDICAL HARM_CATEGORY_DANGEROUS HARM_CATEGORY_HARASSMENT ' +
    'HARM_CATEGORY_HATE_SPEECH HARM_CATEGORY_SEXUALLY_EXPLICIT HARM_CATEGORY_DANGEROUS_CONTENT ' +
    'HARM_CATEGORY_CIVIC_INTEGRITY',
);
export const generateContentBlockThresholds = names(
  'HARM_BLOCK_THRESHOLD_UNSPECIFIED BLOCK_LOW_AND_ABOVE BLOCK_MEDIUM_AND_ABOVE BLOCK_ONLY_HIGH BLOCK_NONE OFF',
);
/** Block methods belong to the vendor's other API; clients of both send them. */
export const generateContentBlockMethods = names('HARM_BLOCK_METHOD_UNSPECIFIED SEVERITY PROBABILITY');
export const generateContentCodeLanguages = names('LANGUAGE_UNSPECIFIED PYTHON');
export const generateContentCodeOutcomes = names(
  'OUTCOME_UNSPECIFIED OUTCOME_OK OUTCOME_FAILED OUTCOME_DEADLINE_EXCEEDED',
);
export const generateContentTaskTypes = names(
  'TASK_TYPE_UNSPECIFIED RETRIEVAL_QUERY RETRIEVAL_DOCUMENT SEMANTIC_SIMILARITY CLASSIFICATION CLUSTERING ' +
    'QUESTION_ANSWERING FACT_VERIFICATION CODE_RETRIEVAL_QUERY',
);

/** Returns the name of a value that may be a number; an unknown number becomes its digits. */
export function enumName(values: readonly string[], value: unknown): unknown {
  if (typeof value !== 'number' || !Number.isInteger(value)) return value;
  return values[value] ?? String(value);
}

/** A schema that parses an enum's name or number to its name. */
export function generateContentEnum(values: readonly string[]) {
  return z.preprocess(value => enumName(values, value), z.string());
}

/** Splits a list of names, numbered from 0. */
function names(list: string): readonly string[] {
  return list.split(' ');
}
