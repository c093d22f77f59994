import type { Choice, Content, Result, Turn } from '../ask.ts';
import { type Json, said } from '../json.ts';
import { Pairing } from './parts.ts';
import type { Upstream } from './upstream.ts';

export const converse: Upstream = { model: behaviour => `us.amazon.nova-2-lite-v1:0/${behaviour}`, read };

function read(body: Json) {
  const { inferenceConfig: inference = {}, additionalModelRequestFields: more = {}, toolConfig } = body;
  return said({
    system: body.system?.map(({ text }: Json) => text).join('\n'),
    turns: turns(body.messages),
    tools: toolConfig?.tools.map(tool),
    choice: toolConfig?.toolChoice && choiceOf(toolConfig.toolChoice),
    output: body.outputConfig && JSON.parse(body.outputConfig.textFormat.structure.jsonSchema.schema),
    effort: more.reasoningConfig?.type === 'disabled' ? 'none' : more.reasoningConfig?.maxReasoningEffort,
    maxTokens: inference.maxTokens,
    stop: inference.stopSequences,
    temperature: inference.temperature,
    topP: inference.topP,
    topK: more.inferenceConfig?.topK,
    tier: body.serviceTier?.type,
  });
}

function tool({ toolSpec: { name, description, inputSchema } }: Json) {
  return { name, description, parameters: inputSchema.json };
}

function choiceOf({ auto, any, tool }: Json): Choice {
  if (tool) return { tool: tool.name };
  if (any) return 'required';
  if (auto) return 'auto';
  throw new Error('an unknown choice');
}

function turns(messages: Json[]): Turn[] {
  const pairing = new Pairing();
  return messages.flatMap(({ role, content }): Turn[] => {
    if (role === 'assistant') return [assistant(content, pairing)];
    const results = content.filter((block: Json) => block.toolResult);
    const shown = content.filter((block: Json) => !block.toolResult);
    return [
      ...(results.length > 0 ? [{ role: 'tool' as const, results: results.map(result(pairing)) }] : []),
      ...(shown.length > 0 ? [{ role: 'user' as const, content: shown.map(shownContent) }] : []),
    ];
  });
}

function result(pairing: Pairing) {
  return ({ toolResult: { toolUseId, content, status } }: Json) => {
    const text = content.map((block: Json) => block.text ?? '').join('');
    const image = content.find((block: Json) => block.image);
    return {
      ...pairing.result(toolUseId, text, status === 'error'),
      ...(image && { image: shownContent(image) as NonNullable<Result['image']> }),
    };
  };
}

function assistant(blocks: Json[], pairing: Pairing): Turn {
  const of = (field: string) => blocks.flatMap(block => (block[field] === undefined ? [] : [block[field]]));
  const calls = of('toolUse').map(({ toolUseId, name, input }) => ({
    id: toolUseId,
    call: { name, args: input },
  }));
  const thoughts = of('reasoningContent').map(({ reasoningText }) => reasoningText);
  return said({
    role: 'assistant' as const,
    reasoning: thoughts.map(({ text }) => text).join('') || undefined,
    signed: thoughts.some(({ signature }) => signature) ? (true as const) : undefined,
    text: of('text').join('') || undefined,
    calls: calls.length > 0 ? pairing.calls(calls) : undefined,
  });
}

function shownContent({ text, image, document }: Json): Content {
  if (text !== undefined) return { text };
  if (image) return { image: image.source.bytes, mediaType: `image/${image.format}` };
  return {
    document: document.source.bytes,
    mediaType: `application/${document.format}`,
    name: document.name,
  };
}
