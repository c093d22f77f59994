import type { MediaPart } from '@model-gateway/canonical';
import type { GoogleAnswerPart } from '@model-gateway/wire';

/** What a model made that is no text; a file of another vendor is a name only. */
export function renderMedia({ kind, source, mediaType, name }: MediaPart): GoogleAnswerPart {
  switch (source.type) {
    case 'text':
      return { text: source.text };
    case 'base64':
      return { inlineData: { mimeType: mediaType ?? defaultTypes[kind], data: source.data } };
    case 'url':
      return { fileData: { ...(mediaType && { mimeType: mediaType }), fileUri: source.url } };
    case 'file':
      if (source.format !== 'generate-content') return { text: `[${name ?? kind}: ${source.id}]` };
      return { fileData: { ...(mediaType && { mimeType: mediaType }), fileUri: source.id } };
  }
}

const defaultTypes: Record<MediaPart['kind'], string> = {
  image: 'image/png',
  audio: 'audio/wav',
  document: 'application/octet-stream',
};
