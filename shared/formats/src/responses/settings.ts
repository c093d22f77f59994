import { z } from 'zod';
import { knownEfforts } from '../chat/thinking.ts';
import { jsonObject as object } from '../values/json-object.ts';

const text = z.string();

export const responsesVerbosities = ['low', 'medium', 'high'] as const;

export const responsesReasoning = z.looseObject({
  effort: z.enum(knownEfforts).nullish(),
  summary: text.nullish(),
  /** The older name of `summary`. */
  generate_summary: text.nullish(),
});
export type ResponsesReasoning = z.infer<typeof responsesReasoning>;

/** Format of the text; the fields of a schema are not nested. */
export const responsesFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    name: text,
    schema: object,
    strict: z.boolean().nullish(),
    description: text.nullish(),
  }),
]);
export type ResponsesFormat = z.infer<typeof responsesFormat>;

/** Settings of the text. */
export const responsesText = z.looseObject({
  format: responsesFormat.nullish(),
  verbosity: z.enum(responsesVerbosities).nullish(),
});
