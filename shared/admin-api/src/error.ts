import { z } from 'zod/mini';

/** The part of an error that every server on the way to the API sends. */
export const errorMessage = z.object({ error: z.object({ message: z.string() }) });

/** The body of every response of the API with a status of 400 or above: an error of the chat format. */
export const apiError = z.object({
  error: z.extend(errorMessage.shape.error, {
    type: z.string(),
    /** The name of the invalid field or parameter. */
    param: z.nullable(z.string()),
    code: z.nullable(z.string()),
  }),
});
export type ApiError = z.infer<typeof apiError>;
