import { readSignature } from '@model-gateway/formats';
import { expect } from 'vitest';
import { type FourUpstreams, type Upstream, upstreams } from './four-upstreams.ts';

type Fields = Record<string, unknown>;

/** The upstreams of a session whose second turn goes to another vendor. */
export const detours: [Upstream, Upstream][] = upstreams.flatMap(one =>
  upstreams.filter(other => other !== one).map((other): [Upstream, Upstream] => [one, other]),
);

/** The request of an agent. */
export interface Agent {
  format: Upstream;
  path(model: string): string;
  headers(token: string): Record<string, string>;
}

export function post({ stack }: FourUpstreams, agent: Agent, path: string, body: object): Promise<Response> {
  return fetch(stack.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...agent.headers(stack.token) },
    body: JSON.stringify(body),
  });
}

/**
 * Sends a turn as the agent does, for a model that is named by its upstream first, and returns the text of
 * the stream. The history that the upstream received is checked by {@link checkTold}.
 */
export async function sendTurn(
  gateway: FourUpstreams,
  agent: Agent,
  model: string,
  body: object,
  kept: Kept,
): Promise<string> {
  const response = await post(gateway, agent, agent.path(model), body);
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status: 200 });
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const [upstream] = model.split('/') as [Upstream];
  checkTold(upstream, gateway.simulator.requests.at(-1)?.body ?? '', agent, kept);
  return text;
}

/** The content of an agent's history: the ids of its calls in order, and the signatures as it stores them. */
export interface Kept {
  calls: string[];
  proofs: string[];
}

/**
 * Checks the history that an upstream received: each call has the id that the client knows and is answered
 * once, in order; only the upstream's own signatures are sent, in order, in any field.
 */
function checkTold(upstream: Upstream, body: string, agent: Agent, { calls, proofs }: Kept): void {
  const told = readers[upstream](JSON.parse(body));
  expect(told.calls).toEqual(calls);
  expect(told.results).toEqual(calls);
  const signatures = proofs.map(proof => readSignature(proof, agent.format));
  const bare = (value = '') => value.slice(value.lastIndexOf(':') + 1);
  const own = signatures.filter(signature => signature?.format === upstream);
  expect(told.proofs).toEqual(own.map(signature => bare(signature?.value)));
  for (const signature of signatures.filter(signature => signature?.format !== upstream))
    expect(body).not.toContain(bare(signature?.value));
  expect(body).not.toMatch(/"(am|cc|gg|or|tc):/);
}

interface Told {
  calls: string[];
  results: string[];
  proofs: string[];
}

/** The stand-in that generate-content accepts for calls without its signature. */
const standIn = 'skip_thought_signature_validator';

const readers: Record<Upstream, (body: Fields) => Told> = {
  chat: body => {
    const messages = list(body.messages);
    return {
      calls: messages.flatMap(({ tool_calls: calls }) => list(calls)).map(({ id }) => String(id)),
      results: messages.flatMap(({ role, tool_call_id: id }) => (role === 'tool' ? [String(id)] : [])),
      proofs: messages.flatMap(({ thinking_blocks: blocks }) => found(list(blocks), 'signature')),
    };
  },
  messages: body => {
    const blocks = list(body.messages).flatMap(({ content }) => list(content));
    return {
      calls: found(blocks, 'id', 'tool_use'),
      results: found(blocks, 'tool_use_id', 'tool_result'),
      proofs: found(blocks, 'signature', 'thinking'),
    };
  },
  'generate-content': body => {
    const parts = list(body.contents).flatMap(({ parts }) => list(parts));
    return {
      calls: found(objects(parts, 'functionCall'), 'id'),
      results: found(objects(parts, 'functionResponse'), 'id'),
      proofs: found(parts, 'thoughtSignature').filter(proof => proof !== standIn),
    };
  },
  responses: body => {
    const items = list(body.input);
    return {
      calls: found(items.filter(ofType(/_call$/)), 'call_id'),
      results: found(items.filter(ofType(/_call_output$/)), 'call_id'),
      proofs: found(items, 'encrypted_content', 'reasoning'),
    };
  },
};

function list(value: unknown): Fields[] {
  return Array.isArray(value) ? value : [];
}

function ofType(pattern: RegExp) {
  return ({ type }: Fields) => pattern.test(String(type));
}

function objects(parts: Fields[], name: string): Fields[] {
  return parts.flatMap(part => (part[name] ? [part[name] as Fields] : []));
}

/** Returns a field of every object that has it with this type. */
export function found(fields: readonly Fields[], name: string, type?: string): string[] {
  return fields.flatMap(one => (one[name] && (!type || one.type === type) ? [String(one[name])] : []));
}
