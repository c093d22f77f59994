import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { filesOf, type LayerName, layers } from './test/layers.ts';
import { SkippedFlows } from './test/skipped-flows.ts';

/** They take a minute or longer. They start first, so that none runs alone at the end. */
const longest =
  /test\/(browser\/(every-page|playground|playground-formats)|compose\/compose|fleet\/responses|interop\/python|launcher\/stop|openapi\/schemathesis\/schemathesis|snippets\/snippets)\./;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

function rank({ moduleId }: TestSpecification): number {
  return longest.test(moduleId) ? 0 : 1;
}

type ProjectOptions = NonNullable<TestProjectInlineConfiguration['test']>;

const minute = 60_000;
const installed = '**/node_modules/**';
/** The smoke test of containers. It runs after the others: containers change the network interfaces, at which Chromium drops its connections. */
const containerSmoke = 'test/containers/*.smoke.test.ts';
/** The programs that the tests start, and the database that they copy. */
const globalSetup = ['test/build.ts', 'test/launcher/template.ts'];
/** They start one after another: each loads all cores, or measures times. */
const alone = { fileParallelism: false };

const options: Record<LayerName, ProjectOptions> = {
  // These share their processes, because loading modules takes longer than most of the tests.
  unit: { isolate: false, setupFiles: ['test/wait-longer.ts', 'test/unit-only.ts'] },
  stack: { isolate: false, globalSetup, maxWorkers: 6 },
  smoke: { globalSetup },
  sdks: { globalSetup },
  browser: { globalSetup },
  fleet: { globalSetup },
  faults: { globalSetup },
  hostile: { globalSetup, ...alone },
  launcher: { globalSetup },
  containers: { globalSetup },
  chart: { globalSetup, testTimeout: 4 * minute, hookTimeout: 4 * minute },
  traces: { globalSetup, testTimeout: 4 * minute, hookTimeout: 4 * minute },
  upstreams: { globalSetup, ...alone, hookTimeout: 15 * minute, expect: { poll: { timeout: 30_000 } } },
  kubernetes: { testTimeout: minute, ...alone },
};

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    testTimeout: 3 * minute,
    hookTimeout: 3 * minute,
    setupFiles: ['test/wait-longer.ts'],
    // The default of a second is too short on a busy machine.
    expect: { poll: { timeout: 15_000 } },
    // Most tests wait for processes and timers more than they compute, those of the stack most of all.
    maxWorkers: 4,
    reporters: ['default', new SkippedFlows(), ['json', { outputFile: 'reports/vitest.json' }]],
    // They run one after another, the quickest first.
    projects: (Object.keys(layers) as LayerName[])
      .flatMap(layer => {
        const include = filesOf(layer);
        const whole = { name: layer as string, include, exclude: [installed], ...options[layer] };
        if (layer !== 'smoke') return [whole];
        return [
          { ...whole, exclude: [installed, containerSmoke] },
          { ...whole, name: 'smoke-containers', include: [containerSmoke] },
        ];
      })
      .map((test, groupOrder) => ({ extends: true, test: { ...test, sequence: { groupOrder } } })),
  },
});
