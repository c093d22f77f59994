import { connectBus } from '@model-gateway/bus';
import { startNats } from '@model-gateway/bus/testing';
import { Console } from '../console.ts';
import { sampleConfig } from './config.ts';
import { fillSample, lastModel, sendTraffic } from './fill.ts';
import { writeHistory } from './history.ts';

/** A running gateway with lively data: several projects, users and tokens, weeks of usage, and traffic with errors and failovers. */
export interface Sample {
  console: Console;
  stop(): Promise<void>;
}

/** Starts the sample. `days` is the length of the usage behind it. */
export async function startSample(days = 35): Promise<Sample> {
  const nats = await startNats();
  const ending = new AbortController();
  const console = await Console.start(sampleConfig, { NATS_URL: nats.url });
  const sample = {
    console,
    async stop() {
      ending.abort();
      await console.stop();
      await nats.stop();
    },
  };
  try {
    const tokens = await fillSample(console);
    const bus = await connectBus({ url: nats.url, name: 'sample' });
    await writeHistory(bus, { tokens, days });
    await bus.close();
    await sendTraffic(console, tokens, ending.signal);
    await untilRecorded(console);
  } catch (error) {
    await sample.stop();
    throw error;
  }
  return sample;
}

/** Waits until the ledger has the history, and the traffic after it. */
async function untilRecorded(console: Console): Promise<void> {
  const late = Date.now() + 120_000;
  for (;;) {
    const { data } = await console.admin('GET', `/usage?limit=1&model=${encodeURIComponent(lastModel)}`);
    if (data.length > 0) return;
    if (Date.now() > late) throw new Error('the ledger does not have the sample after two minutes');
    await new Promise(resolve => setTimeout(resolve, 250));
  }
}
