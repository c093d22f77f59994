/** A request to rank documents by their relevance to a query. */
export interface RerankRequest {
  query: string;
  /** Texts of the documents; for a document with several fields, the text of those to rank. */
  documents: string[];
  /** Number of best documents to return; all if absent. */
  top?: number;
  /** The most tokens read of each document. */
  maxTokens?: number;
}
