import { type Format, formats, providersAt } from '../stack/formats.ts';
import { type Simulated, type SimulatedOptions, startSimulated } from '../stack/simulated.ts';

/** The formats of the simulator; a model is named by its format and its name. */
export const upstreams = formats;
export type Upstream = Format;

/** The simulator's models for each model name: a fast one of a given generation. */
const names = { 'sim-fast': 'sim-fast', 'claude-opus-4-6': 'sim-fast-claude-opus-4-6', '*': '*' };

/** A gateway with one simulator as an upstream of each format. */
export type FourUpstreams = Simulated;

export function startFourUpstreams(options: SimulatedOptions = {}): Promise<FourUpstreams> {
  const models = Object.entries(names).flatMap(([name, model]) =>
    upstreams.map(provider => ({ name: `${provider}/${name}`, targets: [{ provider, model }] })),
  );
  return startSimulated(url => ({ providers: providersAt(url), models }), {
    described: true,
    ...options,
  });
}
