import { expect, test } from 'vitest';
import { parseTraceParent, traceHeadersOf, writeTraceParent } from './request-headers.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

test('a traceparent is read and written', () => {
  const text = `00-${traceId}-${spanId}-01`;
  expect(parseTraceParent(text)).toEqual({ traceId, spanId, sampled: true });
  expect(writeTraceParent({ traceId, spanId, sampled: true })).toBe(text);
  expect(parseTraceParent(`00-${traceId}-${spanId}-02`)?.sampled).toBe(false);
});

test('of a later version, the known fields are read, and version 00 is written', () => {
  const traceparent = `01-${traceId}-${spanId}-03-more`;
  expect(traceHeadersOf({ traceparent })).toEqual({ traceparent: `00-${traceId}-${spanId}-01` });
});

test.each([
  '',
  'nonsense',
  `ff-${traceId}-${spanId}-01`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${traceId}-${spanId}-01-more`,
  `00-${traceId}-${spanId}-1`,
  `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
])('%j is no traceparent', traceparent => {
  expect(traceHeadersOf({ traceparent })).toBeUndefined();
});

test('a tracestate is passed on with a traceparent, unless it is too long or is no header', () => {
  const traceparent = `00-${traceId}-${spanId}-00`;
  const passed = (tracestate: string) => traceHeadersOf({ traceparent, tracestate })?.tracestate;
  expect(passed('a=1,b=2')).toBe('a=1,b=2');
  expect(passed(`a=${'x'.repeat(510)}`)).toHaveLength(512);
  expect(passed(`a=${'x'.repeat(511)}`)).toBeUndefined();
  expect(passed('a=\u00e4')).toBeUndefined();
  expect(traceHeadersOf({ tracestate: 'a=1' })).toBeUndefined();
});
