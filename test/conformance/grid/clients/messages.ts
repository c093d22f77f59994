import { EventReader } from '@model-gateway/sse';
import { type Ask, type Choice, type Content, callId, callsBefore, type Turn } from '../ask.ts';
import { joined, nothing, type Reading } from '../got.ts';
import { exactly, type Json, said } from '../json.ts';
import type { Client } from './client.ts';

export const messages: Client = { request, assemble, read };

function request(ask: Ask, model: string, stream: boolean) {
  const { output } = ask;
  const effort = ask.effort === 'none' ? undefined : ask.effort;
  const config = said({
    effort,
    format: output && output !== 'json' ? { type: 'json_schema', schema: output } : undefined,
  });
  const body = said({
    model,
    max_tokens: ask.maxTokens ?? 1000,
    system: ask.system,
    messages: ask.turns.map(message),
    stream,
    tools: tools(ask),
    tool_choice: choice(ask),
    output_config: Object.keys(config).length > 0 ? config : undefined,
    thinking: effort ? { type: 'adaptive', display: 'summarized' } : budgeted(ask),
    stop_sequences: ask.stop,
    temperature: ask.temperature,
    top_p: ask.topP,
    top_k: ask.topK,
    service_tier: ask.tier && tiers[ask.tier],
    metadata: ask.user ? { user_id: ask.user } : undefined,
  });
  return { path: '/v1/messages', body };
}

const tiers: Record<string, string> = { default: 'standard_only', priority: 'auto' };

function tools({ tools = [], search }: Ask): Json {
  const all = [
    ...tools.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })),
    ...(search ? [{ type: 'web_search_20250305', name: 'web_search' }] : []),
  ];
  return all.length > 0 ? all : undefined;
}

function budgeted({ budget, effort }: Ask): Json {
  if (effort === 'none') return { type: 'disabled' };
  return budget === undefined ? undefined : { type: 'enabled', budget_tokens: budget };
}

function message(turn: Turn, at: number, turns: Turn[]): Json {
  switch (turn.role) {
    case 'user':
      return { role: 'user', content: turn.content.map(block) };
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          ...(turn.reasoning ? [{ type: 'thinking', thinking: turn.reasoning, signature: '' }] : []),
          ...(turn.text ? [{ type: 'text', text: turn.text }] : []),
          ...(turn.calls ?? []).map(({ name, args }, place) => ({
            type: 'tool_use',
            id: callId(place),
            name,
            input: args,
          })),
        ],
      };
    case 'tool':
      return {
        role: 'user',
        content: turn.results.map(({ call, text, failed, image }) =>
          said({
            type: 'tool_result',
            tool_use_id: callsBefore(turns, at)[call]?.id,
            content: image ? [{ type: 'text', text }, block(image)] : text,
            is_error: failed,
          }),
        ),
      };
    case 'own':
      return { role: 'assistant', content: turn.entries };
  }
}

function block(content: Content): Json {
  if ('text' in content) return { type: 'text', text: content.text };
  if ('imageUrl' in content) return { type: 'image', source: { type: 'url', url: content.imageUrl } };
  const [type, data] =
    'image' in content ? ['image', content.image] : (['document', content.document] as const);
  const title = 'name' in content ? { title: content.name } : {};
  return { type, source: { type: 'base64', media_type: content.mediaType, data }, ...title };
}

function choice({ choice, serial }: Ask): Json {
  const one = serial ? { disable_parallel_tool_use: true } : {};
  if (!choice) return serial ? { type: 'auto', ...one } : undefined;
  return { ...choiceOf(choice), ...one };
}

function choiceOf(choice: Choice): Json {
  if (choice === 'required') return { type: 'any' };
  if (typeof choice === 'string') return { type: choice };
  if ('tool' in choice) return { type: 'tool', name: choice.tool };
  throw new Error('the format has no choice among some');
}

function assemble(stream: string): Json {
  const whole: Json = { content: [] };
  let stopped = false;
  for (const { event, data } of new EventReader().read(Buffer.from(stream))) {
    if (stopped || whole.error) throw new Error(`more after the end: ${data}`);
    const json: Json = JSON.parse(data);
    if (event !== json.type) throw new Error(`${event} is not ${json.type}`);
    if (event === 'message_stop') stopped = true;
    else add(whole, json);
  }
  if (!stopped && !whole.error) throw new Error('the stream lacks its end');
  return whole;
}

function add(whole: Json, event: Json): void {
  const open = whole.content[event.index];
  switch (event.type) {
    case 'message_start':
      Object.assign(whole, event.message, { content: [] });
      return;
    case 'content_block_start':
      if (event.index !== whole.content.length) throw new Error(`a gap before block ${event.index}`);
      whole.content.push({ ...event.content_block, json: '' });
      return;
    case 'content_block_delta':
      return addDelta(open, event.delta);
    case 'content_block_stop':
      if (open.json) open.input = JSON.parse(open.json);
      delete open.json;
      return;
    case 'message_delta':
      Object.assign(whole, event.delta);
      whole.usage = { ...whole.usage, ...event.usage };
      return;
    case 'error':
      Object.assign(whole, { type: event.type, error: event.error, request_id: event.request_id });
  }
}

function addDelta(block: Json, { type: _, partial_json, citation, ...delta }: Json): void {
  if (citation) block.citations = [...(block.citations ?? []), citation];
  if (partial_json !== undefined) block.json += partial_json;
  for (const [member, text] of Object.entries(delta))
    if (typeof text === 'string') block[member] = (block[member] ?? '') + text;
}

function read(body: Json): Reading {
  const { error, content = [], usage, stop_reason: reason, stop_details: details } = body;
  const of = (type: string) => content.filter((block: Json) => block.type === type);
  return {
    ...nothing,
    text: reason === 'refusal' ? '' : joined(of('text'), 'text'),
    reasoning: joined(of('thinking'), 'thinking'),
    refusal: reason === 'refusal' ? (details?.explanation ?? joined(of('text'), 'text')) : '',
    calls: of('tool_use').map(({ id, name, input }: Json) => ({ id, name, args: input })),
    finish: finishes[reason] ?? reason ?? null,
    usage: usage ? usageOf(usage) : null,
    cited: of('text').flatMap(({ citations }: Json) => (citations ?? []).map(({ url }: Json) => url)),
    answers: error && content.length === 0 ? 0 : 1,
    own: content,
    ...(error && { error: errorOf(body) }),
  };
}

const finishes: Record<string, Reading['finish']> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  tool_use: 'calls',
};

function usageOf(usage: Json) {
  const { cache_read_input_tokens: cached = 0, cache_creation_input_tokens: written = 0 } = usage;
  return {
    input: usage.input_tokens + cached + written,
    cached,
    output: usage.output_tokens,
    reasoning: usage.output_tokens_details?.thinking_tokens ?? 0,
  };
}

function errorOf({ type, error, request_id }: Json) {
  if (type !== 'error' || !/\S/.test(request_id)) throw new Error('an error that does not say so');
  const { type: name, message } = exactly(error, 'message', 'type');
  return { name, message };
}
