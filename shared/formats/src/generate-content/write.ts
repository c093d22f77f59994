import type { GenerateRequest, Reasoning } from '@model-gateway/canonical';
import { withoutUndefined, writePlain } from '../upstream/request-body.ts';
import { turnsOf } from './encode-conversation.ts';
import { toolFields } from './encode-tools.ts';
import { generateContentConfig } from './fields.ts';
import type { GenerateContentContentParam } from './parts.ts';
import type { GenerateContentConfigParam, GenerateContentRequestParams } from './request.ts';

/** Writes a request in the format's fields, as a client does that knows no model. */
export function write(request: GenerateRequest): GenerateContentRequestParams {
  const { system, contents } = turnsOf(request.messages, { resultMedia: true });
  const config = withoutUndefined({ ...writeConfig(request), thinkingConfig: thinkingOf(request.reasoning) });
  return {
    systemInstruction: system.length > 0 ? { parts: system } : undefined,
    contents: contents.reduce(joinTurns, []),
    ...toolFields(request),
    generationConfig: Object.keys(config).length > 0 ? config : undefined,
  };
}

/** Writes `generationConfig` without what is said of thinking; undefined is not sent. */
export function writeConfig(request: GenerateRequest): GenerateContentConfigParam {
  const { stop = [], output } = request;
  return {
    ...writePlain({ plain: generateContentConfig }, { ...request, stop: stop.length > 0 ? stop : undefined }),
    responseModalities: request.modalities?.map(modality => modality.toUpperCase()),
    ...(output && output.type !== 'text' && { responseMimeType: 'application/json' }),
    ...(output?.type === 'schema' && { responseJsonSchema: output.schema }),
  };
}

function thinkingOf({ effort, budget, show }: Reasoning = {}): GenerateContentConfigParam['thinkingConfig'] {
  if (budget !== undefined) return { thinkingBudget: budget, includeThoughts: show };
  if (effort === 'none') return { thinkingBudget: 0 };
  return effort && { thinkingLevel: effort.toUpperCase(), includeThoughts: show };
}

/** Joins the turns of one side: results of tools and a text of the user come in one. */
function joinTurns(
  contents: GenerateContentContentParam[],
  next: GenerateContentContentParam,
): GenerateContentContentParam[] {
  const last = contents.at(-1);
  if (last?.role === next.role) last.parts.push(...next.parts);
  else contents.push(next);
  return contents;
}
