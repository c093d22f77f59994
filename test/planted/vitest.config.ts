import { mergeConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import config from '../../vitest.config.ts';

/** Runs files in the order of PLANTED_ORDER, paths with a comma between them. */
class GivenOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = (process.env.PLANTED_ORDER ?? '').split(',');
    const place = ({ moduleId }: TestSpecification) => order.findIndex(path => moduleId.endsWith(`/${path}`));
    return files.toSorted((one, other) => place(one) - place(other));
  }
}

export default mergeConfig(config, {
  // A fault may be that a test hangs.
  test: { sequence: { sequencer: GivenOrder }, bail: 1, reporters: ['json'], testTimeout: 60_000 },
});
