import type { Choice, Content, Turn } from '../ask.ts';
import { type Json, said } from '../json.ts';
import { documentOf, imageOf, Pairing, partsOf, textOf } from './parts.ts';
import type { Upstream } from './upstream.ts';

export const chat: Upstream = { model: behaviour => behaviour, read };

function read(body: Json) {
  const format = body.response_format;
  const system = body.messages.filter(({ role }: Json) => role === 'system' || role === 'developer');
  return said({
    system: system.length > 0 ? system.map(({ content }: Json) => textOf(content)).join('\n') : undefined,
    turns: turns(body.messages),
    tools: body.tools?.map((tool: Json) => {
      const { strict: _, ...fn } = tool.function;
      return fn;
    }),
    choice: body.tool_choice && choice(body.tool_choice),
    search: body.web_search_options ? (true as const) : undefined,
    serial: body.parallel_tool_calls === false ? (true as const) : undefined,
    output: format && (format.type === 'json_object' ? ('json' as const) : format.json_schema.schema),
    effort: body.reasoning_effort,
    maxTokens: body.max_tokens ?? body.max_completion_tokens,
    stop: body.stop,
    temperature: body.temperature,
    topP: body.top_p,
    topK: body.top_k,
    seed: body.seed,
    presencePenalty: body.presence_penalty,
    frequencyPenalty: body.frequency_penalty,
    logitBias: body.logit_bias,
    logprobs: body.logprobs ? (body.top_logprobs ?? 0) : undefined,
    answers: body.n,
    verbosity: body.verbosity,
    tier: body.service_tier,
    user: body.user ?? body.safety_identifier,
    metadata: body.metadata,
  });
}

function turns(messages: Json[]): Turn[] {
  const turns: Turn[] = [];
  const pairing = new Pairing();
  for (const message of messages) {
    const last = turns.at(-1);
    if (message.role === 'user') turns.push({ role: 'user', content: partsOf(message.content).map(content) });
    if (message.role === 'assistant') turns.push(assistant(message, pairing));
    if (message.role !== 'tool') continue;
    const result = pairing.result(message.tool_call_id, textOf(message.content));
    if (last?.role === 'tool') last.results.push(result);
    else turns.push({ role: 'tool', results: [result] });
  }
  return turns;
}

function assistant(message: Json, pairing: Pairing): Turn {
  const calls = (message.tool_calls ?? []).map(({ id, function: fn }: Json) => ({
    id,
    call: { name: fn.name, args: JSON.parse(fn.arguments) },
  }));
  return said({
    role: 'assistant' as const,
    reasoning: message.reasoning_content,
    signed: message.tool_calls?.some(({ extra_content }: Json) => extra_content)
      ? (true as const)
      : undefined,
    text: textOf(message.content) || undefined,
    calls: calls.length > 0 ? pairing.calls(calls) : undefined,
  });
}

function content(part: Json): Content {
  if (part.type === 'image_url') return imageOf(part.image_url.url);
  if (part.type === 'file') return documentOf(part.file.file_data, part.file.filename);
  return { text: part.text };
}

function choice(choice: Json): Choice {
  if (typeof choice === 'string') return choice as Choice;
  if (choice.type === 'function') return { tool: choice.function.name };
  return { allowed: choice.allowed_tools.tools.map((tool: Json) => tool.function.name) };
}
