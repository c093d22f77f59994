import { startSimulator } from '@model-gateway/simulator';
import { CohereClientV2 } from 'cohere-ai';
import { expect, onTestFinished, test } from 'vitest';

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const request = {
  model: 'sim-fast',
  messages: [{ role: 'user' as const, content: 'What is the weather in Oslo?' }],
  tools: [{ type: 'function' as const, function: { name: 'weather', parameters } }],
};

test("the vendor's SDK reads the same call in a whole answer and a stream of the simulator", async () => {
  const simulator = await startSimulator();
  onTestFinished(() => simulator.close());
  const client = new CohereClientV2({ token: 'k', environment: simulator.url });
  const { message, finishReason } = await client.chat(request);
  expect([finishReason, message.toolCalls?.[0]?.function?.name]).toEqual(['TOOL_CALL', 'weather']);
  const types = new Set<string>();
  let json = '';
  for await (const event of await client.chatStream(request)) {
    types.add(event.type);
    if (event.type === 'tool-call-delta') json += event.delta?.message?.toolCalls?.function?.arguments ?? '';
    if (event.type === 'message-end') expect(event.delta?.finishReason).toBe('TOOL_CALL');
  }
  expect(JSON.parse(json)).toEqual(JSON.parse(message.toolCalls?.[0]?.function?.arguments ?? ''));
  expect([...types]).toEqual(
    expect.arrayContaining(['message-start', 'tool-call-start', 'tool-call-end', 'message-end']),
  );
});
