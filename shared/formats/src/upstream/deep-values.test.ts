import type { GenerateEvent } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { decodeBody as decodeConverse } from '../converse/decode.ts';
import { decodeBody as decodeMessages } from '../messages/decode.ts';

const answer = { tools: new Map(), seed: 'req_1' };
const deep = `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`;
const tool = `{"type":"tool_use","id":"t","name":"f","input":${deep}}`;

const messages = `{"id":"m","type":"message","role":"assistant","model":"up","content":[${tool}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`;
const converse = `{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"t","name":"f","input":${deep}}}]}},"stopReason":"tool_use","usage":{"inputTokens":1,"outputTokens":1}}`;

test.each<[string, () => GenerateEvent[] | undefined]>([
  ['messages', () => decodeMessages(Buffer.from(messages), answer)],
  ['converse', () => decodeConverse(Buffer.from(converse), answer)],
])('an answer in the format %s whose call nests too deep is an error of the upstream', (_format, decode) => {
  expect(decode()?.at(-1)).toMatchObject({ type: 'error', kind: 'upstream' });
});
