import { parseExact, type ToolResultPart } from '@model-gateway/canonical';
import { opaqueText } from '../opaque-text.ts';
import type { Part } from './content.ts';
import { isShown, mediaPart } from './media.ts';
import { functionName, givenId } from './names.ts';

/** Names of functions by the ids of their calls. */
export type CallNames = ReadonlyMap<string, string>;

/** A function's result. With `media`, what it shows is within; else its text says that it follows. */
export function resultPart(result: ToolResultPart, names: CallNames, media: boolean): Part {
  const { callId } = result;
  const shown = media ? shownParts(result) : [];
  return {
    functionResponse: {
      ...givenId(callId),
      name: functionName(names.get(callId) ?? ''),
      response: response(result, media),
      ...(shown.length > 0 && { parts: shown }),
    },
  };
}

/** What a result shows rather than says. */
export function shownParts({ content }: ToolResultPart): Part[] {
  return content.flatMap(part => (part.type === 'media' && isShown(part) ? [mediaPart(part)] : []));
}

/** An object is given as it is; any other text has a key of its own. */
function response(result: ToolResultPart, media: boolean): Record<string, unknown> {
  const { content, error } = result;
  const text = texts(result, media).join('\n');
  if (error) return { error: text };
  const plain = content.length === 1 && content[0]?.type === 'text';
  return (plain && objectIn(text)) || { output: text };
}

function texts({ content }: ToolResultPart, media: boolean): string[] {
  return content.flatMap(part => {
    if (part.type === 'text') return [part.text];
    if (part.type === 'opaque') return [opaqueText(part)];
    if (!isShown(part)) return [mediaPart(part).text ?? ''];
    return media ? [] : [`(${part.kind}: see the content that follows)`];
  });
}

function objectIn(text: string): Record<string, unknown> | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    return parseExact(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
