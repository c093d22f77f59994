import { EventReader } from '@model-gateway/sse';
import { type Ask, type Choice, type Content, callId, callsBefore, type Tool, type Turn } from '../ask.ts';
import { joined, nothing, type Reading } from '../got.ts';
import { exactly, type Json, said } from '../json.ts';
import type { Client } from './client.ts';

export const chat: Client = { request, assemble, read };

function request(ask: Ask, model: string, stream: boolean) {
  const system = ask.system === undefined ? [] : [{ role: 'system', content: ask.system }];
  const body = said({
    model,
    messages: [...system, ...ask.turns.flatMap(message)],
    stream,
    stream_options: stream ? { include_usage: true } : undefined,
    tools: ask.tools?.map(tool),
    tool_choice: ask.choice && choice(ask.choice),
    web_search_options: ask.search && {},
    parallel_tool_calls: ask.serial && false,
    response_format: ask.output && format(ask.output),
    reasoning_effort: ask.effort,
    max_tokens: ask.maxTokens,
    stop: ask.stop,
    temperature: ask.temperature,
    top_p: ask.topP,
    top_k: ask.topK,
    seed: ask.seed,
    presence_penalty: ask.presencePenalty,
    frequency_penalty: ask.frequencyPenalty,
    logit_bias: ask.logitBias,
    logprobs: ask.logprobs && true,
    top_logprobs: ask.logprobs,
    n: ask.answers,
    verbosity: ask.verbosity,
    service_tier: ask.tier,
    user: ask.user,
    metadata: ask.metadata,
  });
  return { path: '/v1/chat/completions', body };
}

function message(turn: Turn, at: number, turns: Turn[]): Json[] {
  switch (turn.role) {
    case 'user':
      return [{ role: 'user', content: turn.content.map(part) }];
    case 'assistant':
      return [
        said({
          role: 'assistant',
          content: turn.text ?? null,
          reasoning_content: turn.reasoning,
          tool_calls: turn.calls?.map(({ name, args }, place) => ({
            id: callId(place),
            type: 'function',
            function: { name, arguments: JSON.stringify(args) },
          })),
        }),
      ];
    case 'tool':
      return turn.results.map(({ call, text }) => ({
        role: 'tool',
        tool_call_id: callsBefore(turns, at)[call]?.id,
        content: text,
      }));
    case 'own':
      return turn.entries;
  }
}

function part(content: Content): Json {
  if ('text' in content) return { type: 'text', text: content.text };
  if ('imageUrl' in content) return { type: 'image_url', image_url: { url: content.imageUrl } };
  if ('image' in content) {
    const url = `data:${content.mediaType};base64,${content.image}`;
    return { type: 'image_url', image_url: { url } };
  }
  const file_data = `data:${content.mediaType};base64,${content.document}`;
  return { type: 'file', file: { filename: content.name, file_data } };
}

function tool(fn: Tool): Json {
  return { type: 'function', function: fn };
}

function named(name: string): Json {
  return { type: 'function', function: { name } };
}

function choice(choice: Choice): Json {
  if (typeof choice === 'string') return choice;
  if ('tool' in choice) return named(choice.tool);
  return { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: choice.allowed.map(named) } };
}

function format(output: NonNullable<Ask['output']>): Json {
  if (output === 'json') return { type: 'json_object' };
  return { type: 'json_schema', json_schema: { name: 'answer', schema: output, strict: true } };
}

function assemble(stream: string): Json {
  const whole: Json = { choices: [] };
  let done = false;
  for (const { event, data } of new EventReader().read(Buffer.from(stream))) {
    if (done || whole.error) throw new Error(`more after the end: ${data}`);
    if (event !== undefined) throw new Error(`an event with a name: ${event}`);
    if (data === '[DONE]') done = true;
    else add(whole, JSON.parse(data));
  }
  if (!done && !whole.error) throw new Error('the stream lacks its end');
  return whole;
}

function add(whole: Json, chunk: Json): void {
  if (chunk.error) whole.error = chunk.error;
  if (chunk.usage) whole.usage = chunk.usage;
  for (const { index, delta, finish_reason } of chunk.choices ?? []) {
    whole.choices[index] ??= { message: { role: 'assistant', content: null }, finish_reason: null };
    const choice = whole.choices[index];
    choice.finish_reason ??= finish_reason;
    addDelta(choice.message, delta);
  }
}

function addDelta(message: Json, { tool_calls, thinking_blocks, annotations, ...delta }: Json): void {
  if (annotations) message.annotations = [...(message.annotations ?? []), ...annotations];
  for (const member of ['content', 'reasoning_content', 'refusal'])
    if (typeof delta[member] === 'string') message[member] = (message[member] ?? '') + delta[member];
  if (thinking_blocks) message.thinking_blocks = [...(message.thinking_blocks ?? []), ...thinking_blocks];
  for (const { index, function: fn, ...call } of tool_calls ?? []) {
    if (!fn) throw new Error('a piece of a call without its function, at which clients fail');
    message.tool_calls ??= [];
    message.tool_calls[index] ??= { function: { arguments: '' } };
    const known = message.tool_calls[index];
    Object.assign(known, call);
    if (fn.name) known.function.name = fn.name;
    known.function.arguments += fn.arguments ?? '';
  }
}

function read({ error, choices = [], usage }: Json): Reading {
  const [{ message = {}, finish_reason: finish = null } = {}] = choices;
  return {
    ...nothing,
    text: message.content ?? '',
    reasoning: message.reasoning_content ?? joined(message.thinking_blocks, 'thinking'),
    refusal: message.refusal ?? '',
    calls: (message.tool_calls ?? []).map(({ id, function: fn }: Json) => ({
      id,
      name: fn.name,
      args: JSON.parse(fn.arguments),
    })),
    finish: message.refusal ? 'refusal' : (finishes[finish] ?? finish),
    usage: usage ? usageOf(usage) : null,
    cited: (message.annotations ?? []).map(({ url_citation }: Json) => url_citation.url),
    answers: choices.length,
    own: [message],
    ...(error && { error: errorOf(error) }),
  };
}

const finishes: Record<string, Reading['finish']> = { tool_calls: 'calls', content_filter: 'refusal' };

function usageOf(usage: Json) {
  return {
    input: usage.prompt_tokens,
    cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
    output: usage.completion_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
  };
}

function errorOf(error: Json) {
  const { code, type, message, param } = exactly(error, 'code', 'message', 'param', 'type');
  return { name: code ?? type, message, ...(param && { param }) };
}
