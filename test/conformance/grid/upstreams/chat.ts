import type { Choice, Content, Turn } from '../ask.ts';
import { type Json, said } from '../json.ts';
import { assistantOf, documentOf, imageOf, type Pairing, textOf, turnsOf } from './parts.ts';
import type { Upstream } from './upstream.ts';

export const chat: Upstream = { model: behaviour => behaviour, read };

function read(body: Json) {
  const format = body.response_format;
  const system = body.messages.filter(({ role }: Json) => role === 'system' || role === 'developer');
  return said({
    system: system.length > 0 ? system.map(({ content }: Json) => textOf(content)).join('\n') : undefined,
    turns: turnsOf(body.messages, content, assistant),
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

function assistant(message: Json, pairing: Pairing): Turn {
  const signed = message.tool_calls?.some(({ extra_content }: Json) => extra_content);
  return {
    ...assistantOf(message, pairing, message.reasoning_content),
    ...(signed && { signed: true as const }),
  };
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
