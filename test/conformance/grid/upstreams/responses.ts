import type { AssistantTurn, Choice, Content, Result, Turn } from '../ask.ts';
import { type Json, said } from '../json.ts';
import { documentOf, imageOf, Pairing, partsOf, textOf } from './parts.ts';
import type { Upstream } from './upstream.ts';

export const responses: Upstream = { model: behaviour => behaviour, read };

function read(body: Json) {
  const format = body.text?.format;
  const items: Json[] = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input;
  const tools = (body.tools ?? []).filter((tool: Json) => !isSearch(tool));
  const told = items.filter(({ role }) => role === 'system' || role === 'developer');
  const system = [
    ...(body.instructions == null ? [] : [body.instructions]),
    ...told.map(({ content }) => textOf(content)),
  ];
  return said({
    system: system.length > 0 ? system.join('\n') : undefined,
    turns: turns(items.filter(item => !told.includes(item))),
    tools: tools.length > 0 ? tools.map(({ type: _, strict: __, ...tool }: Json) => tool) : undefined,
    search: body.tools?.some(isSearch) ? (true as const) : undefined,
    choice: body.tool_choice && choice(body.tool_choice),
    serial: body.parallel_tool_calls === false ? (true as const) : undefined,
    output: format && (format.type === 'json_object' ? ('json' as const) : format.schema),
    effort: body.reasoning?.summary || body.reasoning?.effort === 'none' ? body.reasoning.effort : undefined,
    maxTokens: body.max_output_tokens,
    temperature: body.temperature,
    topP: body.top_p,
    logprobs: body.include?.includes('message.output_text.logprobs') ? (body.top_logprobs ?? 0) : undefined,
    verbosity: body.text?.verbosity,
    tier: body.service_tier,
    user: body.safety_identifier ?? body.user,
    metadata: body.metadata,
  });
}

function isSearch({ type }: Json): boolean {
  return type.startsWith('web_search');
}

function turns(items: Json[]): Turn[] {
  const turns: Turn[] = [];
  const pairing = new Pairing();
  let called: { id: string; call: { name: string; args: unknown } }[] = [];
  for (const item of items) {
    if (item.role === 'user') turns.push({ role: 'user', content: partsOf(item.content).map(content) });
    else if (item.type === 'function_call_output') {
      const last = turns.at(-1);
      const image = partsOf(item.output).find(({ type }) => type === 'input_image');
      const result = {
        ...pairing.result(item.call_id, textOf(item.output)),
        ...(image && { image: imageOf(image.image_url) as NonNullable<Result['image']> }),
      };
      if (last?.role === 'tool') last.results.push(result);
      else turns.push({ role: 'tool', results: [result] });
    } else {
      const turn = modelTurn(turns);
      if (!turn.calls) called = [];
      if (item.type === 'function_call') {
        called.push({ id: item.call_id, call: { name: item.name, args: JSON.parse(item.arguments) } });
        turn.calls = pairing.calls(called);
      }
      if (item.role === 'assistant') turn.text = (turn.text ?? '') + textOf(item.content);
      if (item.type !== 'reasoning') continue;
      const text = [...item.summary, ...(item.content ?? [])].map(({ text }: Json) => text).join('');
      if (text) turn.reasoning = (turn.reasoning ?? '') + text;
      if (item.encrypted_content) turn.signed = true;
    }
  }
  return turns;
}

/** The open turn of the model, or a new one. */
function modelTurn(turns: Turn[]): AssistantTurn {
  const last = turns.at(-1);
  if (last?.role === 'assistant') return last;
  const turn: AssistantTurn = { role: 'assistant' };
  turns.push(turn);
  return turn;
}

function content(part: Json): Content {
  if (part.type === 'input_image') return imageOf(part.image_url);
  if (part.type === 'input_file') return documentOf(part.file_data, part.filename);
  return { text: part.text };
}

function choice(choice: Json): Choice {
  if (typeof choice === 'string') return choice as Choice;
  if (choice.type === 'function') return { tool: choice.name };
  return { allowed: choice.tools.map(({ name }: Json) => name) };
}
