import type { UsageEntry } from '@model-gateway/admin-api';
import { expect, test } from 'vitest';
import { exportHead, exportLine } from './export.ts';

const entry: UsageEntry = {
  id: 'a',
  requestId: 'req_1',
  at: '2026-01-01T00:00:00.000Z',
  ms: 5,
  firstMs: null,
  operation: 'generate',
  format: 'chat',
  stream: true,
  model: 'any, "odd"\nname',
  fallback: null,
  provider: 'p',
  upstreamModel: '=HYPERLINK("x")',
  token: 't',
  project: 'lab',
  owner: null,
  tags: { team: 'search' },
  outcome: 'answered',
  error: null,
  upstreamStatus: null,
  upstreamMessage: null,
  final: true,
  endedBy: null,
  finishReason: 'tool-calls',
  hostedTools: [],
  serviceTier: null,
  charged: true,
  cost: 0.5,
  priceVersion: 'catalog-1',
  usage: null,
};

test('CSV has a column for each field, quotes what it must, and holds no formula', () => {
  const head = exportHead('csv');
  const line = exportLine(entry, 'csv');
  expect(head).toMatch(
    /^id,requestId,at,.*,estimated,webSearches,hostedTools,serviceTier,upstreamStatus,upstreamMessage,final\r\n$/,
  );
  expect(line).toContain(',"any, ""odd""\nname",');
  expect(line).toContain(`,"'=HYPERLINK(""x"")",`);
  expect(line).toContain(',t,lab,,"{""team"":""search""}",answered,,,tool-calls,true,');
  expect(line).toMatch(/,true,0\.5,catalog-1,{19},true\r\n$/);
});

test('JSON lines are the entries as the API lists them', () => {
  expect(exportHead('jsonl')).toBe('');
  expect(JSON.parse(exportLine(entry, 'jsonl'))).toEqual(entry);
});
