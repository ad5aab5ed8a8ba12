// Registers an OpenTelemetry SDK that writes each span as a JSON line to standard error: `node --import ./otel-to-stderr.mjs dist/main.js`.
import { trace } from '@opentelemetry/api';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

const exporter = {
  export(spans, done) {
    for (const span of spans) {
      const { traceId, spanId } = span.spanContext();
      const parentSpanId = span.parentSpanContext?.spanId;
      process.stderr.write(
        `${JSON.stringify({ span: span.name, traceId, spanId, parentSpanId, attributes: span.attributes })}\n`,
      );
    }
    done({ code: 0 });
  },
  async shutdown() {},
};

trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
