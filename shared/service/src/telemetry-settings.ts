import { z } from 'zod';

const count = z.coerce.number().int().positive();
const otlpUrl = z.url({ protocol: /^https?$/ }).optional();

/** Reads headers that are written as `name=value`, separated by commas, each value as in a URL; undefined if they are not. */
function readHeaders(text: string): Record<string, string> | undefined {
  const pairs = text.split(',').map(pair => /^\s*([\w-]+)=(\S*)\s*$/.exec(pair));
  if (!pairs.every(pair => pair !== null)) return undefined;
  try {
    return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, decodeURIComponent(value)]));
  } catch {
    return undefined;
  }
}

/** The treatment of a parent that a client sent; see `GATEWAY_TRACE_CLIENTS`. */
const clientTraces = ['continue', 'trust', 'ignore'] as const;

/** Names of samplers: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#general-sdk-configuration */
const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/**
 * The settings of traces. OpenTelemetry defines those that begin with `OTEL_`; its exporter reads from the environment what
 * begins with `OTEL_EXPORTER_OTLP_`.
 */
export const traceSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: otlpUrl.meta({
    description:
      'URL of an OpenTelemetry collector that receives traces by OTLP over HTTP; `/v1/traces` is appended',
    defaultInWords: 'none: no traces are made',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: otlpUrl.meta({
    description: 'The whole URL to which traces are sent, in place of the one above',
    defaultInWords: '`OTEL_EXPORTER_OTLP_ENDPOINT` and `/v1/traces`',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .transform((text, context) => {
      const headers = readHeaders(text);
      if (headers) return headers;
      context.addIssue({
        code: 'custom',
        message: 'must be name=value, separated by commas, each as in a URL',
      });
      return z.NEVER;
    })
    .optional()
    .describe('Headers for the collector, such as `authorization=Bearer%20secret`, separated by commas'),
  OTEL_SERVICE_NAME: z.string().optional().meta({
    description: 'The name of the process in traces',
    defaultInWords: '`model-gateway-` and the name of the service',
  }),
  OTEL_RESOURCE_ATTRIBUTES: z
    .string()
    .optional()
    .describe('Attributes of all spans, such as `deployment.environment.name=test`, separated by commas'),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers)
    .default('parentbased_always_on')
    .describe(
      'The requests that are traced: `always_on`, `always_off` or `traceidratio`, each also with `parentbased_` before it',
    ),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('The part of the requests that `traceidratio` traces, 0 to 1'),
  OTEL_BSP_SCHEDULE_DELAY: count
    .default(5_000)
    .describe('The time between two messages to the collector, in milliseconds'),
  OTEL_BSP_MAX_QUEUE_SIZE: count
    .default(8_192)
    .describe('The most spans that wait to be sent; further ones are dropped and counted'),
  GATEWAY_TRACE_CLIENTS: z
    .enum(clientTraces)
    .default('continue')
    .describe(
      'The `traceparent` of a client: its trace is continued (`continue`), its flag also decides on sampling (`trust`), or it is not read (`ignore`)',
    ),
};

/** The setting of traces that only workers read. */
export const upstreamTraceSettings = {
  GATEWAY_TRACE_UPSTREAMS: z
    .enum(['pass', 'withhold'])
    .default('pass')
    .describe(
      'The trace of a request is told to its upstream by `traceparent` (`pass`), or not (`withhold`)',
    ),
};

/** The settings of traces, which every process reads. */
export const traceSettingNames = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'OTEL_BSP_SCHEDULE_DELAY',
  'OTEL_BSP_MAX_QUEUE_SIZE',
  'GATEWAY_TRACE_CLIENTS',
] as const satisfies readonly (keyof typeof traceSettings)[];

/** The settings of logs. */
export const logSettings = {
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Lowest level that is logged: `trace`, `debug`, `info`, `warn` or `error`; or `silent`'),
  LOG_REQUESTS: z
    .string()
    .regex(
      /^(all|errors|sampled:(0(\.\d+)?|1(\.0+)?))$/,
      'must be all, errors, or sampled: and a part such as 0.1',
    )
    .default('all')
    .describe(
      'The requests that are logged: `all`, only those that failed (`errors`), or these and a part of the others (`sampled:0.1`)',
    ),
  LOG_CLIENT: z
    .enum(['address', 'network', 'none'])
    .default('address')
    .describe(
      "The client's address in logs: whole (`address`), its /24 or, for IPv6, /48 (`network`), or not at all (`none`)",
    ),
};
