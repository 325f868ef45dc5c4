// A middleware for any language model of the Vercel AI SDK: recall before a call, store both sides.

import type { Erstwhile } from "@erstwhile/client";
import type { LanguageModelMiddleware } from "ai";

type CallOptions = Parameters<NonNullable<LanguageModelMiddleware["transformParams"]>>[0]["params"];
type Prompt = CallOptions["prompt"];
type StreamPart = { type: string; delta?: string };
/** The question that is being stored, and how many milliseconds the call may still wait. */
type Call = { question: Promise<void>; left: number };

/** Which conversation it is, and how much of a prompt memory may take. */
export interface MemoryOptions {
  memory: Erstwhile;
  /** The conversation. */
  channel: string;
  /** Who speaks. */
  person?: string;
  /** The space, if not that of the client. */
  space?: string;
  /** Most tokens of a context. Default: the server's. */
  budget?: number;
  /** How long a call waits for memory in all, in milliseconds. Default: 2000. */
  timeout?: number;
  /** Store nothing: recall only. */
  readOnly?: boolean;
  /** Told what went wrong with memory. The call goes on without it. Default: console.warn. */
  onError?: (error: unknown) => void;
}

/** Put what is worth knowing before the prompt, and store the question and the reply. */
export function erstwhileMemory(options: MemoryOptions): LanguageModelMiddleware {
  const { memory, channel, person, space, budget } = options;
  const onError = options.onError ?? ((error: unknown) => console.warn("erstwhile:", error));
  const timeout = options.timeout ?? 2000;
  const stored = new WeakSet<Prompt>(); // the SDK repeats a failed call with the same prompt
  const calls = new WeakMap<Prompt, Call>(); // by the prompt that the model gets

  async function attempt<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    try {
      return await work(AbortSignal.timeout(timeout));
    } catch (error) {
      onError(error);
      return undefined;
    }
  }

  async function store(role: "user" | "assistant", text: string): Promise<void> {
    if (options.readOnly || !text.trim()) return;
    const message = role === "user" ? { role, text, person } : { role, text };
    await attempt((signal) => memory.channel.add({ space, channel, ...message }, { signal }));
  }

  async function withMemory(params: CallOptions): Promise<CallOptions> {
    const asked = params.prompt.findLast((message) => message.role === "user");
    const query = asked ? textOf(asked.content) : "";
    if (!query.trim()) return params;
    const started = Date.now();
    const context = await attempt((signal) =>
      memory.channel.contextOf({ space, channel, query, person, budget }, { signal }),
    );
    const prompt = context?.text ? inserted(params.prompt, context.text) : [...params.prompt];
    const call: Call = { question: Promise.resolve(), left: timeout - (Date.now() - started) };
    // A step that answers a tool is part of the same turn: its question is stored already.
    if (params.prompt.at(-1) === asked && !stored.has(params.prompt)) {
      stored.add(params.prompt);
      call.question = store("user", query); // while the model answers
    }
    calls.set(prompt, call);
    return { ...params, prompt };
  }

  /** Store a reply after its question, and wait for both as long as the call may. */
  async function storeReply(prompt: Prompt, text: string): Promise<void> {
    const { question, left } = calls.get(prompt) ?? { question: Promise.resolve(), left: timeout };
    const both = question.then(() => store("assistant", text));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, Math.max(0, left))));
    await Promise.race([both, late]);
    clearTimeout(timer);
  }

  return {
    specificationVersion: "v3", // version 7 of the SDK takes it as it is
    transformParams: ({ params }) => withMemory(params),
    wrapGenerate: async ({ doGenerate, params }) => {
      const result = await doGenerate();
      await storeReply(params.prompt, textOf(result.content));
      return result;
    },
    wrapStream: async ({ doStream, params }) => {
      const { stream, ...rest } = await doStream();
      let reply = "";
      const watched = new TransformStream({
        transform(part, controller) {
          const { type, delta } = part as StreamPart;
          if (type === "text-delta") reply += delta ?? "";
          controller.enqueue(part);
        },
        flush: () => storeReply(params.prompt, reply),
      });
      return { stream: stream.pipeThrough(watched), ...rest };
    },
  };
}

function textOf(content: ReadonlyArray<{ type: string }>): string {
  return content
    .filter((part): part is { type: "text"; text: string } => part.type === "text")
    .map((part) => part.text)
    .join("\n");
}

/** After the system messages: providers refuse one in the middle of a conversation. */
function inserted(prompt: Prompt, text: string): Prompt {
  const first = prompt.findIndex((message) => message.role !== "system");
  const place = first < 0 ? prompt.length : first;
  return [...prompt.slice(0, place), { role: "system", content: text }, ...prompt.slice(place)];
}
