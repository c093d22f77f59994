import type { ToolCallPart } from '@model-gateway/canonical';
import { argumentsObject } from '@model-gateway/json';

/** Returns a call's arguments as an object with exact numbers. The text of a custom tool is its `input`. */
export function toolInput({ arguments: text, custom }: ToolCallPart): Record<string, unknown> {
  return custom ? { input: text } : argumentsObject(text);
}
