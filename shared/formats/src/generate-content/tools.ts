import { z } from 'zod';
import { objectOrEmptyList } from '../values/schemas.ts';
import { enumName, generateContentCallingModes } from './enums.ts';
import { repeated } from './repeated.ts';

const text = z.string();
const object = z.looseObject({});

/**
 * A function that the client runs. Its parameters are a schema in Google's dialect, a JSON schema or absent.
 */
export const generateContentFunctionDeclaration = z
  .looseObject({
    name: text.min(1),
    description: text.nullish(),
    parameters: objectOrEmptyList(object).nullish(),
    parametersJsonSchema: z.unknown().optional(),
  })
  .refine(
    ({ parameters, parametersJsonSchema: json }) => !parameters || json === undefined || json === null,
    {
      message: 'one of parameters and parametersJsonSchema',
      path: ['parameters'],
    },
  );
export type GenerateContentFunctionDeclaration = z.infer<typeof generateContentFunctionDeclaration>;

/** Functions, or tools that the vendor runs; one entry may hold several. */
export const generateContentTool = z.looseObject({
  functionDeclarations: repeated(z.array(generateContentFunctionDeclaration)).nullish(),
  googleSearch: z.looseObject({ excludeDomains: repeated(z.array(text)).nullish() }).nullish(),
  googleSearchRetrieval: object.nullish(),
  codeExecution: object.nullish(),
  urlContext: object.nullish(),
  googleMaps: object.nullish(),
  fileSearch: object.nullish(),
  computerUse: object.nullish(),
});
export type GenerateContentTool = z.infer<typeof generateContentTool>;

/** The functions that may or must be called. Names are only for `ANY` and `VALIDATED`. */
export const generateContentFunctionCallingConfig = z.looseObject({
  mode: z
    .preprocess(value => enumName(generateContentCallingModes, value), z.enum(generateContentCallingModes))
    .nullish(),
  allowedFunctionNames: repeated(z.array(text)).nullish(),
});

export const generateContentToolConfig = z.looseObject({
  functionCallingConfig: generateContentFunctionCallingConfig.nullish(),
});
