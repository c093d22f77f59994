/** A request for the order in which documents fit a query. */
export interface RerankRequest {
  query: string;
  /** The documents' texts; of one with several fields, what is ranked of it. */
  documents: string[];
  /** How many of the best are wanted; all where absent. */
  top?: number;
  /** The most tokens of a document that are read. */
  maxTokens?: number;
}
