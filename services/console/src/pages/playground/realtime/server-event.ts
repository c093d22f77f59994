import { z } from 'zod/mini';

const text = z.optional(z.string());
const count = z.optional(z.number());
const details = z.optional(z.object({ audio_tokens: count, image_tokens: count, cached_tokens: count }));

const usage = z.object({
  input_tokens: z.number(),
  output_tokens: z.number(),
  input_token_details: details,
  output_token_details: details,
});
export type ResponseUsage = z.infer<typeof usage>;

const part = z.looseObject({
  type: z.string(),
  text: z.nullish(z.string()),
  transcript: z.nullish(z.string()),
});

const item = z.object({
  id: z.string(),
  type: z.string(),
  role: text,
  status: z.nullish(z.string()),
  content: z.optional(z.array(part)),
});
export type Item = z.infer<typeof item>;

const fault = z.object({ message: z.nullish(z.string()), code: z.nullish(z.string()) });

const response = z.object({
  id: z.string(),
  status: text,
  status_details: z.nullish(z.object({ reason: z.nullish(z.string()), error: z.nullish(fault) })),
  usage: z.nullish(usage),
});
export type ResponseObject = z.infer<typeof response>;

const session = z.object({
  output_modalities: z.optional(z.array(z.string())),
  audio: z.optional(
    z.object({
      input: z.optional(z.object({ turn_detection: z.nullish(z.object({ type: z.string() })) })),
      output: z.optional(
        z.object({
          voice: z.optional(z.union([z.string(), z.object({ id: z.string() })])),
          speed: count,
        }),
      ),
    }),
  ),
});
export type SessionObject = z.infer<typeof session>;

/** An event of the gateway with the fields that the tab reads. Any type and further fields may occur. */
const serverEvent = z.object({
  type: z.string(),
  session: z.optional(session),
  item: z.optional(item),
  response: z.optional(response),
  error: z.optional(fault),
  part: z.optional(part),
  response_id: text,
  item_id: text,
  content_index: count,
  previous_item_id: z.nullish(z.string()),
  delta: text,
  text: text,
  transcript: text,
});
export type ServerEvent = z.infer<typeof serverEvent>;

/** Parses a message of the gateway; undefined if it is no event. */
export function parseServerEvent(message: string): ServerEvent | undefined {
  try {
    return serverEvent.safeParse(JSON.parse(message)).data;
  } catch {
    return undefined;
  }
}
