import type { IncomingMessage } from 'node:http';

/** Returns a header's text; undefined if it is absent or blank. */
export function headerText({ headers }: Pick<IncomingMessage, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return (typeof value === 'string' && value.trim()) || undefined;
}
