import type { Reporter, TestModule } from 'vitest/node';

/** Prints the smoke tests that were skipped, so that no flow that users depend on goes untested unnoticed. */
export class SkippedFlows implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules
      .filter(({ project }) => project.name.startsWith('smoke'))
      .flatMap(module => [...module.children.allTests('skipped')]);
    if (skipped.length === 0) return;
    console.log(`\n${skipped.length} smoke tests were skipped:`);
    for (const test of skipped) {
      const result = test.result();
      const why = result.state === 'skipped' && result.note ? `: ${result.note}` : '';
      console.log(`  ${test.module.relativeModuleId} > ${test.fullName}${why}`);
    }
  }
}
