import { Document, isMap, isSeq, type Node } from 'yaml';
import type { Imported } from './result.ts';

/** Writes gateway.yaml, with comments that say what each part came from. */
export function catalogText({ catalog, comments }: Imported, head: string): string {
  const document = new Document(catalog, { aliasDuplicateObjects: false });
  for (const [path, comment] of comments) {
    const node = document.getIn(
      path.split('.').map(step => (/^\d+$/.test(step) ? Number(step) : step)),
      true,
    );
    if (isMap(node)) node.commentBefore = lines(comment);
  }
  for (const list of ['providers', 'models', 'projects', 'users']) {
    const node = document.get(list, true);
    if (isSeq(node)) for (const item of node.items) flow(item as Node);
  }
  document.commentBefore = lines(head);
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

/** Writes small mappings and lists on one line. */
function flow(node: Node): void {
  if (!isMap(node)) return;
  for (const { value } of node.items) {
    if (isMap(value)) value.flow = true;
    else if (isSeq(value)) {
      if (value.items.every(item => !isMap(item))) value.flow = true;
      for (const item of value.items) if (isMap(item)) item.flow = true;
    }
  }
}

function lines(text: string): string {
  return text
    .split('\n')
    .map(line => ` ${line}`)
    .join('\n');
}

/** Writes a file of environment variables for shells, Compose and systemd. */
export function environmentText(secrets: ReadonlyMap<string, string>): string {
  return [...secrets].map(([name, value]) => `${name}='${value.replaceAll("'", `'\\''`)}'\n`).join('');
}
