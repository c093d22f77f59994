/** A generate-content request as its SDKs take it: the contents, and all else in one configuration. */
export interface Flattened {
  contents: unknown;
  config: Record<string, unknown>;
}

/** Converts the body of the wire to the arguments of an SDK. */
export function flattened(body: Record<string, unknown>): Flattened {
  const { contents, generationConfig, systemInstruction, ...others } = body;
  const system = textOfParts(systemInstruction) ?? systemInstruction;
  return {
    contents,
    config: {
      ...(systemInstruction !== undefined && { systemInstruction: system }),
      ...(generationConfig as object | undefined),
      ...others,
    },
  };
}

/** Returns the text of contents that are one text of the user; undefined for others. */
export function simpleText(contents: unknown): string | undefined {
  if (!Array.isArray(contents) || contents.length !== 1) return undefined;
  const [{ role, ...content }] = contents as [{ role?: unknown }];
  return role === undefined || role === 'user' ? textOfParts(content) : undefined;
}

function textOfParts(content: unknown): string | undefined {
  const parts = (content as { parts?: unknown } | undefined)?.parts;
  if (!Array.isArray(parts) || parts.length !== 1) return undefined;
  const [part] = parts as [Record<string, unknown>];
  return Object.keys(part).length === 1 && typeof part.text === 'string' ? part.text : undefined;
}
