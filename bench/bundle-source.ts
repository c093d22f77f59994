import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, resolve } from 'node:path';

/** A place in a file. Lines and columns count from 0. */
export interface Place {
  file: string;
  line: number;
  column: number;
}

const sourceMaps = new Map<string, SourceMap | undefined>();

/** Returns the place in the source of a place in a bundle. A place in a file without a source map stays as it is. */
export function sourceOf(place: Place): Place {
  const found = sourceMapOf(place.file)?.findEntry(place.line, place.column);
  if (!found || !('originalSource' in found)) return place;
  const { originalSource, originalLine, originalColumn } = found;
  return { file: resolve(dirname(place.file), originalSource), line: originalLine, column: originalColumn };
}

function sourceMapOf(file: string): SourceMap | undefined {
  if (!sourceMaps.has(file)) {
    const path = `${file}.map`;
    sourceMaps.set(
      file,
      existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : undefined,
    );
  }
  return sourceMaps.get(file);
}
