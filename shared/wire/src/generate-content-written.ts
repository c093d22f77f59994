/** Why a candidate ended. Calls of functions have no reason of their own: they end with `STOP`. */
export const googleFinishReasons = [
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
export type GoogleFinishReason = (typeof googleFinishReasons)[number];

/** A part of an answer that the gateway writes; a thought of which nothing is shown has a signature alone. */
export type GoogleAnswerPart = { thoughtSignature?: string } & (
  | { text: string; thought?: true }
  | { thought: true }
  | { functionCall: { id?: string; name: string; args: Record<string, unknown> } }
  | { inlineData: { mimeType: string; data: string } }
  | { fileData: { mimeType?: string; fileUri: string } }
);

/** Token counts that the gateway writes, every one of them. */
export interface GoogleUsage {
  promptTokenCount: number;
  cachedContentTokenCount: number;
  candidatesTokenCount: number;
  thoughtsTokenCount: number;
  toolUsePromptTokenCount: number;
  totalTokenCount: number;
  /** Of what kinds the prompt is, where that is known. */
  promptTokensDetails?: { modality: string; tokenCount: number }[];
}

/** Where an answer comes from; indexes count bytes of UTF-8. */
export interface GoogleGroundingWritten {
  groundingChunks: { web: { uri: string; title?: string } }[];
  groundingSupports: {
    segment: { partIndex?: number; startIndex: number; endIndex: number; text: string };
    groundingChunkIndices: number[];
  }[];
}

export interface GoogleCandidate {
  index?: number;
  content?: { role: 'model'; parts: (GoogleAnswerPart | Record<string, unknown>)[] };
  finishReason?: GoogleFinishReason;
  finishMessage?: string;
  groundingMetadata?: GoogleGroundingWritten;
  logprobsResult?: Record<string, unknown>;
}

/** An answer, or a chunk of a stream, that the gateway writes. */
export interface GoogleAnswer {
  candidates?: GoogleCandidate[];
  promptFeedback?: { blockReason: string; blockReasonMessage?: string };
  usageMetadata?: GoogleUsage;
  modelVersion: string;
  responseId: string;
}
