// How a call is sent: the key, the time it may take, repeats where they are harmless, and errors.

/** Where the server is, and what holds for every call. */
export interface ClientOptions {
  /** The server. Default: http://127.0.0.1:8765. */
  url?: string;
  /** A key of the space, or an admin key. */
  key?: string;
  /** The space of calls that name none. Default: "default". */
  space?: string;
  /** For how many seconds a failed call is repeated. Default: 30; 0 tries once. */
  patience?: number;
  /** Used in place of the global fetch. */
  fetch?: typeof fetch;
}

/** What holds for one call. */
export interface Options {
  signal?: AbortSignal;
}

/** An operation of the API, as generated.ts describes it. */
export interface Call {
  method: string;
  path: string;
  query: string[];
  headers: string[];
  body: boolean;
  answer: "json" | "text" | "bytes" | "events" | "lines" | "nothing";
  /** A repeat does nothing twice. */
  again: boolean;
  /** It takes an Idempotency-Key, and gets one. */
  keyed?: boolean;
}

/** One event of a stream; `data` is its JSON. */
export interface ServerEvent {
  event: string;
  id: string;
  data: unknown;
}

/** The server refused. `message` says what to do; `status` is 0 where no answer came. */
export class ErstwhileError extends Error {
  override readonly name = "ErstwhileError";

  constructor(
    readonly status: number,
    message: string,
    /** The fields that are wrong, of a 422. */
    readonly errors: unknown[] = [],
    /** How many seconds to wait, of a 429 or 503. */
    readonly retryAfter: number | undefined = undefined,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const UNAVAILABLE = [429, 502, 503, 504];
const FIRST_PAUSE = 0.2;
const LONGEST_PAUSE = 5;

type Given = Record<string, unknown>;

export class Transport {
  private readonly url: string;
  private readonly key: string;
  private readonly space: string;
  private readonly patience: number;
  private readonly fetch: typeof fetch;

  constructor(options: ClientOptions) {
    this.url = (options.url ?? "http://127.0.0.1:8765").replace(/\/+$/, "");
    this.key = options.key ?? "";
    this.space = options.space ?? "default";
    this.patience = options.patience ?? 30;
    this.fetch = options.fetch ?? globalThis.fetch;
  }

  /** Send a call and read its whole answer. */
  async send(call: Call, given: object, options: Options = {}): Promise<any> {
    const answer = await this.answer(call, given as Given, options);
    if (call.answer === "json") return answer.json();
    if (call.answer === "text") return answer.text();
    if (call.answer === "bytes") return new Uint8Array(await answer.arrayBuffer());
    await answer.arrayBuffer(); // so that the connection can be used again
  }

  /** Send a call and yield the parts of its answer as they come. */
  async *stream(call: Call, given: object, options: Options = {}): AsyncGenerator<any> {
    const answer = await this.answer(call, given as Given, options);
    if (!answer.body) return;
    if (call.answer === "events") yield* events(answer.body);
    else for await (const line of lines(answer.body)) if (line.trim()) yield JSON.parse(line);
  }

  private async answer(call: Call, given: Given, options: Options): Promise<Response> {
    const { url, init } = this.request(call, given, options);
    const until = Date.now() + this.patience * 1000;
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      const { answer, error, arrived } = await this.attempt(url, init, options);
      if (answer?.ok) return answer;
      const problem = answer ? await refusal(answer) : unreachable(this.url, error);
      const wait = Math.max(pause, problem.retryAfter ?? 0) * (1 + Math.random() / 4);
      const repeatable = answer
        ? UNAVAILABLE.includes(answer.status) && (call.again || answer.status === 429)
        : call.again || !arrived;
      if (!repeatable || Date.now() + wait * 1000 > until) throw problem;
      await sleep(wait, options.signal);
    }
  }

  private async attempt(url: string, init: RequestInit, options: Options) {
    try {
      return { answer: await this.fetch(url, init), arrived: true };
    } catch (error) {
      options.signal?.throwIfAborted();
      const code = ((error as Error).cause as { code?: string } | undefined)?.code;
      return { error: error as Error, arrived: code !== "ECONNREFUSED" && code !== "ENOTFOUND" };
    }
  }

  private request(call: Call, given: Given, options: Options): { url: string; init: RequestInit } {
    const rest: Given = { space: this.space, ...defined(given) };
    const take = (name: string) => {
      const value = rest[name];
      delete rest[name];
      return value;
    };
    const path = call.path.replace(/\{(\w+)\}/g, (_, name) => segment(name, take(name)));
    const query = new URLSearchParams();
    for (const name of call.query) {
      const value = take(name);
      for (const each of Array.isArray(value) ? value : value == null ? [] : [value]) query.append(name, String(each));
    }
    const headers: Record<string, string> = {};
    for (const name of call.headers) {
      const value = take(camel(name));
      if (value != null) headers[name] = String(value);
    }
    if (call.keyed) headers["idempotency-key"] ??= crypto.randomUUID();
    if (this.key) headers["authorization"] = `Bearer ${this.key}`;
    if (!call.path.includes("{space}")) delete rest["space"];
    const init: RequestInit = { method: call.method, headers, redirect: "error", signal: options.signal ?? null };
    if (call.body) {
      headers["content-type"] = "application/json";
      init.body = JSON.stringify(rest);
    } else if (Object.keys(rest).length) {
      throw new TypeError(`${call.method} ${call.path} takes no ${Object.keys(rest).join(", ")}`);
    }
    return { url: `${this.url}${path}${query.size ? `?${query}` : ""}`, init };
  }
}

/** Every URL drops the segments "." and "..", encoded too: the call would be another one. */
function segment(name: string, value: unknown): string {
  const id = String(value ?? "");
  if (id === "" || id === "." || id === "..") {
    throw new TypeError(`${name} can't be ${JSON.stringify(id)}: no URL can name it. Use another id.`);
  }
  return encodeURIComponent(id);
}

function camel(name: string): string {
  return name.replace(/[-_](\w)/g, (_, letter) => letter.toUpperCase());
}

function defined(given: Given): Given {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

async function refusal(answer: Response): Promise<ErstwhileError> {
  const text = await answer.text().catch(() => "");
  let told: { detail?: string; title?: string; errors?: unknown[] } = {};
  try {
    told = JSON.parse(text);
  } catch {
    // a proxy's page, not a problem document
  }
  const seconds = Number(answer.headers.get("retry-after"));
  const message = told.detail ?? told.title ?? `${answer.status} ${answer.statusText}`;
  return new ErstwhileError(answer.status, message, told.errors ?? [], seconds > 0 ? seconds : undefined);
}

function unreachable(url: string, error: Error | undefined): ErstwhileError {
  const cause = (error?.cause as Error | undefined)?.message ?? error?.message ?? "no answer";
  return new ErstwhileError(0, `No answer from ${url}: ${cause}`, [], undefined, { cause: error });
}

function sleep(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

async function* lines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split(/\r?\n/);
    rest = parts.pop() ?? "";
    yield* parts;
  }
  if (rest) yield rest;
}

async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  let event = "message";
  let id = "";
  let data: string[] = [];
  for await (const line of lines(body)) {
    if (line === "") {
      if (data.length) yield { event, id, data: JSON.parse(data.join("\n")) };
      event = "message";
      data = [];
      continue;
    }
    const [, name, value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name === "event") event = value;
    else if (name === "id") id = value;
    else if (name === "data") data.push(value);
  }
}
