import type {
  AssistantPart,
  OpaquePart,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  UserPart,
} from '@model-gateway/canonical';
import { opaqueText } from '../opaque-text.ts';
import { argumentsOf } from './arguments.ts';
import type { Part } from './content.ts';
import { mediaPart } from './media.ts';
import { functionName, givenId } from './names.ts';
import { proofOf } from './signature.ts';

/** Empty texts say nothing, and are refused. */
export function textParts(parts: readonly { text: string }[]): Part[] {
  return parts.filter(({ text }) => text !== '').map(({ text }) => ({ text }));
}

export function userParts(parts: readonly UserPart[]): Part[] {
  return parts.flatMap(userPart);
}

function userPart(part: UserPart): Part[] {
  switch (part.type) {
    case 'text':
      return textParts([part]);
    case 'media':
      return [mediaPart(part)];
    case 'opaque':
      return [opaquePart(part)];
  }
}

/**
 * What the model said. Formats that have no place for a signature in a call keep it in reasoning just before: it goes
 * back to the call, or the text, that follows. Other reasoning stays away: the vendor needs none of it.
 */
export function modelParts(content: readonly AssistantPart[]): Part[] {
  const parts: Part[] = [];
  let proof: Part | undefined;
  for (const part of content) {
    if (part.type === 'reasoning') {
      const next = thoughtPart(part);
      if (proof && next) parts.push(proof);
      proof = next ?? proof;
      continue;
    }
    for (const made of modelPart(part)) {
      if (proof) made.thoughtSignature ??= proof.thoughtSignature;
      proof = undefined;
      parts.push(made);
    }
  }
  const known = parts.some(({ thoughtSignature }) => thoughtSignature === proof?.thoughtSignature);
  return proof && !known ? [...parts, proof] : parts;
}

/** Undefined for thoughts that this vendor did not sign. */
function thoughtPart({ text, signature }: ReasoningPart): Part | undefined {
  const proof = proofOf(signature);
  return proof.thoughtSignature ? { text, ...(text && { thought: true }), ...proof } : undefined;
}

function modelPart(part: Exclude<AssistantPart, ReasoningPart>): Part[] {
  switch (part.type) {
    case 'text':
      return spoken(part);
    case 'refusal':
      return textParts([part]);
    case 'tool-call':
      return [callPart(part)];
    case 'media':
    case 'opaque':
      return userPart(part);
  }
}

function spoken({ text, signature }: TextPart): Part[] {
  const proof = proofOf(signature);
  return text === '' && !proof.thoughtSignature ? [] : [{ text, ...proof }];
}

function callPart(part: ToolCallPart): Part {
  const { id, name, signature } = part;
  const functionCall = { ...givenId(id), name: functionName(name), args: argumentsOf(part) };
  return { functionCall, ...proofOf(signature) };
}

function opaquePart(part: OpaquePart): Part {
  return part.format === 'generate-content' ? { ...part.value } : { text: opaqueText(part) };
}
