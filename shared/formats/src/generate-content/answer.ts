import type { GenerateContentFinish } from './finish.ts';

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

export interface GenerateContentCandidate extends Partial<GenerateContentFinish> {
  index?: number;
  content?: { role: 'model'; parts: (GenerateContentAnswerPart | Record<string, unknown>)[] };
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
