import { googlePartData } from '@model-gateway/wire';
import { z } from 'zod';

const base64 = z.string().regex(/^[A-Za-z0-9+/_-]*={0,2}$/, 'Base64 decoding failed');
const object = z.record(z.string(), z.unknown());

const blob = z.strictObject({
  mimeType: z.string().regex(/^[\w.+-]+\/[\w.+-]+/, 'Unsupported MIME type'),
  data: base64,
  displayName: z.string().nullish(),
});
const file = z.strictObject({
  mimeType: z.string().nullish(),
  fileUri: z.string().min(1),
  displayName: z.string().nullish(),
});

const name = z.string({ error: '* Name cannot be empty.' }).min(1, '* Name cannot be empty.');

const functionCall = z.strictObject({ id: z.string().nullish(), name, args: object.nullish() });
const functionResponse = z.strictObject({
  id: z.string().nullish(),
  name,
  response: object,
  parts: z.array(z.strictObject({ inlineData: blob.nullish(), fileData: file.nullish() })).nullish(),
  willContinue: z.boolean().nullish(),
  scheduling: z.string().nullish(),
});

const fields = z.strictObject({
  text: z.string().nullish(),
  inlineData: blob.nullish(),
  fileData: file.nullish(),
  functionCall: functionCall.nullish(),
  functionResponse: functionResponse.nullish(),
  executableCode: z
    .strictObject({ language: z.string(), code: z.string(), id: z.string().nullish() })
    .nullish(),
  codeExecutionResult: z
    .strictObject({ outcome: z.string(), output: z.string().nullish(), id: z.string().nullish() })
    .nullish(),
  toolCall: object.nullish(),
  toolResponse: object.nullish(),
  thought: z.boolean().nullish(),
  thoughtSignature: z.string().nullish(),
  videoMetadata: object.nullish(),
  mediaResolution: z.unknown().optional(),
  partMetadata: object.nullish(),
});

/** A part has one field of data. */
export const part = fields.superRefine((value, context) => {
  const [first, second] = googlePartData.filter(field => value[field] !== undefined && value[field] !== null);
  if (first && !second) return;
  const message = first
    ? `Invalid value at 'contents.parts' (oneof), oneof field 'data' is already set. Cannot set '${second}'`
    : "* GenerateContentRequest.contents.parts.data: required oneof field 'data' must have one initialized field";
  context.addIssue({ code: 'custom', message });
});

export type Part = z.infer<typeof fields>;
export type FunctionCall = z.infer<typeof functionCall>;
export type FunctionResponse = z.infer<typeof functionResponse>;
