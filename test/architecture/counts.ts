// Prints the numbers that the architecture test checks, and those of each package: `npm run counts`.
import { count, productSources } from './sources.ts';

const sources = productSources();
const { long, lonely, ...numbers } = count(sources);
console.table(numbers);
console.log('files over 300 lines:', long);
console.log('folders that hold one file:', lonely);

const packages = Map.groupBy(sources, ({ path }) => path.split('/').slice(0, 2).join('/'));
console.table(
  Object.fromEntries(
    [...packages].map(([name, files]) => {
      const { files: number, lines, medianLines, vagueDocComments } = count(files);
      return [name, { files: number, lines, medianLines, vagueDocComments }];
    }),
  ),
);
