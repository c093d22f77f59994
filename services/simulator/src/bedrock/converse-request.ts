import { z } from 'zod';

const text = z.strictObject({ text: z.string() });
const source = z.union([
  z.strictObject({ bytes: z.base64() }),
  z.strictObject({ s3Location: z.strictObject({ uri: z.string().startsWith('s3://') }) }),
]);
const image = z.strictObject({
  image: z.strictObject({ format: z.enum(['png', 'jpeg', 'gif', 'webp']), source }),
});
const document = z.strictObject({
  document: z.strictObject({
    format: z.enum(['pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md']),
    name: z
      .string()
      .min(1)
      .max(200)
      .regex(/^(?!.*\s\s)[a-zA-Z0-9\s()[\]-]+$/),
    source,
  }),
});
const audio = z.strictObject({ audio: z.strictObject({ format: z.string(), source }) });
const cachePoint = z.strictObject({
  cachePoint: z.strictObject({ type: z.literal('default'), ttl: z.enum(['5m', '1h']).optional() }),
});
const id = z.string().regex(/^[a-zA-Z0-9_.:-]{1,64}$/);
const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const anyObject = z.record(z.string(), z.unknown());
const toolUse = z.strictObject({
  toolUse: z.strictObject({ toolUseId: id, name: toolName, input: anyObject }),
});
const toolResult = z.strictObject({
  toolResult: z.strictObject({
    toolUseId: id,
    content: z.array(z.union([text, image, document])).min(1),
    status: z.enum(['success', 'error']).optional(),
  }),
});
const reasoning = z.strictObject({
  reasoningContent: z.union([
    z.strictObject({ reasoningText: z.strictObject({ text: z.string(), signature: z.string().optional() }) }),
    z.strictObject({ redactedContent: z.base64() }),
  ]),
});

const block = z.union([text, image, document, audio, toolUse, toolResult, reasoning, cachePoint]);
export type ConverseBlock = z.infer<typeof block>;

const turn = z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(block).min(1) });
export type ConverseTurn = z.infer<typeof turn>;

const toolSpec = z.strictObject({
  toolSpec: z.strictObject({
    name: toolName,
    description: z.string().min(1).optional(),
    inputSchema: z.strictObject({ json: anyObject }),
    strict: z.boolean().optional(),
  }),
});

/** A request of Converse, as far as the simulator takes it. */
export const converseRequest = z.strictObject({
  messages: z.array(turn).min(1),
  system: z.array(z.union([text, cachePoint])).optional(),
  inferenceConfig: z
    .strictObject({
      maxTokens: z.int().min(1).optional(),
      temperature: z.number().min(0).max(1).optional(),
      topP: z.number().min(0).max(1).optional(),
      stopSequences: z.array(z.string().min(1)).optional(),
    })
    .optional(),
  toolConfig: z
    .strictObject({
      tools: z.array(z.union([toolSpec, cachePoint])).min(1),
      toolChoice: z
        .union([
          z.strictObject({ auto: z.strictObject({}) }),
          z.strictObject({ any: z.strictObject({}) }),
          z.strictObject({ tool: z.strictObject({ name: toolName }) }),
        ])
        .optional(),
    })
    .optional(),
  additionalModelRequestFields: anyObject.optional(),
  guardrailConfig: z
    .strictObject({
      guardrailIdentifier: z.string().min(1),
      guardrailVersion: z.string().min(1),
      trace: z.enum(['enabled', 'disabled', 'enabled_full']).optional(),
    })
    .optional(),
  serviceTier: z.strictObject({ type: z.enum(['default', 'flex', 'priority', 'reserved']) }).optional(),
  outputConfig: z
    .strictObject({
      textFormat: z.strictObject({
        type: z.literal('json_schema'),
        structure: z.strictObject({
          jsonSchema: z.strictObject({ schema: z.string(), name: z.string().optional() }),
        }),
      }),
    })
    .optional(),
});
export type ConverseRequest = z.infer<typeof converseRequest>;
