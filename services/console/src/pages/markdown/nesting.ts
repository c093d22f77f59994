const fence = /^ {0,3}(```|~~~)/;
const container = /[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$))/y;

/** The most quotes and lists within each other. */
const mostContainers = 100;
/** The most elements within each other. The parser, React and the browser call themselves for each. */
const deepest = 400;
/** The longest block, in characters, whose parts are searched for; code is shown at any length. */
const longest = 50_000;
/** The most brackets that may open a link: the parser compares each with those before it. */
const mostBrackets = 1_000;

/** True if a block of Markdown can be parsed in a short time: others are shown as they are. */
export function isParsable(block: string): boolean {
  if (fence.test(block)) return true;
  if (block.length > longest || block.split('[').length > mostBrackets) return false;
  return block.split('\n').every(line => containersOf(line) <= mostContainers);
}

/** Returns the number of quotes and list items that a line may be in: those that it names, and those that its indentation continues. */
function containersOf(line: string): number {
  let count = (line.length - line.trimStart().length) / 2;
  container.lastIndex = 0;
  while (container.test(line)) count++;
  return count;
}

interface Node {
  type: string;
  children?: readonly Node[];
}

interface Root extends Node {
  children: Node[];
}

/** Replaces a tree of Markdown that nests too deep by its text. */
export function limitMarkdown(tree: Root, text: unknown): void {
  if (nestsTooDeep(tree)) tree.children = [Object.assign({ type: 'code' }, { value: String(text) })];
}

/** Replaces a tree of HTML that nests too deep by its text. */
export function limitHtml(tree: Root, text: unknown): void {
  if (!nestsTooDeep(tree)) return;
  const children = [Object.assign({ type: 'text' }, { value: String(text) })];
  tree.children = [Object.assign({ type: 'element', children }, { tagName: 'pre', properties: {} })];
}

function nestsTooDeep(tree: Node): boolean {
  let level: readonly Node[] = [tree];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return true;
    level = level.flatMap(({ children = [] }) => children);
  }
  return false;
}
