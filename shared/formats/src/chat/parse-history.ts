import { areArguments } from '@model-gateway/json';
import { mendedDataUrl } from '../values/data-url.ts';
import { hasLineEnds } from '../values/media-type.ts';
import { isForeignSignature, readSignedId } from '../values/signatures.ts';
import type { ChatRequest } from './request.ts';

type Fields = Record<string, unknown>;

/**
 * True if a history holds what vendors of this format refuse, though no client means it: signatures that the gateway added for a
 * vendor of another format, behind a format tag or in a call id, arguments that are cut off or no text, null in place of content,
 * and media in another form. A signature without a tag may be the upstream's own.
 */
export function isForeignHistory({ messages }: Pick<ChatRequest, 'messages'>): boolean {
  return messages.some((message: Fields) => {
    const { role, content } = message;
    if (role === 'tool' && content === null) return true;
    if (role !== 'assistant') return someObject(content, isLooseMedia);
    const { thinking_blocks: blocks, tool_calls: calls, function_call: call } = message;
    return (
      (content === null && !hasOther(message)) ||
      someObject(blocks, isForeignBlock) ||
      someObject(calls, isForeignCall) ||
      hasLooseArguments(call)
    );
  });
}

/** True for a message that needs no content. */
function hasOther({ tool_calls: calls, function_call: call, refusal, audio }: Fields): boolean {
  return (Array.isArray(calls) && calls.length > 0) || Boolean(call ?? refusal ?? audio);
}

function isForeignBlock({ signature, data }: Fields): boolean {
  return isForeignSignature(signature, 'messages') || isForeignSignature(data, 'messages');
}

function isForeignCall({ id, function: called }: Fields): boolean {
  return (typeof id === 'string' && readSignedId(id).signature !== undefined) || hasLooseArguments(called);
}

/** True for a call whose arguments are not JSON text. */
function hasLooseArguments(called: unknown): boolean {
  return typeof called === 'object' && called !== null && !areArguments((called as Fields).arguments);
}

/** True for an image that is a URL alone, for a data URL of another type than its bytes, and for base64 with line ends. */
function isLooseMedia({ image_url: image, input_audio: audio, file }: Fields): boolean {
  if (typeof image === 'string') return true;
  const { data } = Object(audio) as Fields;
  if (typeof data === 'string' && hasLineEnds(data)) return true;
  const urls = [Object(image).url, Object(file).file_data];
  return urls.some(url => typeof url === 'string' && mendedDataUrl(url) !== url);
}

function someObject(list: unknown, test: (object: Fields) => boolean): boolean {
  return (
    Array.isArray(list) && list.some(value => typeof value === 'object' && value !== null && test(value))
  );
}
