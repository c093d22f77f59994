import type { ExpectStatic } from 'vitest';
import { expected, type Shape } from '../expected.ts';
import type { Ask, Turn } from './ask.ts';
import type { GridGateway } from './gateway.ts';
import type { Got } from './got.ts';
import { said } from './json.ts';
import { type Look, look, type Way } from './look.ts';
import { type Rule, refusedField } from './rules.ts';
import type { Scenario } from './scenarios.ts';

export interface Cell {
  gateway: GridGateway;
  expect: ExpectStatic;
  scenario: Scenario;
  /** The rules that change the scenario. */
  bent: Rule[];
}

/** Runs a scenario whole and streamed, and checks what the upstream and the client received. */
export async function checkCell(cell: Cell, way: Omit<Way, 'stream'>): Promise<void> {
  const { expect, scenario } = cell;
  const whole = await checkWay(cell, { ...way, stream: false });
  const streamed = await checkWay(cell, { ...way, stream: true });
  // A stream has the content of a non-streamed response; only the time of a failure may differ.
  if (!scenario.begun) expect(shown(streamed), 'streamed').toEqual(shown(whole));
}

/** Runs a scenario streamed alone, and checks the same. */
export async function checkStreamed(cell: Cell, way: Omit<Way, 'stream'>): Promise<void> {
  await checkWay(cell, { ...way, stream: true });
}

/** Runs a scenario in one way, with its second request if it has one; returns the client's first answer. */
async function checkWay(cell: Cell, way: Way): Promise<Got> {
  const { gateway, expect, scenario, bent } = cell;
  const where = way.stream ? 'streamed' : 'whole';
  const first = await look(gateway, way, scenario, scenario.ask);
  const [refused] = bent.flatMap(rule => refusedField(rule, way.client) ?? []);
  if (refused) {
    expect(first.got.status, where).toBe(400);
    expect(`${first.got.error?.param}: ${first.got.error?.message}`, where).toContain(refused);
    expect(first.sent, where).toEqual([]);
    return first.got;
  }
  checkSent(cell, first, scenario.ask, where);
  checkGot(cell, first.got, way);
  const { results } = scenario;
  if (!results) return first.got;
  const next = continued(scenario.ask, first.got, results);
  const second = await look(gateway, way, scenario, next);
  checkSent(cell, second, inNoFormat(next, first.got, way), `${where}, with results`);
  expect(second.got, where).toMatchObject({ status: 200, finish: 'stop' });
  for (const result of results) expect(second.got.text, where).toContain(` gave ${result}`);
  return first.got;
}

function checkSent({ expect, bent }: Cell, { got, sent }: Look, ask: Ask, where: string): void {
  const changes = bent.flatMap(rule => rule.sent ?? []);
  const wanted = Object.assign({ ...ask }, ...changes.map(change => change(ask)));
  expect(sent.length, `${where}: ${JSON.stringify(got)}`).toBeGreaterThan(0);
  for (const one of sent) expect(one, `sent upstream, ${where}`).toEqual(said(wanted));
}

function checkGot({ expect, scenario, bent }: Cell, got: Got, way: Way): void {
  const where = way.stream ? 'streamed' : 'whole';
  const wanted = Object.assign({ ...scenario.got }, ...bent.map(rule => rule.got ?? {}));
  expect(got, where).toMatchObject(wanted);
  const error = bent.find(rule => rule.error)?.error ?? scenario.error;
  if (!error) {
    expect(got, where).toMatchObject({ status: 200 });
    expect(got.error, where).toBeUndefined();
    return;
  }
  const { status, name, within = name } = expected[way.client][error] as Shape;
  const begun = way.stream && scenario.begun === true;
  expect(got, where).toMatchObject(
    begun ? { status: 200, error: { name: within } } : { status, error: { name } },
  );
  expect(got.text !== '', where).toBe(begun);
}

/** The content that a client of any format shows its user. */
function shown({ own: _, ...got }: Got) {
  return got;
}

function continued(ask: Ask, { own, calls }: Got, results: string[]): Ask {
  const result: Turn = { role: 'tool', results: results.map((text, call) => ({ call, text })) };
  return { ...ask, turns: [...ask.turns, { role: 'own', entries: own, calls }, result] };
}

/** The client's own entries as turns. */
function inNoFormat(ask: Ask, { text, reasoning, calls }: Got, { upstream }: Way): Ask {
  const said: Turn = {
    role: 'assistant',
    ...(reasoning && { reasoning }),
    ...(signs(ask, upstream) && { signed: true }),
    ...(text && { text }),
    calls: calls.map(({ name, args }) => ({ name, args })),
  };
  return { ...ask, turns: ask.turns.map(turn => (turn.role === 'own' ? said : turn)) };
}

/** Formats whose vendors do not sign reasoning. */
const unsigned: readonly Way['upstream'][] = ['chat', 'cohere-chat'];

/** True if a vendor signs reasoning before tool calls; Gemini also does if no reasoning was requested. */
function signs({ effort }: Ask, upstream: Way['upstream']): boolean {
  return upstream === 'generate-content' || (effort !== undefined && !unsigned.includes(upstream));
}
