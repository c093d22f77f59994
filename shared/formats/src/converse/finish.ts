import type { ReasonList } from '@model-gateway/providers/finish-reasons';
import { objectIn } from '../upstream/read-json.ts';

/** The format's stop reasons, and the meaning of each. */
export const converseReasons: ReasonList = {
  of: 'converse',
  source: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html',
  reasons: {
    end_turn: 'stop',
    stop_sequence: 'stop-sequence',
    tool_use: 'tool-calls',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    guardrail_intervened: 'content-filter',
    content_filtered: 'content-filter',
    malformed_model_output: 'other',
    malformed_tool_use: 'other',
  },
};

/** Names of the policies by their field in an assessment (`GuardrailAssessment` of @aws-sdk/client-bedrock-runtime). */
const policies: Record<string, string> = {
  topicPolicy: 'topic policy',
  contentPolicy: 'content policy',
  wordPolicy: 'word policy',
  sensitiveInformationPolicy: 'sensitive information policy',
  contextualGroundingPolicy: 'contextual grounding policy',
};

/** Returns the policies by which a guardrail blocked a prompt or an answer, by its trace; undefined if none did. */
export function explainGuardrail(trace: unknown): string | undefined {
  const { inputAssessment, outputAssessments } = objectIn(objectIn(trace)?.guardrail) ?? {};
  const sentences = [
    ['prompt', blockedBy(Object.values(objectIn(inputAssessment) ?? {}))],
    ['answer', blockedBy(Object.values(objectIn(outputAssessments) ?? {}).flat())],
  ] as const;
  const told = sentences.flatMap(([place, by]) =>
    by.length > 0 ? [`The guardrail blocked the ${place} by its ${by.join(', ')}.`] : [],
  );
  return told.join(' ') || undefined;
}

function blockedBy(assessments: unknown[]): string[] {
  return Object.entries(policies).flatMap(([field, name]) => {
    const blocking = assessments
      .flatMap(assessment => Object.values(objectIn(objectIn(assessment)?.[field]) ?? {}))
      .flatMap(list => (Array.isArray(list) ? list : []))
      .map(entry => objectIn(entry) ?? {})
      .filter(({ action }) => action === 'BLOCKED');
    // A match is text of the prompt or the answer, and a word of the guardrail's own list: it is not repeated.
    const named = [...new Set(blocking.map(({ name, type }) => name ?? type))].filter(
      text => typeof text === 'string',
    );
    return blocking.length === 0 ? [] : [named.length > 0 ? `${name} (${named.join(', ')})` : name];
  });
}
