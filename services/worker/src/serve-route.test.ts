import type { GenerateRequest } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { checkNestedJson } from './serve-route.ts';

const json = (values: number) => `{"a":[${Array(values).fill('1.5').join(',')}]}`;

function conversation(calls: number, each: string): GenerateRequest {
  return {
    messages: Array.from({ length: calls }, (_, i) => [
      {
        role: 'assistant' as const,
        content: [{ type: 'tool-call' as const, id: `c${i}`, name: 'f', arguments: each }],
      },
      {
        role: 'tool' as const,
        content: [
          { type: 'tool-result' as const, id: `c${i}`, content: [{ type: 'text' as const, text: each }] },
        ],
      },
    ]).flat() as GenerateRequest['messages'],
  };
}

test('arguments and results of tool calls share one limit', () => {
  expect(() => checkNestedJson(conversation(40, json(1_000)))).not.toThrow();
  expect(() => checkNestedJson(conversation(60, json(1_000)))).toThrow(/more than 100000 JSON values/);
});

test('text that is not JSON is not counted', () => {
  const prose = 'one, two: three, '.repeat(20_000);
  const request = conversation(1, '{}');
  request.messages[1]?.content.splice(0, 1, {
    type: 'tool-result',
    id: 'c0',
    content: [{ type: 'text', text: prose }],
  } as never);
  expect(() => checkNestedJson(request)).not.toThrow();
});
