import type { GenerateRequest, UserPart } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import { estimateTokens } from './estimate-tokens.ts';

const user = (...content: UserPart[]): GenerateRequest => ({ messages: [{ role: 'user', content }] });
const userText = (text: string) => user({ type: 'text', text });

function count({ messages, tools = [] }: GenerateRequest): Promise<number> {
  return estimateTokens(messages, tools);
}

describe('an estimate', () => {
  test('counts all parts of a prompt', async () => {
    const { messages } = userText('Hello, world');
    const small = await count({ messages });
    expect(small).toBe(3 + 4);
    const system = { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] } as const;
    expect(
      await count({ messages: [{ ...system, content: [...system.content] }, ...messages] }),
    ).toBeGreaterThan(small + 4);
    const parameters = { type: 'object', properties: { a: { type: 'string' } } };
    const tools = [{ type: 'function' as const, name: 'f', parameters }];
    expect(await count({ messages, tools })).toBeGreaterThan(small + 10);
    const image = {
      type: 'media',
      kind: 'image',
      source: { type: 'url', url: 'https://i.example/a' },
    } as const;
    expect(await count(user({ type: 'text', text: 'Hello, world' }, image))).toBe(small + 1_600);
    const content = [{ type: 'tool-result' as const, callId: 't', content: [image] }];
    expect(await count({ messages: [{ role: 'tool', content }] })).toBe(4 + 1_600);
  });

  test('counts special tokens as plain text', async () => {
    expect(await count(userText('<|endoftext|>'))).toBeGreaterThan(4);
  });

  test('of a long text without spaces is fast and approximately right', async () => {
    // The work of other processes adds nothing to CPU time.
    const started = process.threadCpuUsage();
    const tokens = await count(userText('数据'.repeat(1_000_000)));
    const { user, system } = process.threadCpuUsage(started);
    expect((user + system) / 1_000).toBeLessThan(5_000);
    expect(tokens).toBeGreaterThan(800_000);
    expect(tokens).toBeLessThan(1_200_000);
  });
});
