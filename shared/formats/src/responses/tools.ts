import { z } from 'zod';
import { limitedToolChoice, plainToolChoice } from '../chat/tools.ts';
import { type Closed, jsonObject as object, objectOrEmptyList } from '../values/schemas.ts';

const text = z.string();

/** A function that the client runs; its fields are not nested. */
export const responsesFunctionTool = z.looseObject({
  type: z.literal('function'),
  name: text.min(1),
  description: text.nullish(),
  parameters: objectOrEmptyList(object).nullish(),
  strict: z.boolean().nullish(),
});
export type ResponsesFunctionTool = z.infer<typeof responsesFunctionTool>;

/** A tool that the client runs with free text or text of a grammar as input. */
export const responsesCustomTool = z.looseObject({
  type: z.literal('custom'),
  name: text.min(1),
  description: text.nullish(),
  format: z.looseObject({ type: text, syntax: text.nullish(), definition: text.nullish() }).nullish(),
});
export type ResponsesCustomTool = z.infer<typeof responsesCustomTool>;

/** Tools under a common namespace; a call holds both names. */
export const responsesNamespaceTool = z.looseObject({
  type: z.literal('namespace'),
  name: text.min(1),
  description: text.nullish(),
  tools: z.array(z.discriminatedUnion('type', [responsesFunctionTool, responsesCustomTool])),
});

const place = text.min(1).optional().catch(undefined);

/** The vendor's web search. Malformed members count as not set. */
export const responsesWebSearchTool = z.looseObject({
  type: z.enum([
    'web_search',
    'web_search_2025_08_26',
    'web_search_preview',
    'web_search_preview_2025_03_11',
  ]),
  /** False restricts the search to the vendor's cache. */
  external_web_access: z.boolean().nullish().catch(null),
  filters: z
    .looseObject({ allowed_domains: z.array(text).nullish() })
    .nullish()
    .catch(null),
  user_location: z
    .looseObject({ city: place, country: place, region: place, timezone: place })
    .nullish()
    .catch(null),
});

/** Finds tools that are not offered yet. The client runs it if `execution` is `client`, else the vendor. */
export const responsesToolSearch = z.looseObject({
  type: z.literal('tool_search'),
  execution: text.nullish(),
  description: text.nullish(),
  parameters: object.nullish(),
});

const vendorTools = [
  'file_search',
  'code_interpreter',
  'image_generation',
  'mcp',
  'computer',
  'computer_use_preview',
  'local_shell',
  'shell',
  'apply_patch',
  'programmatic_tool_calling',
] as const;
/** Tools that the vendor runs, except web search. */
export const responsesHostedTools = [...vendorTools, 'tool_search'] as const;

export const responsesTool = z.discriminatedUnion('type', [
  responsesFunctionTool,
  responsesCustomTool,
  responsesNamespaceTool,
  responsesWebSearchTool,
  responsesToolSearch,
  z.looseObject({ type: z.enum(vendorTools) }),
]);
export type ResponsesTool = z.infer<typeof responsesTool>;

export const responsesToolChoice = z.union(
  [
    plainToolChoice,
    z.looseObject({ type: z.enum(['function', 'custom']), name: text, namespace: text.nullish() }),
    z.looseObject({
      type: z.literal('allowed_tools'),
      mode: limitedToolChoice,
      tools: z.array(z.looseObject({ type: text, name: text.nullish(), namespace: text.nullish() })),
    }),
    /** A tool that the vendor runs, by its type. */
    z.looseObject({
      type: z
        .string()
        .refine(type => !['function', 'custom', 'allowed_tools'].includes(type), { abort: true }),
    }),
  ],
  { error: "'none', 'auto', 'required' or an object that names tools" },
);
export type ResponsesToolChoice = z.infer<typeof responsesToolChoice>;

type Location = NonNullable<Closed<z.infer<typeof responsesWebSearchTool>>['user_location']>;
/** The vendor's web search as the gateway writes it (`WebSearchTool` in OpenAI's SDK). */
export interface ResponsesWebSearchParam {
  type: 'web_search';
  user_location?: Location & { type: 'approximate' };
  /** A client's value, which only the upstream checks. */
  search_context_size?: unknown;
  filters?: { allowed_domains: string[] };
}

export type ResponsesCustomToolParam = Closed<ResponsesCustomTool>;
export type ResponsesToolParam =
  | Closed<ResponsesFunctionTool>
  | ResponsesCustomToolParam
  | ResponsesWebSearchParam;

/** A tool by its name, or by its type if the vendor runs it. */
export type ResponsesToolReference = { type: 'function' | 'custom'; name: string } | { type: 'web_search' };

/** The choice among the tools as the gateway writes it. */
export type ResponsesToolChoiceParam =
  | z.infer<typeof plainToolChoice>
  | ResponsesToolReference
  | { type: 'allowed_tools'; mode: z.infer<typeof limitedToolChoice>; tools: ResponsesToolReference[] };
