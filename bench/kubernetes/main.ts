// Measures the capacity of one replica of each service on the cluster of KUBECONFIG. See
// test/kubernetes/README.md.
import { parseArgs } from 'node:util';
import { Namespace } from '../../test/kubernetes/namespace.ts';
import { Release } from '../../test/kubernetes/release.ts';
import { readSettings, type Settings } from '../../test/kubernetes/settings.ts';
import { machine } from '../machine.ts';
import { table } from '../table.ts';
import { recordsPerSecond } from './ledger.ts';
import { streamsAtOnce, vectorsPerSecond, wholePerSecond } from './measure.ts';
import { limited, type Service, services, vectorCatalog, vectorModel } from './values.ts';
import { vectorUpstreamLabels, vectorUpstreamObjects } from './vector-upstream.ts';

const { values: options } = parseArgs({
  options: {
    service: { type: 'string', multiple: true, default: [...services] },
    cpu: { type: 'string', multiple: true, default: ['0.2', '1'] },
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    pair: { type: 'boolean', default: false },
  },
});
const seconds = Number(options.seconds);

const settings = readSettings();
console.log(machine());
const namespace = await Namespace.create(settings.namespace);
const release = new Release(namespace, 'gateway', settings.nodeAddress);
try {
  console.log(options.pair ? await pair(settings) : await sizing(settings));
} finally {
  if (!settings.keep) await namespace.delete();
}
console.log(machine());

/** One replica of each service in turn, limited, with every other service unlimited. */
async function sizing(settings: Settings): Promise<string> {
  const rows: (string | number)[][] = [];
  for (const service of options.service.map(named))
    for (const cpu of options.cpu) {
      await release.apply(limited(settings, service, cpu));
      const target = await release.target();
      if (service === 'control') {
        rows.push([service, cpu, '–', '–', await recordsPerSecond(release, target, seconds)]);
      } else {
        const whole = await wholePerSecond(target, seconds);
        rows.push([service, cpu, whole, String(await streamsAtOnce(target, seconds)), '–']);
      }
      console.log(rows.at(-1)?.join('\t'));
    }
  const head = ['service', 'CPU', 'whole answers/s', 'streams of 20 tokens/s', 'usage records/s'];
  return `\n${table(head, rows)}\n`;
}

/** The capacity of two workers of 0.2 CPU relative to one: the median of alternating rounds. */
async function pair(settings: Settings): Promise<string> {
  const { image } = settings;
  await namespace.apply(...vectorUpstreamObjects(`${image.repository}:${image.tag}`));
  await release.apply({
    ...limited(settings, 'worker', '0.2'),
    catalog: vectorCatalog,
    networkPolicy: { upstreams: [{ podSelector: { matchLabels: vectorUpstreamLabels } }] },
  });
  const target = await release.target();
  const ratios: number[] = [];
  for (let round = 0; round < Number(options.rounds); round++) {
    await release.scale('worker-default', 1);
    await release.settled();
    const one = await vectorsPerSecond(target, vectorModel, seconds);
    await release.scale('worker-default', 2);
    const two = await vectorsPerSecond(target, vectorModel, seconds);
    ratios.push(two / one);
    console.log(`one worker ${one.toFixed(1)}/s, two ${two.toFixed(1)}/s: ${(two / one).toFixed(2)} times`);
  }
  const median = ratios.toSorted((one, other) => one - other)[Math.floor(ratios.length / 2)] ?? 0;
  return `\nTwo workers of 0.2 CPU carry ${median.toFixed(2)} times what one does\n`;
}

function named(name: string): Service {
  const found = services.find(service => service === name);
  if (found) return found;
  throw new Error(`--service: one of ${services.join(', ')} was expected, not '${name}'`);
}
