// Prints the numbers that the architecture test checks, and those of each package: `npm run counts`.
import { arrowsOf } from './arrows.ts';
import { faultsOf, rules } from './rules.ts';
import { count, productSources } from './sources.ts';

const sources = productSources();
const { long, lonely, ...numbers } = count(sources);
console.table(numbers);
console.log('files over 400 lines:', long);
console.log('folders that hold one file:', lonely);

const { circles, mutual } = arrowsOf(sources);
console.log('circles of imports:', circles);
console.log('imports of a package above:', faultsOf(rules['a package imports only what it may'], sources));
console.log(`${mutual.length} pairs of folders that import each other:`);
for (const [one, other] of mutual) console.log(`  ${one} and ${other}`);

const packages = Map.groupBy(sources, ({ path }) => path.split('/').slice(0, 2).join('/'));
console.table(
  Object.fromEntries(
    [...packages].map(([name, files]) => {
      const { files: number, lines, medianLines, vagueDocComments } = count(files);
      return [name, { files: number, lines, medianLines, vagueDocComments }];
    }),
  ),
);
