import { EventReader } from '@model-gateway/sse';
import { type Ask, type Choice, type Content, callId, callsBefore, type Turn } from '../ask.ts';
import { joined, nothing, type Reading } from '../got.ts';
import { exactly, type Json, said } from '../json.ts';
import type { Client } from './client.ts';

export const responses: Client = { request, assemble, read };

function request(ask: Ask, model: string, stream: boolean) {
  const { effort, logprobs, verbosity } = ask;
  const text = said({ format: ask.output && format(ask.output), verbosity });
  const include = [
    ...(effort ? ['reasoning.encrypted_content'] : []),
    ...(logprobs ? ['message.output_text.logprobs'] : []),
  ];
  const body = said({
    model,
    instructions: ask.system,
    input: ask.turns.flatMap(items),
    stream,
    store: false,
    tools: ask.search
      ? [{ type: 'web_search' }]
      : ask.tools?.map(tool => ({ type: 'function', ...tool, strict: false })),
    tool_choice: ask.choice && choice(ask.choice),
    parallel_tool_calls: ask.serial && false,
    text: Object.keys(text).length > 0 ? text : undefined,
    reasoning: effort && { effort, summary: 'auto' },
    include: include.length > 0 ? include : undefined,
    max_output_tokens: ask.maxTokens,
    temperature: ask.temperature,
    top_p: ask.topP,
    top_logprobs: logprobs,
    service_tier: ask.tier,
    safety_identifier: ask.user,
    metadata: ask.metadata,
  });
  return { path: '/v1/responses', body };
}

function items(turn: Turn, at: number, turns: Turn[]): Json[] {
  switch (turn.role) {
    case 'user':
      return [{ role: 'user', content: turn.content.map(part) }];
    case 'assistant':
      return [
        ...(turn.text ? [{ role: 'assistant', content: [{ type: 'output_text', text: turn.text }] }] : []),
        ...(turn.calls ?? []).map(({ name, args }, place) => ({
          type: 'function_call',
          call_id: callId(place),
          name,
          arguments: JSON.stringify(args),
        })),
      ];
    case 'tool':
      return turn.results.map(({ call, text, image }) => ({
        type: 'function_call_output',
        call_id: callsBefore(turns, at)[call]?.id,
        output: image ? [part({ text }), part(image)] : text,
      }));
    case 'own':
      return turn.entries;
  }
}

function part(content: Content): Json {
  if ('text' in content) return { type: 'input_text', text: content.text };
  if ('imageUrl' in content) return { type: 'input_image', image_url: content.imageUrl };
  if ('image' in content)
    return { type: 'input_image', image_url: `data:${content.mediaType};base64,${content.image}` };
  const file_data = `data:${content.mediaType};base64,${content.document}`;
  return { type: 'input_file', filename: content.name, file_data };
}

function choice(choice: Choice): Json {
  if (typeof choice === 'string') return choice;
  const named = (name: string) => ({ type: 'function', name });
  if ('tool' in choice) return named(choice.tool);
  return { type: 'allowed_tools', mode: 'required', tools: choice.allowed.map(named) };
}

function format(output: NonNullable<Ask['output']>): Json {
  if (output === 'json') return { type: 'json_object' };
  return { type: 'json_schema', name: 'answer', schema: output, strict: true };
}

/** Returns the last response of a stream, once its events add up to it. */
function assemble(stream: string): Json {
  const items: Json[] = [];
  let last: Json;
  let error: Json;
  let sequence = 0;
  for (const { event, data } of new EventReader().read(Buffer.from(stream))) {
    if (data === '[DONE]') continue;
    if (last) throw new Error(`more after the end: ${data}`);
    const json: Json = JSON.parse(data);
    if (event !== json.type) throw new Error(`${event} is not ${json.type}`);
    if (json.type === 'keepalive') continue;
    if (json.sequence_number !== sequence++) throw new Error(`out of order: ${data}`);
    if (/^response\.(completed|incomplete|failed)$/.test(json.type)) last = json.response;
    else if (json.type === 'error') error = exactly(json.error, 'type', 'code', 'message', 'param');
    else add(items, json);
  }
  if (!last) throw new Error('the stream lacks its end');
  if (error) return { ...last, output: items.map(finished), error };
  const added = JSON.stringify(items.map(finished));
  if (JSON.stringify(last.output) !== added)
    throw new Error(`${JSON.stringify(last.output)} is not ${added}`);
  return last;
}

/** Returns an item as its end reported it, or as far as it was received. */
function finished({ item, done, text }: Json): Json {
  if (done) return done;
  return item.type === 'message' ? { ...item, content: [{ type: 'output_text', text }] } : item;
}

function add(items: Json[], event: Json): void {
  const open = items[event.output_index];
  switch (event.type) {
    case 'response.output_item.added':
      if (event.output_index !== items.length) throw new Error(`a gap before item ${event.output_index}`);
      items.push({ item: event.item, text: '', ended: '' });
      return;
    case 'response.output_text.delta':
    case 'response.refusal.delta':
    case 'response.function_call_arguments.delta':
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      if (event.item_id !== open?.item.id) throw new Error(`of no item: ${JSON.stringify(event)}`);
      open.text += event.delta;
      return;
    case 'response.output_text.done':
    case 'response.reasoning_summary_text.done':
    case 'response.reasoning_text.done':
      open.ended += event.text;
      return;
    case 'response.refusal.done':
      open.ended += event.refusal;
      return;
    case 'response.function_call_arguments.done':
      open.ended += event.arguments;
      return;
    case 'response.output_item.done':
      if (open.text !== open.ended) throw new Error(`'${open.text}' came, but '${open.ended}' was done`);
      open.done = event.item;
  }
}

function read(body: Json): Reading {
  const { output = [], usage, status, incomplete_details: incomplete } = body;
  const error = body.error ?? undefined;
  const of = (type: string): Json[] => output.filter((item: Json) => item.type === type);
  const parts: Json[] = of('message').flatMap(({ content }) => content);
  const calls = of('function_call');
  const refusal = joined(parts, 'refusal');
  const finish = (): Reading['finish'] => {
    if (refusal || incomplete?.reason === 'content_filter') return 'refusal';
    if (status === 'incomplete') return 'length';
    if (status !== 'completed') return null;
    return calls.length > 0 ? 'calls' : 'stop';
  };
  return {
    ...nothing,
    text: joined(parts, 'text'),
    reasoning: joined(
      of('reasoning').flatMap(({ summary, content }) => [...(summary ?? []), ...(content ?? [])]),
      'text',
    ),
    refusal,
    calls: calls.map(call => ({ id: call.call_id, name: call.name, args: JSON.parse(call.arguments) })),
    finish: finish(),
    usage: usage ? usageOf(usage) : null,
    cited: parts.flatMap(({ annotations }) => (annotations ?? []).map(({ url }: Json) => url)),
    answers: body.output ? 1 : 0,
    own: output,
    ...(error && { error: errorOf(error) }),
  };
}

function usageOf(usage: Json) {
  return {
    input: usage.input_tokens,
    cached: usage.input_tokens_details?.cached_tokens ?? 0,
    output: usage.output_tokens,
    reasoning: usage.output_tokens_details?.reasoning_tokens ?? 0,
  };
}

function errorOf(error: Json) {
  const { code, type, message, param } = exactly(error, 'type', 'code', 'message', 'param');
  return { name: code ?? type, message, ...(param && { param }) };
}
