// Prints the files of the project in which a function runs for one request of each kind, in the front and in the
// worker: `npm run touched`, or `npm run touched -- 'chat, streamed'` with the files themselves.
import { parseArgs } from 'node:util';
import { measureTouched, requests } from './touched-files.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const wanted = positionals.length > 0 ? positionals : Object.keys(requests);
const touched = await measureTouched(wanted);
const rows = Object.entries(touched).map(([name, { front, worker }]) => {
  const all = new Set([...front, ...worker]);
  return [name, { front: front.length, worker: worker.length, both: all.size }] as const;
});
console.table(Object.fromEntries(rows));
if (positionals.length > 0) console.log(touched);
