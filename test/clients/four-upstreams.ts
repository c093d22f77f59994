import { type Format, formats, providersAt } from '../stack/formats.ts';
import { type Simulated, startSimulated } from '../stack/simulated.ts';

/** The formats that the simulator is spoken to in; a model is asked for by one of these and its name. */
export const upstreams = formats;
export type Upstream = Format;

/** Models by the name after that, and what each is at the simulator: fast, and of which generation. */
const names = { 'sim-fast': 'sim-fast', 'claude-opus-4-6': 'sim-fast-claude-opus-4-6', '*': '*' };

/** A gateway before one simulator, which it knows as an upstream of each format. */
export type FourUpstreams = Simulated;

export function startFourUpstreams(): Promise<FourUpstreams> {
  const models = Object.entries(names).flatMap(([name, model]) =>
    upstreams.map(provider => ({ name: `${provider}/${name}`, targets: [{ provider, model }] })),
  );
  return startSimulated(url => ({ providers: providersAt(url), models }));
}
