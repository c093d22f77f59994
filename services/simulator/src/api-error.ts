/** An error of the API. Each wire format writes it in its own shape. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status. */
  readonly status: number;
  /** The error's code, as the chat format names it. */
  readonly code: string | null;
  /** The field that is wrong. */
  readonly param: string | null;
  /** Seconds after which to come again. */
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

/** Makes anything thrown presentable. */
export function toApiError(thrown: unknown): ApiError {
  return thrown instanceof ApiError
    ? thrown
    : new ApiError(500, 'The simulator failed to answer this request.');
}
