# The server and its worker. See docs/operate/deploy.md; nothing but the database in /data is kept.
FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY src ./src
COPY packages ./packages
COPY integrations/coding ./integrations/coding
# A venv is copied as it is, so pip, compilers and caches stay behind.
RUN python -m venv /opt/erstwhile \
    && /opt/erstwhile/bin/pip install --no-cache-dir '.[server,postgres,mcp,openai,anthropic,google]'

FROM python:3.13-slim
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin erstwhile \
    && install -d -o erstwhile -g erstwhile -m 0700 /data
COPY --from=build /opt/erstwhile /opt/erstwhile
ENV PATH=/opt/erstwhile/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    ERSTWHILE_DATABASE=/data/erstwhile.db \
    ERSTWHILE_LOG_FORMAT=json
USER erstwhile
WORKDIR /data
VOLUME /data
EXPOSE 8765
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8765/readyz', timeout=4)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["erstwhile"]
CMD ["serve", "--host", "0.0.0.0"]
