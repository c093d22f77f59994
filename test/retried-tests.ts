import type { Reporter, TestModule } from 'vitest/node';

/** Prints the tests that failed at first and passed when they were run again, with their first errors. */
export class RetriedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const retried = modules
      .flatMap(module => [...module.children.allTests()])
      .filter(test => test.diagnostic()?.flaky);
    if (retried.length === 0) return;
    console.log(`\n${retried.length} passed only when run again:`);
    for (const test of retried) {
      console.log(`  ${test.module.relativeModuleId} > ${test.fullName}`);
      console.log(`    ${test.result().errors?.[0]?.message.split('\n', 1)[0] ?? ''}`);
    }
  }
}
