import { tmpdir } from 'node:os';
import { poolName } from '@model-gateway/bus/configuration';
import { duration } from '@model-gateway/canonical';
import { z } from 'zod';
import { type Env, readConfig } from './config.ts';
import { keySettings } from './key-settings.ts';
import { launcherSettings } from './launcher-settings.ts';
import { originSettings } from './origin-settings.ts';
import { peopleSettings } from './people-settings.ts';
import { proxySettings } from './proxy-settings.ts';
import { trustedProxies } from './request-headers.ts';
import {
  logSettings,
  traceSettingNames,
  traceSettings,
  upstreamTraceSettings,
} from './telemetry-settings.ts';

const port = z.coerce.number().int().min(0).max(65_535);
const positive = z.coerce.number().int().positive();
const notNegative = z.coerce.number().int().nonnegative();
const storeBytes = z.coerce.number().int().min(1_000_000);
/** Two months, so that the current month and the one before have their sums. */
const leastRollupsMs = 62 * 86_400_000;

/**
 * Every setting by the name of its environment variable, each with its form, its default and its documentation.
 * A default that is not a fixed value is described by `defaultInWords`. The tables of the documents are written
 * from this list.
 */
export const settingSchemas = {
  HOST: z.string().default('127.0.0.1').describe('Address on which clients reach the process'),
  PORT: port.default(0).meta({
    description: 'Port for clients, of a process that has one; 0 is any free port',
    defaultInWords: '8080 of `npm start`, else 0',
  }),
  LISTEN_FD: z.coerce
    .number()
    .int()
    .min(3)
    .optional()
    .describe('Descriptor of an inherited bound socket, used instead of `HOST` and `PORT`'),
  REUSE_PORT: z
    .enum(['0', '1'])
    .default('0')
    .describe(
      '1 lets other processes of the same user listen on `PORT`, too; Linux spreads connections over them',
    ),
  OPS_HOST: z.string().default('127.0.0.1').describe('Address of `OPS_PORT`'),
  OPS_PORT: port.default(0).describe('Port of `/healthz`, `/readyz` and `/metrics`; 0 is any free port'),
  GATEWAY_TLS_CERT: z.string().optional().describe('PEM file of a certificate: clients connect over TLS'),
  GATEWAY_TLS_KEY: z.string().optional().describe("PEM file of the certificate's private key"),
  GATEWAY_TRUSTED_PROXIES: trustedProxies
    .prefault('')
    .describe('Proxies whose `X-Forwarded-For` is trusted: addresses and CIDR ranges, separated by commas'),
  GATEWAY_ADDRESS_CONNECTIONS: notNegative
    .default(2_000)
    .describe('The most open connections of one client address, or of one /64 for IPv6; 0 is no limit'),
  GATEWAY_CONNECTIONS: positive.optional().meta({
    description: 'The most open connections of a process',
    defaultInWords: '20000, or 3/4 of the files that it may open if that is less',
  }),
  NATS_URL: z.string().default('nats://127.0.0.1:4222').meta({
    description: 'NATS, 2.12 or newer, with JetStream; several servers of a cluster are separated by commas',
    defaultInWords: '`nats://127.0.0.1:4222`; `npm start` starts one',
  }),
  NATS_TLS_CA: z.string().optional().meta({
    description: 'PEM file of the authorities that sign the certificate of NATS',
    defaultInWords: 'those of the system',
  }),
  NATS_TLS_CERT: z
    .string()
    .optional()
    .describe("PEM file of the service's own certificate, for a NATS that requires one"),
  NATS_TLS_KEY: z.string().optional().describe("PEM file of that certificate's private key"),
  ...logSettings,
  ...traceSettings,
  ...upstreamTraceSettings,
  ...proxySettings,
  GATEWAY_DRAIN: duration
    .prefault('30s')
    .describe('The longest time that running work may take to finish after SIGTERM'),
  GATEWAY_DATA: z
    .string()
    .default('.gateway')
    .describe('Folder of all state: the embedded database, the files of NATS, secrets'),
  GATEWAY_CONFIG: z.string().optional().meta({
    description: 'Path of the catalog',
    defaultInWords: 'the catalog in the database is unchanged; `npm start` makes one from the environment',
  }),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL')
    .optional()
    .meta({
      description: 'PostgreSQL database',
      defaultInWords: 'an embedded one in `GATEWAY_DATA`, which only one control can use',
    }),
  ...keySettings,
  ...peopleSettings,
  GATEWAY_FIRST_TOKEN: z
    .string()
    .regex(/^sk-[\w-]{32,}$/, 'must be sk- and at least 32 letters, digits, _ or -')
    .optional()
    .meta({
      description: 'Secret of a token that exists from the start and never expires',
      defaultInWords: 'none; `npm start` makes one in `GATEWAY_DATA`',
    }),
  GATEWAY_FIRST_TOKEN_SHA256: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, 'must be a SHA-256 in hex: 64 digits')
    .optional()
    .describe('SHA-256 of that secret in hex, instead of the secret; only one of the two may be set'),
  GATEWAY_NATS_REPLICAS: z.coerce
    .number()
    .int()
    .min(1)
    .max(5)
    .default(1)
    .describe('The number of NATS servers that store each piece of state, 1 to 5'),
  ...launcherSettings,
  CONTROL_URL: z.url().meta({
    description: 'Control, to which the front passes the admin API: `http://host:port`',
    defaultInWords: 'required; `npm start` sets it',
  }),
  GATEWAY_URL: z
    .url({ protocol: /^https?$/ })
    .default('http://127.0.0.1:8080')
    .describe('The gateway that the command `gateway` calls'),
  SIMULATOR_RECORD: z
    .enum(['0', '1'])
    .default('0')
    .describe('1 makes the simulator record the last requests, with bodies and credentials, for `GET /last`'),
  GATEWAY_POOL: z.string().regex(poolName).default('default').describe('The pool whose calls a worker takes'),
  GATEWAY_CAPACITY: positive
    .default(2_000)
    .describe(
      'The most calls that a worker serves at once; the last fifth is for tokens with less than half of them',
    ),
  GATEWAY_BODY_LIMIT: positive
    .default(32_000_000)
    .describe('The largest request body, in bytes after decompression'),
  GATEWAY_BODY_BUDGET: positive
    .default(256_000_000)
    .describe('The most bytes of request bodies that a process holds at once'),
  GATEWAY_ANSWER_BUDGET: positive
    .default(256_000_000)
    .describe(
      "The most bytes of upstreams' answers that a worker holds until they can be passed on; half of them of one provider, a quarter for one token",
    ),
  GATEWAY_BODY_RATE: notNegative
    .default(1_000)
    .describe('The least bytes a second of a body, or of a WebSocket message, over any 30 s'),
  GATEWAY_BODY_TIME: duration
    .prefault('5m')
    .describe('The longest time to send a body, or a WebSocket message'),
  GATEWAY_UPLOAD_LIMIT: positive
    .default(256_000_000)
    .describe('The largest upload, in bytes after decompression'),
  GATEWAY_UPLOAD_TIME: duration.prefault('30m').describe('The longest time to send an upload'),
  GATEWAY_SPOOL: z.string().default(tmpdir()).meta({
    description: 'Folder for uploads until they are answered',
    defaultInWords: "the system's temporary folder",
  }),
  GATEWAY_SPOOL_BUDGET: positive
    .default(8_000_000_000)
    .describe('The most bytes of uploads that a process stores there at once'),
  GATEWAY_STALE_LIMIT: duration
    .prefault('15m')
    .describe('The longest time to accept requests while tokens may be out of date, as NATS is unreachable'),
  GATEWAY_LIMITS_POLICY: z
    .enum(['open', 'closed'])
    .default('closed')
    .describe(
      'Requests with limits of which no process has decided in time: they pass (`open`), or are refused with 503 (`closed`)',
    ),
  GATEWAY_BUDGET_THRESHOLDS: z
    .string()
    .default('50,80,100')
    .transform((text, context) => {
      const parts = text.split(',').map(Number);
      if (parts.every(part => part > 0 && part <= 1_000)) return parts;
      context.addIssue({ code: 'custom', message: 'must be percentages such as 50,80,100' });
      return z.NEVER;
    })
    .describe('The parts of a budget, in percent, at which the log and the webhook tell what was spent'),
  GATEWAY_BUDGET_WEBHOOK: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({
      description: 'The URL to which these notices are sent',
      defaultInWords: 'none: they are only logged',
    }),
  GATEWAY_BUDGET_WEBHOOK_SECRET: z.string().min(16, 'must have at least 16 characters').optional().meta({
    description:
      'The secret that signs these notices: `whsec_` and base64, or any text, of at least 16 characters',
    defaultInWords: 'none; required with `GATEWAY_BUDGET_WEBHOOK`',
  }),
  GATEWAY_QUEUE_MS: notNegative
    .default(10_000)
    .describe('The longest time that a request waits for a worker with room, in milliseconds'),
  GATEWAY_TOKEN_REQUESTS: positive
    .default(2_000)
    .describe(
      'The most requests that one token may have open at a process, of any kind, also its background responses that run there',
    ),
  GATEWAY_TOKEN_SOCKETS: positive
    .default(1_000)
    .describe(
      'The most WebSockets that one token may have open at a process, of realtime and of responses together',
    ),
  GATEWAY_TOKEN_BODY_BUDGET: positive.optional().meta({
    description: "The most bytes of a token's request bodies, and of what is made of them, in a process",
    defaultInWords: '1/4 of `GATEWAY_BODY_BUDGET`',
  }),
  GATEWAY_TOKEN_SPOOL_BUDGET: positive.optional().meta({
    description: "The most bytes of a token's uploads that a process stores",
    defaultInWords: '1/4 of `GATEWAY_SPOOL_BUDGET`',
  }),
  GATEWAY_RESPONSES_TTL: duration.prefault('24h').describe('The time for which a response is stored'),
  GATEWAY_RESPONSES_BYTES: storeBytes
    .default(3_000_000_000)
    .describe(
      'The most bytes of stored responses, their events and background jobs on each NATS server; at least 1000000',
    ),
  GATEWAY_USAGE_RETENTION: duration
    .prefault('400d')
    .describe('The least time for which attempts are kept in the usage ledger; whole months are removed'),
  GATEWAY_ROLLUP_RETENTION: duration
    .refine(ms => ms >= leastRollupsMs, 'must be at least 62d')
    .prefault('3650d')
    .describe('The time for which sums of usage by hour and day are kept; at least 62d'),
  GATEWAY_SOCKET_LIMIT: duration
    .prefault('60m')
    .describe("The longest time that a client's WebSocket may be open"),
  GATEWAY_SOCKET_RATE: positive
    .default(200)
    .describe('The most messages and control frames a second that are read from one WebSocket'),
  GATEWAY_REALTIME_IDLE: duration
    .prefault('30m')
    .describe('The longest time of a realtime session without a message in either direction'),
  GATEWAY_REALTIME_GRACE: duration
    .prefault('10s')
    .describe('The time for realtime sessions to end once their process or worker stops; set it at both'),
  GATEWAY_REALTIME_SESSIONS: positive
    .default(10_000)
    .describe('The most open realtime sessions of a process'),
  GATEWAY_REALTIME_MESSAGE: positive
    .max(32_000_000)
    .default(24_000_000)
    .describe('The largest message of a realtime client, in bytes; at most 32000000'),
  ...originSettings,
  GATEWAY_REALTIME_SECRETS_BYTES: storeBytes
    .default(64_000_000)
    .describe('The most bytes of client secrets of realtime sessions on each NATS server; at least 1000000'),
};

export type SettingName = keyof typeof settingSchemas;

/** The values of the named settings. */
export type Settings<Name extends SettingName> = Pick<z.output<z.ZodObject<typeof settingSchemas>>, Name>;

/** Reads the named settings. @throws ConfigError that names each setting with an invalid value */
export function readSettings<Name extends SettingName>(names: readonly Name[], env?: Env): Settings<Name> {
  const shape = Object.fromEntries(names.map(name => [name, settingSchemas[name]]));
  const schema: z.ZodType<unknown> = z.object(shape);
  return readConfig(schema, env) as Settings<Name>;
}

/** The settings of every process. */
export const processSettings = [
  'HOST',
  'PORT',
  'LISTEN_FD',
  'REUSE_PORT',
  'OPS_HOST',
  'OPS_PORT',
  'GATEWAY_TLS_CERT',
  'GATEWAY_TLS_KEY',
  'GATEWAY_TRUSTED_PROXIES',
  'GATEWAY_ADDRESS_CONNECTIONS',
  'GATEWAY_CONNECTIONS',
  'NATS_URL',
  'NATS_TLS_CA',
  'NATS_TLS_CERT',
  'NATS_TLS_KEY',
  'LOG_LEVEL',
  ...traceSettingNames,
  'GATEWAY_DRAIN',
] as const;
export type ProcessSettings = Settings<(typeof processSettings)[number]>;
