/** The most marks that an upstream takes. */
const maxMarks = 4;

/** What may bear a mark: tools and blocks, a tool result's own blocks among them. */
interface Marked {
  cache_control?: unknown;
  content?: unknown;
}

/** Takes away the earliest marks of a prompt, given in its order, where there are too many. */
export function limitMarks(prompt: Marked[]): void {
  const marked = prompt.flatMap(withContent).filter(block => block.cache_control);
  for (const block of marked.slice(0, -maxMarks)) delete block.cache_control;
}

function withContent(block: Marked): Marked[] {
  return Array.isArray(block.content) ? [...block.content, block] : [block];
}
