/** Reasons why a candidate ended. Function calls have no reason of their own: they end with `STOP`. */
export const generateContentFinishReasons = [
  'STOP',
  'MAX_TOKENS',
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'OTHER',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'MALFORMED_FUNCTION_CALL',
  'IMAGE_SAFETY',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'IMAGE_PROHIBITED_CONTENT',
  'NO_IMAGE',
  'IMAGE_RECITATION',
  'IMAGE_OTHER',
  'CONTINUATION',
  'MALFORMED_RESPONSE',
  'MISSING_THOUGHT_SIGNATURE',
] as const;
export type GenerateContentFinishReason = (typeof generateContentFinishReasons)[number];

/** A part that the gateway writes. Reasoning whose text is not shown has only a signature. */
export type GenerateContentAnswerPart = { thoughtSignature?: string } & (
  | { text: string; thought?: true }
  | { thought: true }
  | { functionCall: { id?: string; name: string; args: Record<string, unknown> } }
  | { inlineData: { mimeType: string; data: string } }
  | { fileData: { mimeType?: string; fileUri: string } }
);

/** Token counts that the gateway writes; all are present. */
export interface GenerateContentUsage {
  promptTokenCount: number;
  cachedContentTokenCount: number;
  candidatesTokenCount: number;
  thoughtsTokenCount: number;
  toolUsePromptTokenCount: number;
  totalTokenCount: number;
  /** Prompt tokens by modality, if known. */
  promptTokensDetails?: { modality: string; tokenCount: number }[];
}

/** Sources of an answer; indexes count bytes of UTF-8. */
export interface GenerateContentGroundingWritten {
  groundingChunks: { web: { uri: string; title?: string } }[];
  groundingSupports: {
    segment: { partIndex?: number; startIndex: number; endIndex: number; text?: string };
    groundingChunkIndices: number[];
  }[];
}

export interface GenerateContentCandidate {
  index?: number;
  content?: { role: 'model'; parts: (GenerateContentAnswerPart | Record<string, unknown>)[] };
  finishReason?: GenerateContentFinishReason;
  finishMessage?: string;
  groundingMetadata?: GenerateContentGroundingWritten;
  logprobsResult?: Record<string, unknown>;
}

/** A response, or a chunk of a stream, that the gateway writes. */
export interface GenerateContentAnswer {
  candidates?: GenerateContentCandidate[];
  promptFeedback?: { blockReason: string; blockReasonMessage?: string };
  usageMetadata?: GenerateContentUsage;
  modelVersion: string;
  responseId: string;
}
