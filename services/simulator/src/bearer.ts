import type { IncomingHttpHeaders } from 'node:http';

/** The credential in `Authorization: Bearer …`. */
export function bearer({ authorization = '' }: IncomingHttpHeaders): string | undefined {
  return /^bearer\s+(\S+)/i.exec(authorization)?.[1];
}
