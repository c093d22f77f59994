import { z } from 'zod';
import { type Closed, isJsonObject, jsonObject as object, objectOrEmptyList } from '../values/schemas.ts';
import { cacheBreakpoints, cacheControl } from './turns.ts';

const text = z.string();

export const functionTool = z.looseObject({
  name: text,
  description: text.nullish(),
  parameters: objectOrEmptyList(object).nullish(),
  strict: z.boolean().nullish(),
  cache_control: cacheControl.nullish(),
});

export const chatTool = z.preprocess(
  withType,
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('function'), function: functionTool, ...cacheBreakpoints }),
    z.looseObject({
      type: z.literal('custom'),
      custom: z.looseObject({ name: text, description: text.nullish(), format: object.nullish() }),
    }),
  ]),
);
export type ChatTool = z.infer<typeof chatTool>;
export type ChatToolParam = Closed<ChatTool>;

/** Adds the type of a tool by what it has: Mistral's SDK sends functions without one. */
function withType(tool: unknown): unknown {
  if (!isJsonObject(tool)) return tool;
  const { type, function: fn, custom } = tool as Record<string, unknown>;
  if (type !== undefined && type !== null) return tool;
  if (fn) return { ...(tool as object), type: 'function' };
  return custom ? { ...(tool as object), type: 'custom' } : tool;
}

export const named = z.looseObject({ name: text });

/** The tool choices of OpenAI's formats that name no tool, and those of them that may be among some tools only. */
export const plainToolChoice = z.enum(['none', 'auto', 'required']);
export const limitedToolChoice = plainToolChoice.exclude(['none']);

export const chatToolChoice = z.union(
  [
    plainToolChoice,
    z.discriminatedUnion('type', [
      z.looseObject({ type: z.literal('function'), function: named }),
      z.looseObject({ type: z.literal('custom'), custom: named }),
      z.looseObject({
        type: z.literal('allowed_tools'),
        allowed_tools: z.looseObject({
          mode: limitedToolChoice,
          tools: z.array(z.looseObject({ function: named.nullish(), custom: named.nullish() })),
        }),
      }),
    ]),
  ],
  { error: "'none', 'auto', 'required' or an object that names tools" },
);
export type ChatToolChoice = z.infer<typeof chatToolChoice>;
export type ChatToolChoiceParam = Closed<ChatToolChoice>;

const place = text.min(1).optional().catch(undefined);

/** Settings of web search, which is not a tool in this format. Malformed members count as not set. */
export const chatWebSearchOptions = z.looseObject({
  user_location: z
    .looseObject({
      approximate: z.looseObject({ city: place, country: place, region: place, timezone: place }),
    })
    .optional()
    .catch(undefined),
});
export type ChatWebSearchOptions = z.infer<typeof chatWebSearchOptions>;

type Location = NonNullable<Closed<ChatWebSearchOptions>['user_location']>;
/** The options as the gateway writes them (`WebSearchOptions` in OpenAI's SDK). */
export interface ChatWebSearchParam {
  user_location?: Location & { type: 'approximate' };
}
