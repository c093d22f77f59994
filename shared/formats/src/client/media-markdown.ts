import type { MediaPart } from '@model-gateway/canonical';

/** Renders media as a Markdown link, for a format whose responses have no media. */
export function mediaMarkdown({ kind, source, mediaType, name }: MediaPart): string {
  switch (source.type) {
    case 'text':
      return source.text;
    case 'file':
      return `[${name ?? kind}: ${source.id}]`;
    case 'url':
    case 'base64': {
      const url = source.type === 'url' ? source.url : `data:${mediaType ?? ''};base64,${source.data}`;
      return `${kind === 'image' ? '!' : ''}[${name ?? kind}](${url})`;
    }
  }
}
