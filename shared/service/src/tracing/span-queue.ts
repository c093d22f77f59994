import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';
import { type Counter, counter, type Registry } from '../metrics/index.ts';

interface QueueLimits {
  /** Time between two messages to the collector, in milliseconds. */
  delayMs: number;
  /** The most spans that wait or are being sent. */
  maxSpans: number;
  /** Time for one message, in milliseconds. */
  exportMs: number;
}

/** The most spans of one message. */
const maxBatch = 512;

/** Sends spans in batches. Spans beyond the limit are dropped; what was sent, dropped or refused is counted. */
export class SpanQueue implements SpanProcessor {
  readonly #batches: BatchSpanProcessor;
  readonly #counted: Counter<'outcome'>;
  readonly #maxSpans: number;
  /** Spans that wait or are being sent. */
  #waiting = 0;

  constructor(exporter: SpanExporter, metrics: Registry, { delayMs, maxSpans, exportMs }: QueueLimits) {
    this.#maxSpans = maxSpans;
    this.#counted = counter(metrics, 'gateway_trace_spans_total');
    for (const outcome of ['sent', 'failed', 'dropped']) this.#counted.inc({ outcome }, 0);
    this.#batches = new BatchSpanProcessor({
      exporter: this.#watched(exporter),
      scheduledDelayMillis: delayMs,
      exportTimeoutMillis: exportMs,
      // This queue drops spans before the batches would.
      maxQueueSize: maxSpans + 1,
      maxExportBatchSize: Math.min(maxBatch, maxSpans),
    });
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (this.#waiting >= this.#maxSpans) return this.#counted.inc({ outcome: 'dropped' });
    this.#waiting++;
    this.#batches.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.#batches.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.#batches.shutdown();
  }

  /** Counts the spans that an exporter has sent, or failed to send. */
  #watched(exporter: SpanExporter): SpanExporter {
    return {
      export: (spans, done) =>
        exporter.export(spans, result => {
          this.#waiting -= spans.length;
          // 0 is success.
          this.#counted.inc({ outcome: result.code === 0 ? 'sent' : 'failed' }, spans.length);
          done(result);
        }),
      shutdown: () => exporter.shutdown(),
      ...(exporter.forceFlush && { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
    };
  }
}
