/** Other spellings of commands: the words that a command line begins with, an option anywhere behind them, and what they stand for. */
const spellings = [
  { words: ['requests'], option: '--follow', meant: ['request', 'follow'] },
  { words: ['request', 'list'], option: '--running', meant: ['request', 'running'] },
] as const;

/** Returns a command line as its command is documented. */
export function asDocumented(args: readonly string[]): string[] {
  for (const { words, option, meant } of spellings)
    if (words.every((word, i) => word === args[i]) && args.includes(option))
      return [...meant, ...args.slice(words.length).filter(arg => arg !== option)];
  return [...args];
}
