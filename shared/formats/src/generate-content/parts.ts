import { z } from 'zod';
import { type Closed, objectOrEmptyList } from '../values/schemas.ts';
import { generateContentCodeLanguages, generateContentCodeOutcomes, generateContentEnum } from './enums.ts';
import { repeated, textAsContent, textAsPart } from './proto-json.ts';

const text = z.string();
const object = z.looseObject({});

/** Inline media, as base64 of either alphabet. */
const generateContentBlob = z.looseObject({ mimeType: text, data: text, displayName: text.nullish() });

const generateContentFileData = z.looseObject({ mimeType: text.nullish(), fileUri: text });

const generateContentFunctionCall = z.looseObject({
  id: text.nullish(),
  name: text.min(1),
  args: objectOrEmptyList(object).nullish(),
});
export type GenerateContentFunctionCall = z.infer<typeof generateContentFunctionCall>;

/** A tool's result; only its keys `output` and `error` have a meaning. */
const generateContentFunctionResponse = z.looseObject({
  id: text.nullish(),
  name: text.min(1),
  response: objectOrEmptyList(object).nullish(),
  parts: repeated(
    z.array(
      z.looseObject({
        inlineData: generateContentBlob.nullish(),
        fileData: generateContentFileData.nullish(),
      }),
    ),
  ).nullish(),
});
export type GenerateContentFunctionResponse = z.infer<typeof generateContentFunctionResponse>;

/** Data fields, of which a part has exactly one. */
export const generateContentPartData = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
] as const;

const data = {
  text: text.nullish(),
  inlineData: generateContentBlob.nullish(),
  fileData: generateContentFileData.nullish(),
  functionCall: generateContentFunctionCall.nullish(),
  functionResponse: generateContentFunctionResponse.nullish(),
  executableCode: z
    .looseObject({ language: generateContentEnum(generateContentCodeLanguages).nullish(), code: text })
    .nullish(),
  codeExecutionResult: z
    .looseObject({
      outcome: generateContentEnum(generateContentCodeOutcomes).nullish(),
      output: text.nullish(),
    })
    .nullish(),
  /** Calls and results of tools that the vendor runs; they are sent back unchanged. */
  toolCall: object.nullish(),
  toolResponse: object.nullish(),
} satisfies Record<(typeof generateContentPartData)[number], z.ZodType>;

/** A part of a content, typed by its data field. A signature may stand alone. */
const generateContentPart = z
  .looseObject({
    ...data,
    /** True for a summary of reasoning. */
    thought: z.boolean().nullish(),
    /** Opaque; belongs to exactly this part. */
    thoughtSignature: text.nullish(),
    videoMetadata: object.nullish(),
    mediaResolution: z.unknown().optional(),
  })
  .superRefine((part, context) => {
    const present = generateContentPartData.filter(
      field => part[field] !== undefined && part[field] !== null,
    );
    if (present.length === 1 || (present.length === 0 && part.thoughtSignature)) return;
    const message = present.length === 0 ? 'a part with data' : `one of ${present.join(' and ')}`;
    context.addIssue({ code: 'custom', message });
  });
export type GenerateContentPart = z.infer<typeof generateContentPart>;

type KnownPart = Closed<GenerateContentPart>;

/** A part as the gateway writes it. Media of a tool's result are parts of the result. */
export type GenerateContentPartParam = Omit<KnownPart, 'functionResponse'> & {
  functionResponse?: Omit<NonNullable<KnownPart['functionResponse']>, 'parts'> & {
    parts?: GenerateContentMediaParam[];
  };
};

/** Media, or a text file as text. */
export type GenerateContentMediaParam = Pick<KnownPart, 'text' | 'inlineData' | 'fileData'>;

/** One turn as the gateway writes it. */
export interface GenerateContentContentParam {
  role: 'user' | 'model';
  parts: GenerateContentPartParam[];
}

/** One turn. Without a role it is the user's; older clients give tool results the role `function`. */
export const generateContentContent = z.preprocess(
  withParts,
  z.looseObject({
    role: z.enum(['user', 'model', 'function']).nullish(),
    parts: repeated(
      z.array(z.preprocess(textAsPart, generateContentPart), { error: 'a list of parts' }).min(1),
    ),
  }),
);
export type GenerateContentContent = z.infer<typeof generateContentContent>;

/** Returns a turn of the model that has no parts, as the vendor sends one that ended early, with an empty text. */
export function withParts(sent: unknown): unknown {
  const content = textAsContent(sent);
  if (typeof content !== 'object' || content === null || !('role' in content)) return content;
  const { role, parts } = content as { role: unknown; parts?: unknown };
  const empty = parts === undefined || parts === null || (Array.isArray(parts) && parts.length === 0);
  return role === 'model' && empty ? { ...content, parts: [{ text: '' }] } : content;
}

/** System instructions: text only, of any role. Some clients send a single part, or plain text. */
export const generateContentSystem = z.preprocess(
  asContent,
  z.looseObject({ parts: z.array(z.looseObject({ text })) }),
);

function asContent(sent: unknown): unknown {
  const value = textAsContent(sent);
  if (typeof value !== 'object' || value === null || !('parts' in value)) return value;
  return Array.isArray(value.parts) ? value : { ...value, parts: [value.parts] };
}
