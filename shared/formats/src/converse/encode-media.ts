import type { MediaPart } from '@model-gateway/canonical';
import { asHeld } from '../upstream/encode-media.ts';
import { refuse, unsupported } from '../upstream/unsupported.ts';
import type { DocumentNames } from './names.ts';
import type {
  ConverseAudioParam,
  ConverseDocumentParam,
  ConverseImageParam,
  ConverseMediaParam,
  ConverseSourceParam,
} from './params.ts';

/** Formats of images by media type (`ImageFormat`). */
const imageFormats: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/jpg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

/** Formats of documents by media type (`DocumentFormat`). */
const documentFormats: Record<string, string> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'application/csv': 'csv',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/html': 'html',
  'text/markdown': 'md',
  'text/plain': 'txt',
};

/** Formats of audio by media type (`AudioFormat`). */
const audioFormats: Record<string, string> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mp3': 'mp3',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/opus': 'opus',
  'audio/flac': 'flac',
  'audio/aac': 'aac',
  'audio/mp4': 'mp4',
  'audio/webm': 'webm',
};

/** Encodes media. @throws GatewayError for media that this format cannot hold */
export function mediaBlock(media: MediaPart, names: DocumentNames): ConverseMediaParam {
  const part = asHeld(media);
  switch (part.kind) {
    case 'image':
      return imageBlock(part);
    case 'audio':
      return audioBlock(part);
    case 'document':
      return documentBlock(part, names);
  }
}

function imageBlock(part: MediaPart): ConverseImageParam {
  const mediaType = part.mediaType ?? typeByUrl(part);
  const format = mediaType && imageFormats[mediaType];
  if (!format) throw unsupported('messages', 'this model takes PNG, JPEG, GIF and WebP images');
  return { image: { format, source: sourceOf(part) } };
}

function documentBlock(part: MediaPart, names: DocumentNames): ConverseDocumentParam {
  const mediaType = part.mediaType ?? (part.source.type === 'text' ? 'text/plain' : typeByUrl(part));
  const format =
    mediaType && (documentFormats[mediaType] ?? (mediaType.startsWith('text/') ? 'txt' : undefined));
  if (!format)
    throw unsupported('messages', `this model does not take documents of the type ${mediaType ?? 'unknown'}`);
  return { document: { format, name: names.of(part.name), source: sourceOf(part) } };
}

function audioBlock(part: MediaPart): ConverseAudioParam {
  const format = audioFormats[part.mediaType ?? ''];
  if (!format) throw unsupported('messages', `this model does not take audio of the type ${part.mediaType}`);
  return { audio: { format, source: sourceOf(part) } };
}

function sourceOf({ source, kind }: MediaPart): ConverseSourceParam {
  switch (source.type) {
    case 'base64':
      return { bytes: source.data };
    case 'text':
      return { bytes: Buffer.from(source.text).toString('base64') };
    case 'url':
      if (source.url.startsWith('s3://')) return { s3Location: { uri: source.url } };
      throw unsupported('messages', `this model's provider does not take ${kind}s by URL, except s3://`);
    case 'file':
      return refuse('messages', `The file '${source.id}' is stored with another vendor than this model's.`);
  }
}

/** Types of the objects of S3 by their names. */
const types: Record<string, string> = {
  ...{ png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp' },
  ...{ pdf: 'application/pdf', csv: 'text/csv', html: 'text/html', md: 'text/markdown', txt: 'text/plain' },
};

function typeByUrl({ source }: MediaPart): string | undefined {
  if (source.type !== 'url') return undefined;
  const [, extension = ''] = /\.(\w+)$/.exec(source.url) ?? [];
  // Another URL is refused for what it is, and not for its type.
  return types[extension.toLowerCase()] ?? 'image/png';
}
