/** The formats in which endpoints render errors. */
export type ErrorFormat = 'chat' | 'messages' | 'generate-content' | 'content-stream' | 'models';

interface FormatErrors {
  /** The prefix of the names of components. */
  prefix: string;
  schema: object;
  /** Descriptions by status. */
  statuses: Record<string, string>;
}

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const object = (properties: object, required: string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: true,
});

const shared = {
  400: 'The request is invalid. The error names the field.',
  401: 'The token is missing, wrong, expired or revoked.',
  403: 'The token may not use this endpoint or model, or not from this address.',
  404: 'The model or the stored object does not exist.',
  408: 'The body took too long to arrive.',
  413: 'The body is too large.',
  415: 'The content type is not supported.',
  429: 'A limit of the token or its project is reached, or the upstream asks to wait.',
  500: 'The gateway failed.',
  504: 'The upstream took too long.',
};

const ofContent = {
  ...shared,
  400: `${shared[400]} A wrong API key is also a 400.`,
  403: `${shared[403]} A request without a token is also a 403.`,
  500: 'The gateway or the upstream failed.',
  503: 'No process is free, or none serves the model.',
  default: 'The request failed.',
};
const named = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The errors of each format. `default` is every other status. */
export const formatErrors: Record<ErrorFormat, FormatErrors> = {
  chat: {
    prefix: 'Chat',
    schema: object(
      {
        error: object(
          {
            message: text,
            type: text,
            param: { ...textOrNull, description: 'The path of the invalid field.' },
            code: textOrNull,
          },
          ['message', 'type', 'param', 'code'],
        ),
      },
      ['error'],
    ),
    statuses: {
      ...shared,
      429: `${shared[429]} A spent budget is \`insufficient_quota\`.`,
      502: 'The upstream failed.',
      503: 'No process is free, or none serves the model.',
      default: 'The request failed.',
    },
  },
  messages: {
    prefix: 'Messages',
    schema: object(
      {
        type: { const: 'error' },
        error: object({ type: text, message: text }, ['type', 'message']),
        request_id: text,
      },
      ['type', 'error', 'request_id'],
    ),
    statuses: {
      ...shared,
      402: 'A budget is spent.',
      500: 'The gateway or the upstream failed.',
      529: 'No process is free, or none serves the model.',
      default: 'The request failed.',
    },
  },
  'generate-content': {
    prefix: 'GenerateContent',
    schema: object(
      {
        error: object(
          {
            code: { type: 'integer', description: 'The HTTP status.' },
            message: text,
            status: { ...text, examples: ['INVALID_ARGUMENT'] },
            details: { type: 'array', items: { type: 'object', additionalProperties: true } },
          },
          ['code', 'message', 'status'],
        ),
      },
      ['error'],
    ),
    statuses: ofContent,
  },
  'content-stream': {
    prefix: 'ContentStream',
    schema: {
      description: 'An array with the error, as the stream is one; the error alone if `alt` is `sse`.',
      anyOf: [
        { type: 'array', items: named('GenerateContentError'), minItems: 1, maxItems: 1 },
        named('GenerateContentError'),
      ],
    },
    statuses: ofContent,
  },
  models: {
    prefix: 'Models',
    schema: {
      description: 'An error in the format of the client.',
      anyOf: [named('ChatError'), named('MessagesError'), named('GenerateContentError')],
    },
    statuses: { ...ofContent, 529: ofContent[503] },
  },
};

/** The statuses after which a client may retry, with `retry-after` if the time is known. */
const retried = new Set(['429', '503', '529']);

/** Returns the responses of a format's errors, which refer to its components. */
export function errorResponses(format: ErrorFormat): Record<string, object> {
  const { prefix, statuses } = formatErrors[format];
  return Object.fromEntries(
    Object.keys(statuses).map(status => [
      status,
      { $ref: `#/components/responses/${prefix}Error_${status}` },
    ]),
  );
}

/** Returns the components of the errors of every format. */
export function errorComponents(): { schemas: Record<string, object>; responses: Record<string, object> } {
  const formats = Object.values(formatErrors);
  return {
    schemas: Object.fromEntries(formats.map(({ prefix, schema }) => [`${prefix}Error`, schema])),
    responses: Object.fromEntries(
      formats.flatMap(({ prefix, statuses }) =>
        Object.entries(statuses).map(([status, description]) => [
          `${prefix}Error_${status}`,
          {
            description,
            headers: {
              'x-request-id': { $ref: '#/components/headers/RequestId' },
              ...(retried.has(status) && { 'retry-after': { $ref: '#/components/headers/RetryAfter' } }),
            },
            content: { 'application/json': { schema: { $ref: `#/components/schemas/${prefix}Error` } } },
          },
        ]),
      ),
    ),
  };
}
