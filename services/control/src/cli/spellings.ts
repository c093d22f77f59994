/** Other spellings of commands: the words that a command line may begin with, and those that they stand for. */
const spellings: readonly [words: readonly string[], meant: readonly string[]][] = [
  [
    ['requests', '--follow'],
    ['request', 'follow'],
  ],
  [
    ['request', 'list', '--running'],
    ['request', 'running'],
  ],
];

/** Returns a command line as its command is documented. */
export function asDocumented(args: readonly string[]): string[] {
  const found = spellings.find(([words]) => words.every((word, i) => word === args[i]));
  return found ? [...found[1], ...args.slice(found[0].length)] : [...args];
}
