import { connectBus } from '@model-gateway/bus';
import { startNats } from '@model-gateway/bus/testing';
import { Console } from '../../../../test/browser/console.ts';
import { until } from '../../../../test/until.ts';
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
  const look = async () => {
    const { data } = await console.admin('GET', `/usage?limit=1&model=${encodeURIComponent(lastModel)}`);
    return data.length > 0;
  };
  await until('the ledger has the sample', look, 120_000);
}
