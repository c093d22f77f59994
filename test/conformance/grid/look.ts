import type { Format } from '../../stack/formats.ts';
import type { Ask } from './ask.ts';
import { send } from './clients/send.ts';
import type { GridGateway } from './gateway.ts';
import type { Got } from './got.ts';
import type { Scenario } from './scenarios.ts';
import { type UpstreamFormat, upstreams } from './upstreams/index.ts';

/** A client, an upstream and options of one run. */
export interface Way {
  client: Format;
  /** The vendor of the upstream's format, if that makes a difference. */
  openAi?: boolean;
  upstream: UpstreamFormat;
  stream: boolean;
  /** A part of the model's name by which its requests are found; equal marks get equal words and ids. */
  mark: string;
}

/** The result of a request. */
export interface Look {
  got: Got;
  /** Every body that the upstream received; empty if it was not called. */
  sent: Ask[];
}

/**
 * Sends a request as a client of the format does, and reads both ends. No concurrent request may have the
 * mark.
 */
export async function look(
  gateway: GridGateway,
  { client, upstream, stream, mark, openAi }: Way,
  { behaviour = 'sim-fast', counts }: Scenario,
  ask: Ask,
): Promise<Look> {
  const { model, read } = upstreams[upstream];
  const provider = `${openAi ? 'openai-' : counts ? 'counting-' : ''}${upstream}`;
  // The upstream's behaviour is the part after the last slash.
  const name = `${provider}/${mark}/${model(behaviour)}`;
  const before = gateway.sent(mark).length;
  const { url, token } = gateway.stack;
  const { retryAfter: _, ...got } = await send({ url, token, format: client, model: name, stream }, ask);
  return { got, sent: gateway.sent(mark).slice(before).map(read) };
}
