import { contextLengthCode, type ErrorKind, errorKinds, GatewayError } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import {
  renderGenerateContentError,
  renderMessagesError,
  renderMessagesErrorEvent,
  unsupportedThread,
} from './render-errors.ts';

describe('an error of messages', () => {
  const expected: Record<ErrorKind, [status: number, type: string]> = {
    'invalid-request': [400, 'invalid_request_error'],
    unauthenticated: [401, 'authentication_error'],
    forbidden: [403, 'permission_error'],
    'not-found': [404, 'not_found_error'],
    'too-large': [413, 'request_too_large'],
    'rate-limited': [429, 'rate_limit_error'],
    'quota-exceeded': [402, 'billing_error'],
    overloaded: [529, 'overloaded_error'],
    timeout: [504, 'timeout_error'],
    upstream: [500, 'api_error'],
    cancelled: [499, 'api_error'],
    internal: [500, 'api_error'],
  };

  test.each(errorKinds)('an error of kind %s has its status and type', kind => {
    const [status, type] = expected[kind];
    const rendered = renderMessagesError(new GatewayError(kind, 'why', { retryAfterMs: 1500 }), 'req_1');
    expect(rendered).toEqual({
      status,
      body: { type: 'error', error: { type, message: 'why' }, request_id: 'req_1' },
      retryAfterMs: 1500,
      ...(kind === 'overloaded' && { reason: 'upstream_overloaded' }),
    });
  });

  test('a method that is not allowed is an invalid_request_error with status 405', () => {
    const error = new GatewayError('not-found', 'why', { code: 'method_not_allowed' });
    expect(renderMessagesError(error, 'req_1')).toMatchObject({
      status: 405,
      body: { error: { type: 'invalid_request_error' } },
    });
  });

  test('an unsupported thread has details, other errors have none', () => {
    const details = (code: string) => {
      const error = new GatewayError('invalid-request', 'why', { param: 'thread', code });
      return (renderMessagesError(error, 'r').body as { error: { details?: object } }).error.details;
    };
    expect(details(unsupportedThread)).toEqual({ error_code: unsupportedThread, unsupported: ['thread'] });
    expect(details('model_not_found')).toBeUndefined();
  });

  test('an error in a stream is an event named error', () => {
    expect(renderMessagesErrorEvent(new GatewayError('overloaded', 'why'), 'req_1')).toBe(
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"why"},"request_id":"req_1"}\n\n',
    );
  });

  test('an error about a long prompt starts with "prompt is too long"', () => {
    const message = (sent: string, code = 'context_length_exceeded') => {
      const error = new GatewayError('invalid-request', sent, { code });
      return (renderMessagesError(error, 'r').body as { error: { message: string } }).error.message;
    };
    const upstream = "This model's maximum context length is 10 tokens.";
    expect(message(upstream)).toBe(`prompt is too long: ${upstream}`);
    expect(message(upstream, 'invalid_value')).toBe(upstream);
    const prefixed = 'prompt is too long: 11 tokens > 10 maximum';
    expect(message(prefixed)).toBe(prefixed);
  });

  test("the details of an upstream of the format are sent, those of another's are not", () => {
    const details = (format: 'messages' | 'generate-content', value: unknown) => {
      const error = new GatewayError('quota-exceeded', 'why', { vendorDetails: { format, value } });
      return (renderMessagesError(error, 'r').body as { error: { details?: object } }).error.details;
    };
    const value = { error_code: 'enforced_spend_limit_reached' };
    expect(details('messages', value)).toEqual(value);
    expect(details('generate-content', [value])).toBeUndefined();
  });

  test.each(['upstream', 'invalid-request'] as const)("an upstream's conflict of kind %s stays one", kind => {
    const error = new GatewayError(kind, 'why', { upstream: { provider: 'p', status: 409 } });
    expect(renderMessagesError(error, 'r')).toMatchObject({
      status: 409,
      body: { error: { type: 'conflict_error', message: 'why' } },
    });
  });
});

describe('an error of generate-content', () => {
  test.each<[ErrorKind, number, string]>([
    ['invalid-request', 400, 'INVALID_ARGUMENT'],
    ['unauthenticated', 403, 'PERMISSION_DENIED'],
    ['not-found', 404, 'NOT_FOUND'],
    ['overloaded', 503, 'UNAVAILABLE'],
  ])('an error of kind %s has status %i', (kind, status, name) => {
    const error = { code: status, message: 'why', status: name };
    expect(renderGenerateContentError(new GatewayError(kind, 'why'), false)).toEqual({
      status,
      body: { error },
      ...(kind === 'overloaded' && { reason: 'upstream_overloaded' }),
    });
  });

  test.each([
    [true, { code: 400, status: 'INVALID_ARGUMENT', details: [{ reason: 'API_KEY_INVALID' }] }],
    [false, { code: 401, status: 'UNAUTHENTICATED' }],
  ])('a wrong token has its own status if it was sent as an API key: %s', (byKey, error) => {
    const wrong = new GatewayError('unauthenticated', 'why', { code: 'invalid_api_key' });
    expect(renderGenerateContentError(wrong, byKey).body).toMatchObject({ error });
  });

  test('an invalid field is named in the details', () => {
    const error = new GatewayError('invalid-request', 'why', { param: 'contents[0].parts' });
    const violation = { field: 'contents[0].parts', description: 'why' };
    expect(renderGenerateContentError(error, true).body).toMatchObject({
      error: { details: [{ fieldViolations: [violation] }] },
    });
  });

  const vendors = 'The input token count (12) exceeds the maximum number of tokens allowed (8).';
  test.each([
    ['prompt is too long: 12 tokens > 8 maximum', contextLengthCode, true],
    [vendors, contextLengthCode, false],
    ['why', 'invalid_value', false],
  ])(
    'the message %s about a prompt that is too long has the words that clients look for',
    (text, code, added) => {
      const { body } = renderGenerateContentError(new GatewayError('invalid-request', text, { code }), true);
      const { message } = Object(body).error;
      expect(message).toBe(
        added ? `The input token count exceeds the maximum number of tokens allowed. ${text}` : text,
      );
    },
  );

  test('the code in the body of every kind is its HTTP status', () => {
    for (const kind of errorKinds) {
      const { status, body } = renderGenerateContentError(new GatewayError(kind, 'why'), false);
      expect(body).toMatchObject({ error: { code: status } });
    }
  });

  test('a method that a path does not allow is a 405', () => {
    const error = new GatewayError('not-found', 'why', { code: 'method_not_allowed' });
    expect(renderGenerateContentError(error, true)).toMatchObject({
      status: 405,
      body: { error: { code: 405 } },
    });
  });

  test('retryDelay is in whole seconds', () => {
    const error = new GatewayError('rate-limited', 'why', { retryAfterMs: 1_200 });
    expect(renderGenerateContentError(error, false)).toMatchObject({
      retryAfterMs: 1_200,
      body: { error: { details: [{ retryDelay: '2s' }] } },
    });
  });

  const typed = (name: string, fields: object) => ({
    '@type': `type.googleapis.com/google.rpc.${name}`,
    ...fields,
  });
  const detailsOf = (error: GatewayError) =>
    (renderGenerateContentError(error, true).body as { error: { details?: object[] } }).error.details;

  test("the details of an upstream of the format are sent, with the gateway's own time to wait", () => {
    const info = typed('ErrorInfo', { reason: 'RATE_LIMIT_EXCEEDED' });
    const quota = typed('QuotaFailure', { violations: [{ quotaId: 'PerDay' }] });
    const value = [info, typed('RetryInfo', { retryDelay: '34.07s' }), quota];
    const vendorDetails = { format: 'generate-content', value } as const;
    expect(
      detailsOf(new GatewayError('rate-limited', 'why', { vendorDetails, retryAfterMs: 2_000 })),
    ).toEqual([info, quota, typed('RetryInfo', { retryDelay: '2s' })]);
  });

  test("an upstream's list of invalid fields takes the place of the gateway's", () => {
    const value = [typed('BadRequest', { fieldViolations: [{ field: 'a', description: 'b' }] })];
    const vendorDetails = { format: 'generate-content', value } as const;
    expect(detailsOf(new GatewayError('invalid-request', 'why', { param: 'a', vendorDetails }))).toEqual(
      value,
    );
  });

  test('details of another format, and malformed ones, are not sent', () => {
    const of = (format: 'messages' | 'generate-content', value: unknown) =>
      detailsOf(new GatewayError('upstream', 'why', { vendorDetails: { format, value } }));
    expect(of('messages', [{ a: 1 }])).toBeUndefined();
    expect(of('generate-content', ['a', null])).toBeUndefined();
    expect(of('generate-content', { a: 1 })).toBeUndefined();
  });

  test("an upstream's conflict stays one", () => {
    const error = new GatewayError('upstream', 'why', { upstream: { provider: 'p', status: 409 } });
    expect(renderGenerateContentError(error, false)).toMatchObject({
      status: 409,
      body: { error: { code: 409, status: 'ABORTED' } },
    });
  });
});
