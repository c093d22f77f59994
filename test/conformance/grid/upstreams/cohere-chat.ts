import type { Choice, Turn } from '../ask.ts';
import { type Json, said } from '../json.ts';
import { assistantOf, imageOf, type Pairing, partsOf, textOf, turnsOf } from './parts.ts';
import type { Upstream } from './upstream.ts';

export const cohereChat: Upstream = { model: behaviour => behaviour, read };

const choices: Record<string, Choice> = { REQUIRED: 'required', NONE: 'none' };

function read(body: Json) {
  const { response_format: format, thinking } = body;
  const system = body.messages.filter(({ role }: Json) => role === 'system');
  return said({
    system: system.length > 0 ? system.map(({ content }: Json) => textOf(content)).join('\n') : undefined,
    turns: turnsOf(body.messages, content, assistant),
    tools: body.tools?.map((tool: Json) => tool.function),
    choice: body.tool_choice && choices[body.tool_choice],
    output: format && (format.json_schema ?? ('json' as const)),
    budget: thinking?.token_budget,
    effort: thinking?.type === 'disabled' ? 'none' : undefined,
    maxTokens: body.max_tokens,
    stop: body.stop_sequences,
    temperature: body.temperature,
    topP: body.p,
    topK: body.k,
    seed: body.seed,
    presencePenalty: body.presence_penalty,
    frequencyPenalty: body.frequency_penalty,
  });
}

function content(part: Json) {
  return part.type === 'image_url' ? imageOf(part.image_url.url) : { text: part.text };
}

/** The reasoning before calls is their plan. */
function assistant(message: Json, pairing: Pairing): Turn {
  const thoughts = partsOf(message.content).map(({ thinking = '' }) => thinking);
  return assistantOf(message, pairing, message.tool_plan ?? (thoughts.join('') || undefined));
}
