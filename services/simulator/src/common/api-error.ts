import { GatewayError } from '@model-gateway/canonical';
import type { z } from 'zod';

/** An error of the API. Each wire format writes it in its shape. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  /** The code in the chat format. */
  readonly code: string | null;
  /** The invalid field. */
  readonly param: string | null;
  /** Seconds until the client may retry. */
  readonly retryAfterS: number | null;

  constructor(
    status: number,
    message: string,
    code: string | null = null,
    param: string | null = null,
    retryAfterS: number | null = null,
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.param = param;
    this.retryAfterS = retryAfterS;
  }
}

/** Converts anything thrown to an error of the API. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof GatewayError && thrown.kind === 'invalid-request') {
    const { code = null, param = null } = thrown.details;
    return new ApiError(400, thrown.message, code, param);
  }
  return new ApiError(500, 'The simulator failed to answer this request.');
}

/** Returns a parser of bodies that throws what `refusal` makes of the issues, of which there is at least one. */
export function validatedBy(refusal: (error: Refused, body: unknown) => ApiError) {
  return <T>(schema: z.ZodType<T>, body: unknown): T => {
    const { success, data, error } = schema.safeParse(body);
    if (success) return data;
    throw refusal(error as Refused, body);
  };
}

type Issue = z.core.$ZodIssue;
type Refused = z.ZodError & { issues: [Issue, ...Issue[]] };
