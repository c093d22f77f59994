import { parseAst } from 'vite';

/** A test as its file states it. */
export interface WrittenTest {
  /** The titles of its describes, and its own, with placeholders for the values of a table. */
  titles: string[];
  source: string;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string';

/** The tests of a source, without those that are skipped or still to be written. */
export function writtenTests(source: string): WrittenTest[] {
  const found: WrittenTest[] = [];
  const visit = (node: Node, outer: string[]): void => {
    const call = calledTest(node);
    if (call?.unused) return;
    const titles = call ? [...outer, call.title] : outer;
    if (call?.kind === 'test') found.push({ titles, source: source.slice(node.start, node.end) });
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child, titles);
  };
  visit(parseAst(source, { lang: 'ts' }) as unknown as Node, []);
  return found;
}

interface CalledTest {
  kind: 'test' | 'describe';
  title: string;
  unused: boolean;
}

/** Reads a call of `test`, `describe`, or one of their variants, as `test.each(table)`. */
function calledTest(node: Node): CalledTest | undefined {
  if (node.type !== 'CallExpression') return undefined;
  const variants: string[] = [];
  let callee = node.callee as Node;
  for (; callee.type !== 'Identifier'; callee = (callee.callee ?? callee.object ?? callee.tag) as Node) {
    if (!isNode(callee.callee ?? callee.object ?? callee.tag)) return undefined;
    if (isNode(callee.property)) variants.push(String(callee.property.name));
  }
  const kind = callee.name;
  const title = titleOf((node.arguments as Node[])[0]);
  if ((kind !== 'test' && kind !== 'describe') || title === undefined) return undefined;
  return { kind, title, unused: variants.some(name => name === 'skip' || name === 'todo') };
}

function titleOf(argument: Node | undefined): string | undefined {
  if (typeof argument?.value === 'string') return argument.value;
  if (argument?.type !== 'TemplateLiteral') return undefined;
  return (argument.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('%s');
}

/** True if a test, or a describe around it, has the title, which a table may complete. */
export function isTitled({ titles }: WrittenTest, title: string): boolean {
  return titles.some(written => written === title || completes(title, written));
}

const placeholder = /%[sdifjo]|\$[\w.]+/g;

function completes(title: string, written: string): boolean {
  const words = written.split(placeholder);
  // Placeholders alone would match every title.
  if (words.length < 2 || words.join('').length < 10) return false;
  const pattern = words.map(text => text.replaceAll(/[.*+?^$()|[\]{}\\]/g, '\\$&')).join('.+');
  return new RegExp(`^${pattern}$`, 's').test(title);
}
