import { type DestinationStream, type Logger, pino, transport } from 'pino';

export type Log = Logger;

const secrets = [
  'authorization',
  'apiKey',
  'secret',
  'password',
  'cookie',
  '["x-api-key"]',
  '["x-goog-api-key"]',
];

/** Creates a log of JSON lines on stdout, coloured on a terminal. Fields that may be secret are redacted. */
export function createLog(name: string, level: string): Log {
  return pino(
    {
      name,
      level,
      redact: {
        paths: secrets.flatMap(field => [join(field), join(field, '*'), join(field, 'headers')]),
        censor: '[secret]',
      },
    },
    destination(),
  );
}

function destination(): DestinationStream {
  if (process.stdout.isTTY) return transport({ target: 'pino-pretty', options: { ignore: 'pid,hostname' } });
  return pino.destination({ fd: 1, sync: false });
}

function join(field: string, parent = ''): string {
  return parent && !field.startsWith('[') ? `${parent}.${field}` : `${parent}${field}`;
}
