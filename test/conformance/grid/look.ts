import type { Format } from '../../stack/formats.ts';
import type { Ask } from './ask.ts';
import { send } from './clients/send.ts';
import type { GridGateway } from './gateway.ts';
import type { Got } from './got.ts';
import type { Scenario } from './scenarios.ts';
import { upstreams } from './upstreams/index.ts';

/** One way to ask. */
export interface Way {
  client: Format;
  /** The vendor whose format the upstream speaks, where that makes a difference. */
  openAi?: boolean;
  upstream: Format;
  stream: boolean;
  /** A part of the model's name by which its requests are found again: the same one gets the same words and ids. */
  mark: string;
}

/** What came of a request. */
export interface Look {
  got: Got;
  /** What the upstream got, each time it was asked; empty where it was not. */
  sent: Ask[];
}

/** Asks as a client of the format does, and looks at both ends. No other request may have the mark at the same time. */
export async function look(
  gateway: GridGateway,
  { client, upstream, stream, mark, openAi }: Way,
  { behaviour = 'sim-fast', counts }: Scenario,
  ask: Ask,
): Promise<Look> {
  const { model, read } = upstreams[upstream];
  const provider = `${openAi ? 'openai-' : counts ? 'counting-' : ''}${upstream}`;
  // What an upstream does is read after the last slash.
  const name = `${provider}/${mark}/${model(behaviour)}`;
  const before = gateway.sent(mark).length;
  const { url, token } = gateway.stack;
  const { retryAfter: _, ...got } = await send({ url, token, format: client, model: name, stream }, ask);
  return { got, sent: gateway.sent(mark).slice(before).map(read) };
}
