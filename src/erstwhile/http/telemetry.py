"""Send traces as configured by the usual OTEL_… variables, if the `otel` extra is installed."""

from __future__ import annotations

import os
from collections.abc import Callable

from erstwhile.base.logs import Log

log = Log(__name__)


def start() -> Callable[[], None]:
    """Start sending traces. Returns a function that flushes them."""
    wanted = os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") or os.environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    if not wanted or os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return _nothing
    try:
        from opentelemetry import trace
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        log.warning("traces.not_sent", reason="the extra is not installed: pip install 'erstwhile[otel]'")
        return _nothing
    name = {} if os.environ.get("OTEL_SERVICE_NAME") else {"service.name": "erstwhile"}
    provider = TracerProvider(resource=Resource.create(name))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    return provider.shutdown


def _nothing() -> None:
    """No traces are sent."""
