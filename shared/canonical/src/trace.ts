/** The place of a call in a trace, as the headers of W3C Trace Context. */
export interface TraceHeaders {
  /** `00-<trace id>-<span id>-<flags>`; the last digit of the flags is 1 if the trace is sampled. */
  traceparent: string;
  /** Entries of tracing systems, passed on unread. */
  tracestate?: string;
}
