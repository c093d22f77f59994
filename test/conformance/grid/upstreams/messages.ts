import type { Choice, Content, Result, Turn } from '../ask.ts';
import { type Json, said } from '../json.ts';
import { Pairing, partsOf, textOf } from './parts.ts';
import type { Upstream } from './upstream.ts';

export const messages: Upstream = { model: behaviour => `${behaviour}-claude-opus-4-6`, read };

function read(body: Json) {
  const { tool_choice: choice, output_config: config } = body;
  const tools = (body.tools ?? []).filter((tool: Json) => !isSearch(tool));
  const system = partsOf(body.system);
  return said({
    system: system.length > 0 ? system.map(({ text }) => text).join('\n') : undefined,
    turns: turns(body.messages),
    tools: tools.length > 0 ? tools.map(tool) : undefined,
    search: body.tools?.some(isSearch) ? (true as const) : undefined,
    choice: choice && choiceOf(choice),
    serial: choice?.disable_parallel_tool_use ? (true as const) : undefined,
    output: config?.format?.schema,
    budget: body.thinking?.budget_tokens,
    effort: efforts[body.thinking?.type]?.(config),
    maxTokens: body.max_tokens,
    stop: body.stop_sequences,
    temperature: body.temperature,
    topP: body.top_p,
    topK: body.top_k,
    tier: body.service_tier && tiers[body.service_tier],
    user: body.metadata?.user_id,
  });
}

const efforts: Record<string, (config: Json) => string | undefined> = {
  adaptive: config => config?.effort,
  disabled: () => 'none',
};

function isSearch({ type }: Json): boolean {
  return type?.startsWith('web_search') === true;
}

function tool({ input_schema, strict: _, ...tool }: Json) {
  return { ...tool, parameters: input_schema };
}

const tiers: Record<string, string> = { standard_only: 'default', auto: 'priority' };

function turns(messages: Json[]): Turn[] {
  const pairing = new Pairing();
  return messages.flatMap(({ role, content }): Turn[] => {
    const blocks = partsOf(content);
    if (role === 'assistant') return [assistant(blocks, pairing)];
    const results = blocks.filter(({ type }) => type === 'tool_result');
    const shown = blocks.filter(({ type }) => type !== 'tool_result');
    return [
      ...(results.length > 0 ? [{ role: 'tool' as const, results: results.map(result(pairing)) }] : []),
      ...(shown.length > 0 ? [{ role: 'user' as const, content: shown.map(shownContent) }] : []),
    ];
  });
}

function result(pairing: Pairing) {
  return ({ tool_use_id, content, is_error }: Json) => {
    const image = partsOf(content).find(({ type }) => type === 'image');
    return {
      ...pairing.result(tool_use_id, textOf(content), is_error === true),
      ...(image && { image: shownContent(image) as NonNullable<Result['image']> }),
    };
  };
}

function assistant(blocks: Json[], pairing: Pairing): Turn {
  const of = (type: string) => blocks.filter(block => block.type === type);
  const calls = of('tool_use').map(({ id, name, input }) => ({ id, call: { name, args: input } }));
  const thoughts = of('thinking');
  return said({
    role: 'assistant' as const,
    reasoning: thoughts.map(({ thinking }) => thinking).join('') || undefined,
    signed: thoughts.some(({ signature }) => signature) ? (true as const) : undefined,
    text:
      of('text')
        .map(({ text }) => text)
        .join('') || undefined,
    calls: calls.length > 0 ? pairing.calls(calls) : undefined,
  });
}

function shownContent({ type, text, source, title }: Json): Content {
  if (type === 'text') return { text };
  if (source.type === 'url') return { imageUrl: source.url };
  const { data, media_type: mediaType } = source;
  if (type === 'image') return { image: data, mediaType };
  return { document: data, mediaType, ...(title !== undefined && { name: title }) };
}

function choiceOf({ type, name }: Json): Choice {
  if (type === 'any') return 'required';
  return type === 'tool' ? { tool: name } : type;
}
