const fence = /^ {0,3}(```|~~~)/;
const container = /[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$))/y;

/** The most quotes and lists within each other. */
const mostContainers = 100;
/** The most elements within each other. The parser, React and the browser call themselves for each. */
const deepest = 400;
/** The longest block, in characters, whose parts are searched for; code is shown at any length. */
const longest = 50_000;

/** True if a block of Markdown can be parsed in a short time: others are shown as they are. */
export function isParsable(block: string): boolean {
  if (fence.test(block)) return true;
  return block.length <= longest && block.split('\n').every(line => containersOf(line) <= mostContainers);
}

/** Returns the number of quotes and list items that a line may be in: those that it names, and those that its indentation continues. */
function containersOf(line: string): number {
  let count = (line.length - line.trimStart().length) / 2;
  container.lastIndex = 0;
  while (container.test(line)) count++;
  return count;
}

interface Node {
  children?: readonly Node[];
}

/** Refuses a tree that nests too deep. @throws Error */
export function assertShallow(tree: Node): void {
  let level: readonly Node[] = [tree];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) throw new Error('The text nests too deep to be rendered.');
    level = level.flatMap(({ children = [] }) => children);
  }
}
