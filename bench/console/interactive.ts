import { Console } from '../../test/browser/console.ts';

/** Prints how long a browser without a cache takes until the Playground can be used: until its field for a token takes what is typed. */
const rounds = 7;

if (!Console.possible) {
  console.error('There is no Chromium on this machine. Install one, or name it by CHROMIUM_BIN.');
  process.exit(1);
}
const running = await Console.start();
try {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const page = await running.open('/playground', 'nobody');
    const field = page.getByRole('textbox', { name: 'Token', exact: true });
    await field.fill('sk-typed');
    times.push(await page.evaluate<number>('performance.now()'));
    await page.context().close();
  }
  const sorted = times.toSorted((one, other) => one - other);
  const median = sorted[Math.floor(rounds / 2)] as number;
  console.log(
    `The Playground can be used after ${Math.round(median)} ms (median of ${rounds} cold loads; the longest took ${Math.round(sorted.at(-1) as number)} ms).`,
  );
} finally {
  await running.stop();
}
