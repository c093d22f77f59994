/** Code of the error for an address that is not public. */
export const privateAddress = 'PRIVATE_ADDRESS';
/** Code of the cause of an access token that was not given. The error's message says what to change. */
export const noAccessToken = 'NO_ACCESS_TOKEN';

/** Returns the error for an address that is not public, where it must be. */
export function addressRefusal(): NodeJS.ErrnoException {
  const message =
    'The address is not public, and GATEWAY_PRIVATE_PROVIDERS forbids it for providers of the API.';
  return Object.assign(new Error(message), { code: privateAddress });
}

/** Returns the code of an error, or of the one that caused it. */
export function codeOf(thrown: unknown): string | undefined {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth++) {
    const { code } = error as NodeJS.ErrnoException;
    if (code) return code;
  }
  return undefined;
}
