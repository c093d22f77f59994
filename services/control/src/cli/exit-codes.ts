import { ConfigError } from '@model-gateway/service';

/** The exit codes of the command, with what they mean. */
export const exitCodes = {
  0: 'Done.',
  1: 'It failed, or what was checked is not as it should be.',
  2: 'The command line or a setting is wrong. Nothing was done.',
  3: 'Not signed in, or not allowed.',
  4: 'There is no such thing.',
  5: 'The gateway cannot be reached, or cannot answer now.',
} as const;

export type ExitCode = keyof typeof exitCodes;

/** An error that ends the command with a certain exit code. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** An invalid command line. */
export class UsageError extends CommandError {
  constructor(message: string) {
    super(message, 2);
  }
}

/** Returns the exit code for an error that ended the command. */
export function exitCodeFor(error: unknown): ExitCode {
  if (error instanceof CommandError) return error.exitCode;
  return error instanceof ConfigError ? 2 : 1;
}

/** Returns the exit code for a response that is an error, by its status and code. */
export function exitCodeOf(status: number, code?: string): ExitCode {
  if (status === 401 || status === 403 || code === 'incorrect_credentials') return 3;
  if (status === 400 || status === 413) return 2;
  if (status === 404) return 4;
  return status === 502 || status === 503 || status === 504 ? 5 : 1;
}
