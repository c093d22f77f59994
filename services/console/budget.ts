import { gzipSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';

/** The most bytes of the shell, which every page loads first, and of what one page loads in addition; compressed by gzip. */
export const most = { shell: 250_000, page: 250_000 };

/** The size of what is loaded before a page's own files, or of those, in bytes after compression. */
interface Size {
  of: string;
  bytes: number;
  most: number;
}

/** Prints the size of the shell and of each page, and fails the build if one is over its budget. */
export function holdBudget(): Plugin {
  return {
    name: 'hold-budget',
    apply: 'build',
    generateBundle(_, bundle) {
      const sizes = sizesOf(bundle);
      for (const { of, bytes, most } of sizes) this.info(`${of}: ${inKb(bytes)} of at most ${inKb(most)}`);
      const over = sizes.filter(({ bytes, most }) => bytes > most);
      if (over.length === 0) return;
      const sentences = over.map(
        ({ of, bytes, most }) =>
          `${of} has ${inKb(bytes)} compressed, and may have ${inKb(most)}: load what it does not need at once by import().`,
      );
      this.error(sentences.join(' '));
    },
  };
}

type Bundle = Rolldown.OutputBundle;
type Chunk = Rolldown.OutputChunk;

function sizesOf(bundle: Bundle): Size[] {
  const chunks = Object.values(bundle).filter(file => file.type === 'chunk');
  const entry = chunks.find(({ isEntry }) => isEntry);
  if (!entry) throw new Error('the console has no entry');
  const shell = filesOf(bundle, entry);
  const pages = chunks.filter(chunk => entry.dynamicImports.includes(chunk.fileName));
  const ofPage = (page: Chunk): Size => {
    const own = [...filesOf(bundle, page)].filter(file => !shell.has(file));
    return { of: `page ${page.name}`, bytes: bytesOf(bundle, own), most: most.page };
  };
  return [{ of: 'shell', bytes: bytesOf(bundle, [...shell]), most: most.shell }, ...pages.map(ofPage)];
}

/** Returns the files that a chunk loads at once: itself, the chunks that it imports, and their styles. */
function filesOf(bundle: Bundle, chunk: Chunk, found = new Set<string>()): Set<string> {
  if (found.has(chunk.fileName)) return found;
  found.add(chunk.fileName);
  for (const style of chunk.viteMetadata?.importedCss ?? []) found.add(style);
  for (const name of chunk.imports) {
    const imported = bundle[name];
    if (imported?.type === 'chunk') filesOf(bundle, imported, found);
  }
  return found;
}

function bytesOf(bundle: Bundle, files: readonly string[]): number {
  return files.reduce((sum, name) => {
    const file = bundle[name];
    if (!file) return sum;
    return sum + gzipSync(file.type === 'chunk' ? file.code : file.source).length;
  }, 0);
}

function inKb(bytes: number): string {
  return `${Math.round(bytes / 1_000)} kB`;
}
