import type { TraceHeaders } from '@model-gateway/canonical';
import {
  type Context,
  DiagLogLevel,
  diag,
  type Span as OpenSpan,
  SpanKind as OpenSpanKind,
  ROOT_CONTEXT,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions';
import type { Log } from '../log.ts';
import type { Registry } from '../metrics/index.ts';
import { parseTraceParent, type TraceParent, writeTraceParent } from '../request-headers.ts';
import type { Settings } from '../settings.ts';
import type { traceSettingNames } from '../telemetry-settings.ts';
import type { Span, SpanAttributes, SpanKind, SpanOptions, Tracing } from './span.ts';
import { SpanQueue } from './span-queue.ts';

export type TraceSettings = Settings<(typeof traceSettingNames)[number]>;

interface TracingOptions {
  settings: TraceSettings;
  /** The collector. */
  url: string;
  /** The name of the service. */
  name: string;
  metrics: Registry;
  log: Log;
}

/** Time for the last spans to be sent when the process ends, in milliseconds. */
const lastFlushMs = 2_000;
/** Time for one message to the collector, in milliseconds. */
const exportMs = 10_000;
/** Longest text of an attribute, in characters. */
const maxText = 1_024;

const kinds: Record<SpanKind, OpenSpanKind> = {
  server: OpenSpanKind.SERVER,
  client: OpenSpanKind.CLIENT,
  internal: OpenSpanKind.INTERNAL,
};

/** Opens tracing by the OpenTelemetry SDK. */
export function openTelemetry({ settings, url, name, metrics, log }: TracingOptions): Tracing {
  const lines = {
    error: (message: string) => log.warn({ reason: message }, 'traces could not be sent'),
    warn: (message: string) => log.warn({ reason: message }, 'tracing'),
    info() {},
    debug() {},
    verbose() {},
  };
  diag.setLogger(lines, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const headers = settings.OTEL_EXPORTER_OTLP_HEADERS ?? {};
  const queue = new SpanQueue(new OTLPTraceExporter({ url, headers }), metrics, {
    delayMs: settings.OTEL_BSP_SCHEDULE_DELAY,
    maxSpans: settings.OTEL_BSP_MAX_QUEUE_SIZE,
    exportMs,
  });
  const named = resourceFromAttributes({ [ATTR_SERVICE_NAME]: `model-gateway-${name}` });
  const detected = detectResources({ detectors: [serviceInstanceIdDetector, envDetector] });
  const provider = new TracerProvider({
    resource: defaultResource().merge(named).merge(detected),
    // Spans are made only for traces that are sampled.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [queue],
    spanLimits: { attributeValueLengthLimit: maxText },
  });
  const isTrusted = settings.GATEWAY_TRACE_CLIENTS === 'trust';
  return new OpenTelemetryTracing(provider, makeSampler(settings), isTrusted);
}

class OpenTelemetryTracing implements Tracing {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #sampler: Sampler;
  readonly #ids = new RandomIdGenerator();
  /** True if the client's flag may decide on sampling. */
  readonly #isTrusted: boolean;

  constructor(provider: TracerProvider, sampler: Sampler, isTrusted: boolean) {
    this.#provider = provider;
    this.#tracer = provider.getTracer('model-gateway');
    this.#sampler = sampler;
    this.#isTrusted = isTrusted;
  }

  begin(name: string, headers: TraceHeaders | undefined, options: SpanOptions): Span | TraceParent {
    const parent = headers && parseTraceParent(headers.traceparent);
    const traceId = parent?.traceId ?? this.#ids.generateTraceId();
    if (this.#isSampled(parent, traceId)) return this.#start(name, parent, options, headers?.tracestate);
    return { traceId, spanId: this.#ids.generateSpanId(), sampled: false };
  }

  continue(name: string, headers: TraceHeaders | undefined, options: SpanOptions): Span | undefined {
    const parent = headers && parseTraceParent(headers.traceparent);
    return parent?.sampled ? this.#start(name, parent, options, headers?.tracestate) : undefined;
  }

  async close(): Promise<void> {
    const late = new Promise<void>(resolve => setTimeout(resolve, lastFlushMs).unref());
    await Promise.race([this.#provider.shutdown().catch(() => {}), late]);
  }

  /** Clients choose their trace ids: unless they are trusted, the decision must depend neither on these nor on the flag. */
  #isSampled(parent: TraceParent | undefined, traceId: string): boolean {
    const isOwn = !parent || !this.#isTrusted;
    const context = isOwn ? ROOT_CONTEXT : remote(parent);
    const decided = isOwn && parent ? this.#ids.generateTraceId() : traceId;
    const { decision } = this.#sampler.shouldSample(context, decided, '', OpenSpanKind.SERVER, {}, []);
    return decision === SamplingDecision.RECORD_AND_SAMPLED;
  }

  #start(
    name: string,
    parent: TraceParent | undefined,
    options: SpanOptions,
    state: string | undefined,
  ): Span {
    const context = parent ? remote(parent) : ROOT_CONTEXT;
    return new TracedSpan(this.#tracer, context, name, options, state);
  }
}

/** Returns the context of a span in another process. */
function remote({ traceId, spanId, sampled }: TraceParent): Context {
  const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

class TracedSpan implements Span {
  readonly sampled = true;
  readonly #tracer: Tracer;
  readonly #span: OpenSpan;
  readonly #state: string | undefined;
  #ended = false;

  constructor(
    tracer: Tracer,
    parent: Context,
    name: string,
    options: SpanOptions,
    state: string | undefined,
  ) {
    const { kind, attributes = {}, at, link } = options;
    this.#tracer = tracer;
    this.#state = state;
    const links = link && [
      { context: { ...link, traceFlags: link.sampled ? TraceFlags.SAMPLED : TraceFlags.NONE } },
    ];
    this.#span = tracer.startSpan(
      name,
      { kind: kinds[kind], attributes, ...(at !== undefined && { startTime: at }), ...(links && { links }) },
      parent,
    );
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  get spanId(): string {
    return this.#span.spanContext().spanId;
  }

  get headers(): TraceHeaders {
    return { traceparent: writeTraceParent(this), ...(this.#state && { tracestate: this.#state }) };
  }

  child(name: string, options: SpanOptions): Span {
    const parent = trace.setSpan(ROOT_CONTEXT, this.#span);
    return new TracedSpan(this.#tracer, parent, name, options, this.#state);
  }

  set(attributes: SpanAttributes): void {
    for (const [name, value] of Object.entries(attributes))
      if (value !== undefined) this.#span.setAttribute(name, value);
  }

  event(name: string, attributes: SpanAttributes = {}, at?: number): void {
    this.#span.addEvent(name, attributes, at);
  }

  fail(type: string): void {
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
    this.#span.setAttribute('error.type', type);
  }

  end(at?: number): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#span.end(at);
  }
}

/** Returns the sampler that the settings name. */
function makeSampler({
  OTEL_TRACES_SAMPLER: name,
  OTEL_TRACES_SAMPLER_ARG: ratio,
}: Settings<'OTEL_TRACES_SAMPLER' | 'OTEL_TRACES_SAMPLER_ARG'>): Sampler {
  switch (name) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratio);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
  }
}
