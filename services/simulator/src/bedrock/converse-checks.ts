import { unsealed } from '../responder/seal.ts';
import type { ConverseBlock, ConverseRequest, ConverseTurn } from './converse-request.ts';
import { checkGuardrail, invalid } from './errors.ts';

/** The beginning of the signatures that the simulator makes for Bedrock. */
export const signaturePrefix = 'Q29u';

/** Checks what Bedrock checks of a conversation. @throws ApiError */
export function checkTurns({ messages, toolConfig, guardrailConfig }: ConverseRequest): void {
  if (guardrailConfig) checkGuardrail(guardrailConfig.guardrailIdentifier);
  if (messages[0]?.role !== 'user')
    throw invalid(
      'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
    );
  for (const [at, turn] of messages.entries()) {
    if (turn.role === messages[at - 1]?.role)
      throw invalid(
        'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.',
      );
    checkResults(turn, messages[at - 1], at);
    for (const block of turn.content) checkBlock(turn, block, at);
  }
  const usesTools = messages.some(({ content }) =>
    content.some(block => 'toolUse' in block || 'toolResult' in block),
  );
  if (usesTools && !toolConfig)
    throw invalid('The toolConfig field must be defined when using toolUse and toolResult content blocks.');
}

function checkResults({ content }: ConverseTurn, before: ConverseTurn | undefined, at: number): void {
  const used = (before?.content ?? []).flatMap(block =>
    'toolUse' in block ? [block.toolUse.toolUseId] : [],
  );
  const answered = content.flatMap(block => ('toolResult' in block ? [block.toolResult.toolUseId] : []));
  if (answered.some(id => !used.includes(id)))
    throw invalid(
      `The number of toolResult blocks at messages.${at}.content exceeds the number of toolUse blocks of previous turn.`,
    );
  const missing = used.filter(id => !answered.includes(id));
  if (missing.length > 0)
    throw invalid(
      `Expected toolResult blocks at messages.${at}.content for the following Ids: ${missing.join(', ')}`,
    );
}

function checkBlock({ role, content }: ConverseTurn, block: ConverseBlock, at: number): void {
  if ('text' in block && block.text.trim() === '')
    throw invalid(
      `The text field in the ContentBlock object at messages.${at}.content is blank. Add text to the text field, and try again.`,
    );
  if ('document' in block && !content.some(other => 'text' in other))
    throw invalid('A text block is required when a document is in the message.');
  if ('reasoningContent' in block) checkReasoning(role, block.reasoningContent, at);
}

type Reasoning = Extract<ConverseBlock, { reasoningContent: unknown }>['reasoningContent'];

function checkReasoning(role: ConverseTurn['role'], reasoning: Reasoning, at: number): void {
  const signature =
    'redactedContent' in reasoning ? reasoning.redactedContent : reasoning.reasoningText.signature;
  if (role !== 'assistant' || signature === undefined || unsealed(signaturePrefix, signature) === null)
    throw invalid(`messages.${at}.content: Invalid signature in the reasoning content.`);
}
